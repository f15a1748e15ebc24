/** The longest key that is checked. Gatepost has the same limit. */
const KEY_LENGTH_MAX = 512;

interface NodeCrypto {
  createHash(name: "sha256"): { update(text: string): { digest(encoding: "base64"): string } };
}

// Node, Deno and Bun have it, and Workers with `nodejs_compat`. An import would fail elsewhere.
const platform = globalThis as { process?: { getBuiltinModule?: (name: "node:crypto") => NodeCrypto | undefined } };
const node = platform.process?.getBuiltinModule?.("node:crypto");

/** Whether Gatepost would look this key up: 1 to 512 visible ASCII characters. */
export function isPlausible(key: string): boolean {
  return key.length <= KEY_LENGTH_MAX && /^[\x21-\x7e]+$/.test(key);
}

/** SHA-256 of a key, at once where the platform can. */
export function digestOf(key: string): string | Promise<string> {
  if (node) return node.createHash("sha256").update(key).digest("base64");
  const digest = crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return digest.then((bytes) => String.fromCharCode(...new Uint8Array(bytes)));
}
