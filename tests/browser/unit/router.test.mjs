import assert from "node:assert/strict";
import { test } from "node:test";
import { match } from "../../../web/lib/router.js";

const load = () => Promise.reject(new Error("not opened"));
const routes = ["/console", "/console/keys", "/console/keys/:id", "/console/users/:userId/keys/:id"].map((pattern) => ({
  pattern,
  load,
}));
const found = (path) => {
  const { route, parameters } = match(routes, path) ?? {};
  return route && [route.pattern, parameters];
};

test("a path names a screen, with or without a slash at its end", () => {
  assert.deepEqual(found("/console/"), ["/console", {}]);
  assert.deepEqual(found("/console/keys"), ["/console/keys", {}]);
  assert.deepEqual(found("/console/keys/key_1/"), ["/console/keys/:id", { id: "key_1" }]);
});

test("parameters are decoded, and a parameter that nobody encoded stays as it is", () => {
  const pattern = "/console/users/:userId/keys/:id";
  assert.deepEqual(found("/console/users/auth0%7Cann%2Fb/keys/k"), [pattern, { userId: "auth0|ann/b", id: "k" }]);
  assert.deepEqual(found("/console/users/100%/keys/k"), [pattern, { userId: "100%", id: "k" }]);
});

test("other paths name none", () => {
  for (const path of ["/", "/docs", "/console/nowhere", "/console/keys/key_1/more", "/Console"]) {
    assert.equal(found(path), undefined, path);
  }
});
