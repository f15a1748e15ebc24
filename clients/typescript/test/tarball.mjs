import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PACKAGE_BYTES_MAX = 60_000;
const here = fileURLToPath(new URL("..", import.meta.url));

/** Packs what is built. */
export function pack(folder = `${here}target`) {
  mkdirSync(folder, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const packed = JSON.parse(
    execFileSync("npm", args, { cwd: here, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const { filename, size, files } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0];
  return { file: `${folder}/${filename}`, size, files: files.map(({ path }) => path) };
}
