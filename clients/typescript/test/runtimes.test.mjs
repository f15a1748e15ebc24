// The packed tarball on Deno, Bun and Workers. `npm ci --prefix runtimes` installs them. A test without its runtime is
// skipped.
import assert from "node:assert/strict";
import { execFileSync, execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "./service.mjs";
import { pack } from "./tarball.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const folder = `${here}target/runtimes`;
const program = (name) => `${here}runtimes/node_modules/.bin/${name}`;
const absent = (name) => (existsSync(program(name)) ? false : `${name} is not installed: npm ci --prefix runtimes`);
/** Workers begin with the first. */
const MODULES = ["workers.mjs", "smoke.mjs"];
const EXPECTED = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  deliveries: 3,
  callers: [{ organizationId: "acme" }, { organizationId: "acme" }],
};
const KEY = { active: true, org_id: "acme", iss: "i", client_id: "key_1", label: "l", scope: "orders:read" };

describe("the package runs on", () => {
  let service, url;
  let asked = 0;
  before(async () => {
    const installed = `${folder}/node_modules/@gatepost/client`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", pack(folder).file, "--strip-components=1", "-C", installed]);
    for (const file of MODULES) cpSync(`${here}runtimes/${file}`, `${folder}/${file}`);
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "dependencies": { "@gatepost/client": "*" } }');
    service = createServer((request, response) => {
      const isQuestion = request.url === "/api/operator/introspect";
      if (isQuestion) asked += 1;
      response.writeHead(isQuestion ? 200 : 202, { "content-type": "application/json" });
      response.end(JSON.stringify(isQuestion ? KEY : { event: {}, deliveries: 3 }));
    });
    await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${service.address().port}`;
  });
  after(() => {
    service?.close();
    service?.closeAllConnections();
  });

  for (const [name, ...args] of [
    ["deno", "run", "--allow-all", "--node-modules-dir=manual"],
    ["bun", "run"],
  ]) {
    it(name, { skip: absent(name), timeout: 60_000 }, async () => {
      asked = 0;
      const { stdout } = await promisify(execFile)(program(name), [...args, "smoke.mjs", url], { cwd: folder });
      assert.deepEqual(JSON.parse(stdout), EXPECTED);
      assert.equal(asked, 1);
    });
  }

  it("Workers", { skip: absent("workerd"), timeout: 60_000 }, async () => {
    asked = 0;
    const port = await freePort();
    writeFileSync(`${folder}/workers.capnp`, configuration(port));
    const workers = spawn(program("workerd"), ["serve", "workers.capnp"], { cwd: folder, stdio: "inherit" });
    try {
      let response;
      while (!response && workers.exitCode === null) {
        response = await fetch(`http://127.0.0.1:${port}/?url=${url}`).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.deepEqual(JSON.parse(await response.text()), EXPECTED);
      assert.equal(asked, 1);
    } finally {
      workers.kill();
    }
  });
});

/** The modules of Workers have names, which their imports are relative to. */
function configuration(port) {
  const dist = "node_modules/@gatepost/client/dist/esm/";
  const files = readdirSync(`${folder}/${dist}`, { recursive: true }).filter((file) => file.endsWith(".js"));
  const modules = files.map((file) => [file === "index.js" ? "@gatepost/client" : `@gatepost/${file}`, dist + file]);
  const rows = [...MODULES.map((file) => [file, file]), ...modules].map(
    ([name, file]) => `(name = "${name}", esModule = embed "${file}")`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [${rows.join(", ")}], compatibilityDate = "2025-01-01")),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
}
