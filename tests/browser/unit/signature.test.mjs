import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { signatureOf, signedContent } from "../../../web/lib/signature.js";

const content = signedContent("evt_1", "1700000000", '{"id":"evt_1","text":"grüß"}');

test("the id, the time and the body are signed", () => {
  assert.equal(content, 'evt_1.1700000000.{"id":"evt_1","text":"grüß"}');
});

test("a secret is the base64 behind its prefix, and any other text is its bytes", async () => {
  const key = Buffer.alloc(32, 7);
  const expected = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  assert.equal(await signatureOf(`whsec_${key.toString("base64")}`, content), expected);
  const ofText = `v1,${createHmac("sha256", "a secret").update(content).digest("base64")}`;
  assert.equal(await signatureOf("a secret", content), ofText);
});

test("what is not a secret signs nothing", async () => {
  assert.equal(await signatureOf("whsec_not base64!", content), undefined);
  assert.equal(await signatureOf("", content), undefined);
});
