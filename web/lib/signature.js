// Signatures of webhooks (Standard Webhooks 1.0), computed in the page. This file never calls the server.

/**
 * The signed text.
 * @param {string} id
 * @param {string} timestamp
 * @param {string} body
 */
export const signedContent = (id, timestamp, body) => `${id}.${timestamp}.${body}`;

/** @param {string} key */
export const isPublicKey = (key) => key.startsWith("whpk_");

/**
 * What a secret or a public key says of the signatures in a header; `undefined` if it is neither. A secret also gives its
 * signature. With a public key only `v1a` counts: everybody knows the key, and could compute a `v1` with it.
 * @param {string} key
 * @param {string} content
 * @param {string} given
 * @returns {Promise<{ isRight: boolean, signature?: string } | undefined>}
 */
export async function verdictOf(key, content, given) {
  const candidates = given.split(/\s+/);
  if (!isPublicKey(key)) {
    const signature = await signatureOf(key, content);
    return signature === undefined ? undefined : { signature, isRight: candidates.includes(signature) };
  }
  const raw = bytesOf(key.slice("whpk_".length));
  if (raw?.length !== 32) return undefined;
  const name = "Ed25519";
  const imported = await crypto.subtle.importKey("raw", raw, { name }, false, ["verify"]);
  for (const candidate of candidates) {
    const bytes = candidate.startsWith("v1a,") && bytesOf(candidate.slice("v1a,".length));
    if (bytes && (await crypto.subtle.verify(name, imported, bytes, new TextEncoder().encode(content)))) {
      return { isRight: true };
    }
  }
  return { isRight: false };
}

/**
 * The signature that the secret gives; `undefined` if the text is not a secret.
 * @param {string} secret
 * @param {string} content
 */
export async function signatureOf(secret, content) {
  const bytes = keyOf(secret);
  if (!bytes) return undefined;
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(content));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/** @param {string} secret */
function keyOf(secret) {
  if (secret === "" || isPublicKey(secret)) return undefined;
  return secret.startsWith("whsec_") ? bytesOf(secret.slice("whsec_".length)) : new TextEncoder().encode(secret);
}

/** @param {string} base64 */
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
