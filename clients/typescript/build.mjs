// Compiles src to dist/esm and dist/cjs.
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execFileSync } from "node:child_process";

const here = fileURLToPath(new URL(".", import.meta.url));
const tsc = `${here}node_modules/typescript/bin/tsc`;
const compile = (...options) => execFileSync(process.execPath, [tsc, "-p", here, ...options], { stdio: "inherit" });

rmSync(`${here}dist`, { recursive: true, force: true });
compile("--outDir", `${here}dist/esm`);
compile(
  "--outDir",
  `${here}dist/cjs`,
  "--module",
  "commonjs",
  "--moduleResolution",
  "node10",
  "--verbatimModuleSyntax",
  "false",
);
writeFileSync(`${here}dist/cjs/package.json`, '{ "type": "commonjs" }\n');
// The generated types are the largest files, and the same in both forms: the second refers to the first.
for (const name of ["api", "operations"]) {
  writeFileSync(
    `${here}dist/cjs/generated/${name}.d.ts`,
    `export type * from "../../esm/generated/${name}.js" with { "resolution-mode": "import" };\n`,
  );
}
