import assert from "node:assert/strict";
import { test } from "node:test";
import { changeInWords } from "../../../web/lib/audit-words.js";

const said = (field, before, after, names) => changeInWords({ field, before, after }, names);

test("a change has words for its states", () => {
  assert.equal(
    said("status", "enabled", "disabled: gone"),
    "Status: Enabled → Disabled. The receiver answered 410 Gone.",
  );
  assert.equal(said("status", "enabled", "disabled"), "Status: Enabled → Disabled");
  assert.equal(said("status", undefined, "archived"), "Status: Archived");
  assert.equal(
    said("health", "healthy", "failing: timeout"),
    "Health: Healthy → Failing. The receiver did not answer in time.",
  );
  assert.equal(said("health", "healthy", "failing: unknown"), "Health: Healthy → Failing");
  assert.equal(said("onExhausted", undefined, "stop"), "When attempts are used up: Disable the subscription");
  assert.equal(said("signing", undefined, "ed25519"), "Signatures: With a key pair (v1a)");
  assert.equal(said("role", undefined, "visitor keys webhooks:read"), "Role: Visitor (keys, webhooks:read)");
});

test("a change has words for a pulled subscription, and the label of a key", () => {
  assert.equal(said("url", undefined, "pull:"), "URL: Readers fetch events");
  assert.equal(said("successor", undefined, "key_2", { key_2: "CI deploy" }), "New key: CI deploy");
  assert.equal(said("successor", undefined, "key_2"), "New key: key_2");
});

test("a time is local", () => {
  const words = said("expiresAt", "2026-11-21T01:42:03.120Z", "2026-12-21T01:42:03.120Z");
  assert.match(words, /^Expires: 2\d Nov 2026\D.* → 2\d Dec 2026\D/);
  assert.doesNotMatch(words, /Z|T0/);
});

test("a hidden part of a value can change, and a value can end", () => {
  assert.equal(said("url", "https://a.example", "https://a.example"), "URL: https://a.example, changed");
  assert.equal(said("maxPerSecond", "5", undefined), "Most per second: 5 → none");
});

test("names of a later version stay", () => {
  assert.equal(said("colour", undefined, "green"), "colour: green");
  assert.equal(said("status", "enabled", "resting"), "Status: Enabled → resting");
  assert.equal(said("role", undefined, "auditor"), "Role: auditor");
});
