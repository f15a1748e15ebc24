// Each quick start: its program, in a fresh folder with the packed tarball, called as its callers do.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { Gatepost } from "../dist/esm/index.js";
import { ABSENT, freePort, start } from "./service.mjs";
import { pack } from "./tarball.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const NEXT = `${here}node_modules/next/dist/bin/next`;
const FRAMEWORKS = ["express", "fastify", "hono", "next"];

/** The source files of an example. */
const sources = (framework) =>
  readdirSync(`${root}examples/typescript-${framework}`, { recursive: true, withFileTypes: true })
    .filter((entry) => /\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`);

for (const framework of FRAMEWORKS) {
  it(`docs/quickstart/${framework}.md shows the files of the example`, () => {
    const page = readFileSync(`${root}docs/quickstart/${framework}.md`, "utf8");
    const blocks = [...page.matchAll(/```tsx?\n(.*?)```/gs)].map(([, text]) => text);
    assert.deepEqual(
      blocks.sort(),
      sources(framework)
        .map((file) => readFileSync(file, "utf8"))
        .sort(),
    );
  });
}

/** The files of docs/add-to-your-app.md, all of which tests run: the last is in docs/quickstart/rust.md too. */
const SHOWN = {
  ts: ["examples/typescript-express/server.ts"],
  python: ["examples/python-fastapi/app.py", "examples/python-fastapi/more.py"],
  rust: ["crates/client/examples/tower.rs"],
};

it("docs/add-to-your-app.md shows each task in three languages, in lines of the examples", () => {
  const tasks = readFileSync(`${root}docs/add-to-your-app.md`, "utf8").split("\n## ").slice(1);
  assert.equal(tasks.length, 4);
  for (const task of tasks) {
    const blocks = [...task.matchAll(/```(\w+)\n(.*?)\n```/gs)];
    assert.deepEqual(
      blocks.map(([, language]) => language),
      Object.keys(SHOWN),
    );
    for (const [, language, text] of blocks) {
      const files = SHOWN[language].map((file) => readFileSync(root + file, "utf8")).join("\n");
      for (const part of text.split("\n\n")) {
        // Lines of an inner block begin further to the left on the page.
        const lines = part.split("\n").map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
        assert.match(files, new RegExp(`^( *)${lines.join("\n\\1")}$`, "m"), part);
      }
    }
  }
});

/** The blocks of commands of a page: what installs, what starts, and what calls. */
const commandsOf = (framework) => {
  const page = readFileSync(`${root}docs/quickstart/${framework}.md`, "utf8");
  return [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text.replaceAll("\\\n", ""));
};

for (const framework of FRAMEWORKS) {
  it(`docs/quickstart/${framework}.md needs at most six commands`, () => {
    const blocks = commandsOf(framework);
    const commands = blocks.flatMap((block) => block.trimEnd().split("\n"));
    assert.equal(blocks.length, 3);
    assert.ok(commands.length <= 6, commands.join("\n"));
    assert.match(commands[0], /^npm install @gatepost\/client /);
  });
}

it("docs/quickstart/express.md needs at most 15 lines of code", () => {
  const code = readFileSync(`${root}examples/typescript-express/server.ts`, "utf8").split("\n");
  const lines = code.filter((line) => line.trim() !== "" && !line.startsWith("//"));
  assert.ok(lines.length <= 15, lines.join("\n"));
});

describe("the example", { skip: ABSENT }, () => {
  let service, tarball, operator;
  before(async () => {
    tarball = pack(`${here}target/examples`);
    service = await start();
    operator = new Gatepost({ url: service.url, token: service.operatorToken });
  });
  after(() => service?.stop());

  for (const name of [...FRAMEWORKS, "next, built for production"]) {
    const [framework, isBuilt] = name.split(",");
    it(name, { timeout: 600_000 }, async () => {
      let port = await freePort();
      const folder = fresh(framework, tarball.file, port);
      if (isBuilt) {
        build(folder);
        // The build takes a minute, in which another program may take a port.
        port = await freePort();
      }
      const own = `http://127.0.0.1:${port}`;
      const alice = new Gatepost({ url: service.url, token: await service.idToken("alice") });
      const [, start, call] = commandsOf(framework);
      // The last line starts the program, which runs here without a download.
      const subscribe = start.split("\n").slice(0, 2).join("\n");
      const secret = await service.paste(`${subscribe}\necho $WEBHOOK_SECRET`, port);
      const wanted = { url: `${own}/webhooks`, events: ["order.*"] };
      const { subscription } = await alice.ensureSubscription(wanted);
      const program = run(framework, isBuilt ? "start" : "dev", folder, port, service, secret);
      try {
        await program.answers(`${own}/orders`);
        const good = await alice.createApiKey({ label: "good", scopes: ["orders:read"] });
        const without = await alice.createApiKey({ label: "without scopes" });
        const status = async (key, init = {}) => {
          const response = await fetch(`${own}/orders`, { ...init, headers: key ? { "x-api-key": key } : {} });
          return [response.status, await response.text(), response.headers.get("www-authenticate")];
        };
        assert.deepEqual((await status(good.key)).slice(0, 2), [200, `{"ordersOf":{"userId":"alice"}}`]);
        const [forbidden, problem, scope] = await status(without.key);
        assert.deepEqual([forbidden, JSON.parse(problem).code], [403, "insufficient_scope"]);
        assert.match(scope, /scope="orders:read"/);
        assert.equal((await status(undefined))[0], 401);
        await alice.revokeApiKey({ keyId: good.keyId });
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        assert.equal((await status(good.key))[0], 401, "a revoked key");
        const { event } = JSON.parse(await service.paste(call, port));
        assert.equal(event.type, "order.created");
        await delivered(alice, subscription.id);
        assert.match(program.log(), /type: 'order\.created'/);
        const forged = {
          "webhook-id": "a",
          "webhook-timestamp": `${Math.floor(Date.now() / 1_000)}`,
          "webhook-signature": "v1,AAAA",
        };
        const headers = { "content-type": "application/json", ...forged };
        const answer = await fetch(`${own}/webhooks`, { method: "POST", headers, body: "{}" });
        assert.deepEqual([answer.status, await answer.text()], [400, "no signature matches"], "a forged webhook");
        if (framework === "next") await framesThePortal(`${own}/portal`, service.url);
        if (framework === "express") await leadsToThePortal(`${own}/portal`, service.url);
      } catch (error) {
        throw new Error(`${error.message}\n${program.log()}`, { cause: error });
      } finally {
        await program.stop();
      }
    });
  }
});

/** The page, as React renders it, frames a link that a browser may open. */
async function framesThePortal(page, gatepost) {
  const html = await (await fetch(page)).text();
  const [, url] = /<iframe src="([^"]+)" title="API keys and webhooks"/.exec(html) ?? assert.fail(html);
  assert.ok(url.startsWith(`${gatepost}/console/portal#`), url);
  assert.equal((await fetch(url)).status, 200);
}

async function leadsToThePortal(route, gatepost) {
  const redirect = await fetch(route, { redirect: "manual" });
  assert.equal(redirect.status, 302);
  assert.ok(redirect.headers.get("location").startsWith(`${gatepost}/console/portal#`));
}

/** A folder with the example and the packed package. The framework is found in the folders above. */
function fresh(framework, tarball, port) {
  const folder = `${here}target/fresh/${framework}`;
  rmSync(folder, { recursive: true, force: true });
  const installed = `${folder}/node_modules/@gatepost/client`;
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  cpSync(`${root}examples/typescript-${framework}`, folder, { recursive: true });
  if (framework === "next") return folder;
  // Node runs TypeScript since 22.18: this is what it does.
  const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
  const { outputText } = ts.transpileModule(readFileSync(`${folder}/server.ts`, "utf8"), options);
  writeFileSync(`${folder}/server.mjs`, outputText.replaceAll("3000", port));
  return folder;
}

/** Builds the example of Next for production, where the variables of the service are not set. */
function build(folder) {
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [NEXT, "build"], options);
  assert.equal(status, 0, stdout + stderr);
}

function run(framework, command, folder, port, service, secret) {
  const next = [NEXT, command, "--port", `${port}`, "--hostname", "127.0.0.1"];
  const settings = {
    GATEPOST_URL: service.url,
    GATEPOST_OPERATOR_TOKEN: service.operatorToken,
    WEBHOOK_SECRET: secret,
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const env = { ...process.env, ...settings };
  // A group of processes, because Next starts others.
  const child = spawn(process.execPath, framework === "next" ? next : ["server.mjs"], {
    cwd: folder,
    env,
    detached: true,
  });
  let log = "";
  child.stdout.on("data", (chunk) => (log += chunk));
  child.stderr.on("data", (chunk) => (log += chunk));
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return {
    log: () => log,
    async answers(url) {
      while (child.exitCode === null) {
        const response = await fetch(url).catch(() => undefined);
        if (response) return response.text();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`the program ended: ${log}`);
    },
    async stop() {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
      await ended;
    },
  };
}

async function delivered(client, subscriptionId) {
  for (let looks = 0; looks < 200; looks++) {
    const { deliveries } = await client.listDeliveries({ subscriptionId });
    if (deliveries[0]?.state === "delivered") return;
    assert.notEqual(deliveries[0]?.state, "failed", JSON.stringify(deliveries[0]));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the webhook was not delivered");
}
