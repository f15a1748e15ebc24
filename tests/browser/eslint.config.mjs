// The rules of the linter for `web` and for these tests. `cargo xtask lint` runs it from the root of the repository.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["web/vendor/", "**/node_modules/", "target/"] },
  js.configs.recommended,
  { files: ["web/**"], languageOptions: { globals: globals.browser }, rules: { "no-shadow": "error" } },
  { files: ["tests/browser/**"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-constant-binary-expression": "error",
      "no-else-return": "error",
      "no-unneeded-ternary": "error",
      "no-unused-expressions": "error",
      "no-useless-assignment": "error",
      "no-useless-concat": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "require-await": "error",
    },
  },
];
