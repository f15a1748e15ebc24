// The package as others install it: current, small, without dependencies, with types that resolve.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
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

it("an editor shows of a method what a program is wrong without", () => {
  const index = `${here}dist/esm/index.d.ts`;
  const program = ts.createProgram([index], { module: ts.ModuleKind.NodeNext, types: [] });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)));
  const gatepost = checker.getDeclaredTypeOfSymbol(
    checker.getAliasedSymbol(exported.find(({ name }) => name === "Gatepost")),
  );
  for (const [id, sentence] of [
    ["createPortalLink", /it works for five minutes, and once\.$/],
    ["createUserApiKey", /Only this answer contains the full key\.$/],
    ["publishEvent", /the answer is that event with `duplicate: true`\. .* the answer is a 409\.$/],
  ]) {
    const comment = gatepost.getProperty(id).getDocumentationComment(checker);
    assert.match(ts.displayPartsToString(comment), sentence, id);
  }
});

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
  // Without these settings, npm publishes a package with a scope for its owner alone.
  assert.deepEqual(own.publishConfig, { access: "public", provenance: true });
  for (const [, link] of readFileSync(`${here}README.md`, "utf8").matchAll(/\]\(([^)#]*)/g)) {
    assert.ok(link.startsWith(`${repository}/blob/main/`), link);
    assert.ok(existsSync(link.replace(`${repository}/blob/main/`, root)), link);
  }
});

it("npm takes the package, with a list of its changes", (test) => {
  assert.ok(readFileSync(`${here}CHANGELOG.md`, "utf8").includes(`\n## ${own.version}\n`));
  const options = ["--dry-run", "--ignore-scripts", "--json", "--tag=latest", "--loglevel=notice"];
  const { status, stdout, stderr } = spawnSync("npm", ["publish", file, ...options], { cwd: here, encoding: "utf8" });
  // A dry run asks the registry which versions there are.
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(stderr)) return test.skip("there is no registry here");
  assert.equal(status, 0, stdout + stderr);
  assert.match(stderr, /with tag latest and public access/);
  assert.doesNotMatch(stderr, /auto-corrected/);
});

it("the reference is built without a warning", () => {
  succeeds("node_modules/typedoc/bin/typedoc", "--out", "target/reference");
  assert.match(readFileSync(`${here}target/reference/classes/index.Caller.html`, "utf8"), /organizationId/);
});

it("a program of any settings finds the types, without those of browsers", () => {
  const folder = `${here}target/programs`;
  const installed = `${folder}/node_modules/@gatepost/client`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", file, "--strip-components=1", "-C", installed]);
  const program =
    'import { Gatepost, Verifier, verifyWebhook } from "@gatepost/client";\n' +
    [..."express fastify hono next".split(" ")]
      .map(
        (name) => `export { requireApiKey as ${name}, receiveWebhooks as _${name} } from "@gatepost/client/${name}";\n`,
      )
      .join("") +
    'export const keys = new Verifier(new Gatepost({ url: "https://keys.example.com" }));\n' +
    'export const webhook = verifyWebhook("", {}, { keys: [{ kty: "OKP", crv: "Ed25519", x: "", kid: "1" }] });\n';
  for (const name of ["program.ts", "program.mts", "program.cts"]) writeFileSync(`${folder}/${name}`, program);
  // Otherwise the program would be a part of this package, which finds itself by its name.
  writeFileSync(`${folder}/package.json`, "{}");
  const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: ts.ScriptTarget.ES2022 };
  const types = { types: ["node"], typeRoots: [`${here}node_modules/@types`], lib: ["lib.es2022.d.ts"] };
  for (const [names, module, moduleResolution] of [
    [["program.ts"], ts.ModuleKind.CommonJS, ts.ModuleResolutionKind.Node10],
    [["program.ts"], ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
    [["program.mts", "program.cts"], ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
  ]) {
    const settings = { ...strict, ...types, module, moduleResolution };
    const roots = names.map((name) => `${folder}/${name}`);
    const program = ts.createProgram(roots, settings);
    // The other types, of Node and of the language, take most of the time, and others test them.
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
    assert.ok(own.some(({ fileName }) => fileName.endsWith("/generated/api.d.ts")));
    const faults = own.flatMap((source) => ts.getPreEmitDiagnostics(program, source));
    assert.equal(ts.formatDiagnostics(faults, ts.createCompilerHost(settings)), "");
  }
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
