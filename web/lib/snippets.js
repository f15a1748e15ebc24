// Code to paste: calls with a key, the check of a signature, a delivery as curl.

import { addressOf } from "./api.js";
import { product } from "./brand.js";

const origin = () => location.origin;

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A call with a key, in four languages.
 * @param {string} key
 * @returns {Record<string, string>}
 */
export const callsWith = (key) => ({
  curl: `curl -sS ${origin()}/api/whoami -H 'x-api-key: ${key}'`,
  JavaScript: `const response = await fetch("${origin()}/api/whoami", {
  headers: { "x-api-key": "${key}" },
});
console.log(await response.json());`,
  Python: `import json, urllib.request

request = urllib.request.Request(
    "${origin()}/api/whoami", headers={"x-api-key": "${key}"}
)
print(json.load(urllib.request.urlopen(request)))`,
  Rust: `let caller: serde_json::Value = reqwest::Client::new()
    .get("${origin()}/api/whoami")
    .header("x-api-key", "${key}")
    .send().await?
    .json().await?;`,
});

/** The address of a call, quoted if a shell would read it otherwise. @param {import("./api.js").Operation} operation */
const at = (operation) => {
  const address = origin() + addressOf(operation);
  return address.includes("?") ? quoted(address) : address;
};

export const createKeyCurl = () => `curl -sS ${at("createApiKey")} -H "Authorization: Bearer $ID_TOKEN" \\
  -H 'Content-Type: application/json' -d '{"label":"CI deploy"}'`;

export const subscribeCurl = () => `curl -sS ${origin()}/api/webhooks/subscriptions -H "x-api-key: $API_KEY" \\
  -H 'Content-Type: application/json' -d '{"url":"https://example.com/hooks","events":["*"]}'`;

/** Fetches the events of a subscription that is pulled. Visitors have no command of Gatepost's. @param {string} id */
export const pullCommand = (id) =>
  product.isPortal
    ? `curl -sS -X POST ${origin()}/api/webhooks/subscriptions/${id}/consumers/default/receive -H "x-api-key: $API_KEY"`
    : `gatepost pull ${id}`;

export const deliveriesCurl = () => `curl -sS ${origin()}/api/webhooks/deliveries -H "x-api-key: $API_KEY"`;

/**
 * Sends a delivery again from a terminal, with a fresh signature if there is a secret, which the reader fills in.
 * @param {string} url
 * @param {{ id: string, payload?: unknown }} event
 * @param {boolean} isSigned
 */
export function deliveryCurl(url, { id, payload }, isSigned) {
  const sign = `KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
SIGNATURE=$(printf %s "$ID.$AT.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
`;
  return `${isSigned ? "SECRET='whsec_...'\n" : ""}ID=${quoted(id)} AT=$(date +%s) BODY=${quoted(JSON.stringify(payload))}
${isSigned ? sign : ""}curl -sS -i ${quoted(url)} -H 'Content-Type: application/json' -H "webhook-id: $ID" \\
  -H "webhook-timestamp: $AT"${isSigned ? ' -H "webhook-signature: v1,$SIGNATURE"' : ""} --data-raw "$BODY"`;
}

/**
 * Verifies a webhook, in two languages.
 * @param {string} secret
 * @returns {Record<string, string>}
 */
export const verificationWith = (secret) => ({
  JavaScript: `// npm install standardwebhooks
import { Webhook } from "standardwebhooks";

const webhook = new Webhook("${secret}");
// body: the request's body as it arrived, before any JSON parser
const event = webhook.verify(body, request.headers);`,
  Python: `# pip install standardwebhooks
from standardwebhooks.webhooks import Webhook

webhook = Webhook("${secret}")
# body: the request's body as it arrived, before any JSON parser
event = webhook.verify(body, request.headers)`,
});
