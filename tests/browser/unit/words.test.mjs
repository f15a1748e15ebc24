import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../../web/lib/words.js";

const key = (more) => ({ id: "key_1", label: "CI", revokedAt: null, ...more });
const [past, future] = ["2001-01-01T00:00:00Z", "2901-01-01T00:00:00Z"];

test("the state of a key, and whether it still works", () => {
  const state = (more) => {
    const { name, isActive } = words.keyState(key(more));
    return [name, isActive];
  };
  assert.deepEqual(state({}), ["Active", true]);
  assert.deepEqual(state({ expiresAt: future }), ["Active", true]);
  assert.deepEqual(state({ disabledAt: past }), ["Disabled", true]);
  assert.deepEqual(state({ disabledAt: past, expiresAt: past }), ["Expired", false]);
  assert.deepEqual(state({ expiresAt: past }), ["Expired", false]);
  assert.deepEqual(state({ expiresAt: future, replacedBy: "key_2" }), ["Being replaced", true]);
  assert.deepEqual(state({ expiresAt: past, replacedBy: "key_2" }), ["Replaced", false]);
  assert.deepEqual(state({ expiresAt: future, revokedAt: past }), ["Revoked", false]);
});

test("a key is an orphan when its successor does not work", () => {
  const old = key({ expiresAt: future, replacedBy: "key_2" });
  assert.equal(words.isOrphan(old, [old, key({ id: "key_2" })]), false);
  assert.equal(words.isOrphan(old, [old, key({ id: "key_2", revokedAt: past })]), true);
  assert.equal(words.isOrphan(old, [old]), false, "a successor that nobody lists may work");
});

const health = (state, reason = null) => ({ state, reason });

test("a subscription says why it is in its state", () => {
  const said = (subscription, found) => {
    const { name, why } = words.subscriptionState(subscription, found);
    return [name, why];
  };
  assert.deepEqual(said({ enabled: true }), ["Enabled", ""]);
  assert.deepEqual(said({ enabled: true }, health("healthy", "timeout")), ["Healthy", ""]);
  assert.deepEqual(said({ enabled: true }, health("failing", "dns")), [
    "Failing",
    "The host name has no address that webhooks may reach.",
  ]);
  assert.deepEqual(said({ enabled: true }, health("paused", "retry_after")), [
    "Paused",
    "The receiver asked for a pause.",
  ]);
  assert.deepEqual(said({ enabled: true }, health("paused", "timeout")), [
    "Paused",
    "Too many attempts failed in a row. The receiver did not answer in time.",
  ]);
  assert.deepEqual(said({ enabled: false, disabledReason: "gone" }), ["Disabled", "The receiver answered 410 Gone."]);
  assert.deepEqual(said({ enabled: true, type: "pull" }, health("healthy")), ["Enabled", ""]);
});

test("a subscription is named by its URL, unless readers fetch its events", () => {
  assert.equal(words.place("https://example.com/"), "example.com");
  assert.equal(words.place("pull:"), "Readers fetch events");
  assert.equal(words.shownUrl("https://example.com/"), "https://example.com/");
});

test("a receiver needs its owner unless it is healthy, or the owner disabled it", () => {
  assert.equal(words.isFailing({ enabled: true, health: health("healthy") }), false);
  assert.equal(words.isFailing({ enabled: true, health: health("paused") }), true);
  assert.equal(words.isFailing({ enabled: false, disabledReason: "owner" }), false);
  assert.equal(words.isFailing({ enabled: false, disabledReason: "key_leaked" }), true);
});

test("counts have their words", () => {
  assert.equal(words.counted(1, "key"), "1 key");
  assert.equal(words.counted(0, "key"), "0 keys");
  assert.equal(words.counted(1200, "delivery", "deliveries"), "1,200 deliveries");
});

test("a place is a URL without its scheme that fits a row", () => {
  assert.equal(words.place("https://example.com/"), "example.com");
  assert.equal(words.place(`http://example.com/${"a".repeat(36)}`), `example.com/${"a".repeat(36)}`);
  const long = words.place(`https://example.com/${"a".repeat(37)}`);
  assert.deepEqual([long.length, long.at(-1)], [48, "…"]);
});

test("what looks like a key is cut to what lists may show of it", () => {
  const random = "0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";
  const start = "01234567";
  for (const prefix of ["svc_live_", "acme", "acme-live2", "_"]) {
    assert.equal(words.startOfKey(prefix + random), prefix + start);
  }
  assert.equal(words.startOfKey(`svc_live_${random.slice(0, -9)}`), `svc_live_${start}`, "a key that is not whole");
  assert.equal(words.startOfKey(`svc_live_${random} svc_live_${random}`), `svc_live_${start}`);
  for (const text of [
    "svc_live_a1B...",
    "",
    "Acme Zürich",
    "it@acme.example",
    "user_2NNEqL2nrIRdJ194ndJqAHwEfxC",
    "Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3A",
    "google-oauth2|103547991597142817347",
    "0b8c5a3e-41c4-4d7e-9b0a-0f6f5f0d9a11",
  ]) {
    assert.equal(words.startOfKey(text), text, "the id of an identity provider");
  }
  const long = "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ";
  assert.ok(long.startsWith(words.startOfKey(long)), "an id is found by its start");
});

test("a name is typed when it looks like the shown one", () => {
  for (const name of ["CI  deploy", " CI deploy", "CI\u00a0deploy", "CI\u200b deploy", "\u{ff23}I deploy"])
    assert.ok(words.isTyped("CI deploy ", name), JSON.stringify(name));
  assert.ok(words.isTyped("Caf\u00e9", "Cafe\u0301"));
  for (const typed of ["", "CI", "ci deploy", "CIdeploy"]) assert.ok(!words.isTyped(typed, "CI deploy"), typed);
});
