// Signatures of webhooks (Standard Webhooks 1.0), computed in the page. This file never calls the server.

/**
 * The signed text.
 * @param {string} id
 * @param {string} timestamp
 * @param {string} body
 */
export const signedContent = (id, timestamp, body) => `${id}.${timestamp}.${body}`;

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
  if (!secret.startsWith("whsec_")) return secret ? new TextEncoder().encode(secret) : undefined;
  try {
    return Uint8Array.from(atob(secret.slice("whsec_".length)), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
