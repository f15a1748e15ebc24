import assert from "node:assert/strict";
import { test } from "node:test";
import { pairsOf, patchOf } from "../../../web/lib/pairs.js";

test("lines are pairs", () => {
  assert.deepEqual(pairsOf("plan=pro\n\n note = a=b \nalone"), { plan: "pro", note: "a=b", alone: "" });
  assert.deepEqual(pairsOf(""), {});
});

test("names that are gone are removed, and equal pairs are left out", () => {
  assert.deepEqual(patchOf({ plan: "free", region: "eu", note: "a" }, { plan: "pro", seats: "2", note: "a" }), {
    plan: "pro",
    region: null,
    seats: "2",
  });
});
