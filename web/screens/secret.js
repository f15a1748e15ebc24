// What signs the webhooks of a subscription from now on, and the next steps with it.

import { html } from "../vendor/preact.js";
import { Snippets } from "../lib/snippet-tabs.js";
import { verificationWith } from "../lib/snippets.js";
import { Code } from "../lib/ui.js";

/** The new secret, the new public key or both. @param {{ answer: import("../lib/api.js").Answer<"rotateSecret"> }} props */
export const NewSigner = ({ answer: { subscription, secret } }) => html`
  ${secret && html`<${NewSecret} secret=${secret} />`}
  ${subscription.signing && subscription.signing !== "hmac" && html`<${PublicKeys} keys=${subscription.publicKeys?.slice(0, 1)} />`}
`;

/** @param {{ keys: string[] | undefined }} props */
const PublicKeys = ({ keys = [] }) => html`
  <p class="notice">This public key verifies the signatures <code>v1a</code> of your webhooks. It is not secret, and the subscription shows it.</p>
  ${keys.map((key) => html`<${Code} text=${key} what="public key" isOneLine />`)}
`;

/** @param {{ secret: string }} props */
const NewSecret = ({ secret }) => html`
  <p class="notice">This secret signs your webhooks. Copy it now: it is not shown again.</p>
  <${Code} text=${secret} what="secret" isOneLine />
  <${Snippets} snippets=${verificationWith(secret)} label="Verify a webhook" />
`;
