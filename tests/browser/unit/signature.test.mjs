import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { signatureOf, signedContent, verdictOf } from "../../../web/lib/signature.js";

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

test("a secret says whether its signature is one of those given", async () => {
  const signature = await signatureOf("a secret", content);
  assert.deepEqual(await verdictOf("a secret", content, `v1,other ${signature}`), { signature, isRight: true });
  assert.deepEqual(await verdictOf("a secret", content, "v1,other"), { signature, isRight: false });
  for (const wrong of ["", "whsec_not base64!", "whpk_AAAA", "whpk_!"]) {
    assert.equal(await verdictOf(wrong, content, signature), undefined, wrong);
  }
});

test("a public key verifies signatures v1a, and signs nothing", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url");
  const key = `whpk_${raw.toString("base64")}`;
  const signature = sign(null, Buffer.from(content), privateKey).toString("base64");
  const other = sign(null, Buffer.from("other"), privateKey).toString("base64");
  const right = async (given) => (await verdictOf(key, content, given)).isRight;
  assert.equal(await right(`v1a,${other} v1a,${signature}`), true);
  assert.equal(await right(`v1,AAAA  v1a,${signature}\n`), true);
  for (const wrong of ["", `v1a,${other}`, `v1,${signature}`, "v1a,!", "v1a,", signature]) {
    assert.equal(await right(wrong), false, wrong);
  }
  // Everybody knows the public key, and could sign so.
  for (const bytes of [raw, key]) {
    const forged = createHmac("sha256", bytes).update(content).digest("base64");
    assert.equal(await right(`v1,${forged} v1a,${forged}`), false);
  }
  assert.equal(await signatureOf(key, content), undefined);
});
