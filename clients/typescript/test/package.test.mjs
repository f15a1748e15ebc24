// The package as others install it: current, small, without dependencies, with types that resolve.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { PACKAGE_BYTES_MAX, pack } from "./tarball.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const { size, file, files } = pack();
const own = JSON.parse(readFileSync(`${here}package.json`, "utf8"));

function succeeds(program, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${here}${program}`, ...args], {
    cwd: here,
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
}

it("what is generated is that of docs/openapi.json", () => succeeds("generate.mjs", "--check"));

it("the tarball is small and needs no package", () => {
  console.log(`${size} bytes packed`);
  assert.ok(size <= PACKAGE_BYTES_MAX, `${size} bytes`);
  assert.equal(own.dependencies, undefined);
  assert.equal(own.peerDependencies, undefined);
  succeeds("node_modules/publint/src/cli.js", "run", file, "--strict");
  succeeds("node_modules/@arethetypeswrong/cli/dist/index.js", file, "--profile", "node16");
});

it("the tarball has the licences, and a page of npm finds its links", () => {
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
    assert.ok(files.includes(name));
    assert.equal(readFileSync(here + name, "utf8"), readFileSync(root + name, "utf8"));
  }
  const [, repository] = readFileSync(`${root}Cargo.toml`, "utf8").match(/^repository = "(.*)"$/m);
  assert.equal(own.repository.url, `git+${repository}.git`);
  for (const [, link] of readFileSync(`${here}README.md`, "utf8").matchAll(/\]\(([^)#]*)/g)) {
    assert.ok(link.startsWith(`${repository}/blob/main/`), link);
    assert.ok(existsSync(link.replace(`${repository}/blob/main/`, root)), link);
  }
});

it("the reference is built without a warning", () => {
  succeeds("node_modules/typedoc/bin/typedoc", "--out", "target/reference");
  assert.match(readFileSync(`${here}target/reference/classes/index.Caller.html`, "utf8"), /organizationId/);
});

it("CommonJS finds each part", () => {
  const script =
    'for (const part of ["", "/express", "/fastify", "/hono", "/next"]) if (Object.keys(require("@gatepost/client" + part)).length === 0) throw part';
  execFileSync(process.execPath, ["-e", script], { cwd: here });
});

it("nothing imports a module of Node or of a framework", () => {
  for (const name of files.filter((path) => path.endsWith(".js"))) {
    const imports = readFileSync(here + name, "utf8").matchAll(/(?:from |require\()"([^"]+)"/g);
    for (const [, module] of imports) assert.match(module, /^\.\.?\//, `${name} imports ${module}`);
  }
});
