// Compiles src to dist/esm and dist/cjs, as small as the types and the comments in editors allow.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execFileSync } from "node:child_process";

const here = fileURLToPath(new URL(".", import.meta.url));
const tsc = `${here}node_modules/typescript/bin/tsc`;
const compile = (...options) => execFileSync(process.execPath, [tsc, "-p", here, ...options], { stdio: "inherit" });

rmSync(`${here}dist`, { recursive: true, force: true });
// The comments are in the types, and not again in the code.
compile("--outDir", `${here}dist/esm`, "--emitDeclarationOnly");
compile("--outDir", `${here}dist/esm`, "--declaration", "false", "--removeComments", "--noCheck");
compile(
  "--outDir",
  `${here}dist/cjs`,
  "--module",
  "commonjs",
  "--moduleResolution",
  "node10",
  "--verbatimModuleSyntax",
  "false",
  "--declaration",
  "false",
  "--removeComments",
  "--noCheck",
);
writeFileSync(`${here}dist/cjs/package.json`, '{ "type": "commonjs" }\n');
for (const path of readdirSync(`${here}dist/esm`, { recursive: true }).filter((path) => path.endsWith(".d.ts"))) {
  const [types, copy] = [`${here}dist/esm/${path}`, `${here}dist/cjs/${path}`];
  if (!path.startsWith("generated")) {
    copyFileSync(types, copy);
    continue;
  }
  // The largest files: the second form refers to the first.
  writeFileSync(types, readFileSync(types, "utf8").replace(/^ +/gm, ""));
  const name = path.replace(".d.ts", ".js");
  writeFileSync(copy, `export type * from "../../esm/${name}" with { "resolution-mode": "import" };\n`);
}
