// A new signing secret, and the next steps with it.

import { html } from "../vendor/preact.js";
import { Snippets } from "../lib/snippet-tabs.js";
import { verificationWith } from "../lib/snippets.js";
import { Code } from "../lib/ui.js";

/** @param {{ secret: string }} props */
export const NewSecret = ({ secret }) => html`
  <p class="notice">This secret signs your webhooks. Copy it now: it is not shown again.</p>
  <${Code} text=${secret} what="secret" isOneLine />
  <${Snippets} snippets=${verificationWith(secret)} label="Verify a webhook" />
`;
