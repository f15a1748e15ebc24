// A running `gatepost dev`, with its own folder, for the tests of the package.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BINARY = process.env.GATEPOST_BIN ?? fileURLToPath(new URL("../../../target/debug/gatepost", import.meta.url));
const SETTINGS = { LISTEN: "127.0.0.1:0", METRICS_LISTEN: "", USER_RATE_LIMIT: "off", MANUAL_SEND_LIMIT: "off" };

export const ABSENT = existsSync(BINARY) ? false : `there is no binary at ${BINARY}`;

/** Starts the service on SQLite, or on the Postgres of `GATEPOST_TEST_DATABASE_URL`. */
export async function start() {
  const folder = mkdtempSync(join(tmpdir(), "gatepost-client-"));
  const database = process.env.GATEPOST_TEST_DATABASE_URL;
  const env = { ...process.env, ...SETTINGS, ...(database && { DATABASE_URL: database }) };
  const child = spawn(BINARY, ["dev", "--json"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const line = await new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}: ${log}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
  });
  const welcome = JSON.parse(line);
  const url = welcome.docsUrl.replace(/\/docs$/, "");
  const run = promisify(execFile);
  const command = (...args) => run(BINARY, args, { cwd: folder, env: { ...process.env, GATEPOST_URL: url } });
  const idToken = async (user) => (await command("token", "--user", user)).stdout.trim();
  /** Runs commands of a page in the folder of the service, with the places of this test. */
  const paste = async (commands, port) => {
    const script = commands.replaceAll("http://127.0.0.1:8080", url).replaceAll(":3000", `:${port}`);
    const PATH = `${dirname(BINARY)}:${process.env.PATH}`;
    const env = { ...process.env, PATH, GATEPOST_URL: url };
    return (await run("sh", ["-ec", script], { cwd: folder, env })).stdout.trim();
  };
  return { url, operatorToken: welcome.operatorToken, idToken, paste, stop };
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
