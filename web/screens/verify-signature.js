// Checks the signature of a webhook with a secret that the reader pastes. The secret stays in the page.

import { html, useEffect, useState } from "../vendor/preact.js";
import { addressOf } from "../lib/api.js";
import { rawPayload } from "../lib/raw.js";
import { useAction } from "../lib/resource.js";
import { signatureOf, signedContent } from "../lib/signature.js";
import { Code, ErrorPanel, TextField } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Attempt} Attempt */

/** @param {{ deliveryId: string, eventId: string, attempts: Attempt[] }} props */
export function VerifySignature({ deliveryId, eventId, attempts }) {
  const [body, setBody] = useState(/** @type {string | undefined} */ (undefined));
  const { run, failure } = useAction(async () =>
    setBody(await rawPayload(addressOf("findDelivery", { id: deliveryId }))),
  );
  const open = (/** @type {any} */ event) => event.target.open && body === undefined && run();
  return html`
    <section>
      <details class="ended" onToggle=${open}>
        <summary>Verify the signature</summary>
        <${ErrorPanel} failure=${failure} retry=${run} />
        ${body !== undefined && html`<${Check} eventId=${eventId} body=${body} attempt=${attempts.at(-1)} />`}
      </details>
    </section>
  `;
}

/** @param {{ eventId: string, body: string, attempt: Attempt | undefined }} props */
function Check({ eventId, body, attempt }) {
  const [secret, setSecret] = useState("");
  const [timestamp, setTimestamp] = useState(attempt ? String(Math.floor(Date.parse(attempt.startedAt) / 1000)) : "");
  const [given, setGiven] = useState("");
  const [expected, setExpected] = useState(/** @type {string | undefined} */ (undefined));
  const content = signedContent(eventId, timestamp.trim(), body);
  useEffect(() => {
    let isLatest = true;
    const text = crypto.subtle ? signatureOf(secret.trim(), content) : Promise.resolve(undefined);
    text.then((signature) => isLatest && setExpected(signature));
    return () => void (isLatest = false);
  }, [secret, content]);
  if (!crypto.subtle) return html`<p class="quiet">Browsers compute signatures only on pages with https.</p>`;
  return html`
    <p>Compare what your receiver got. The page computes the signature itself: the secret is not sent anywhere.</p>
    <div class="verify">
      <${TextField} label="Signing secret" followsValue type="password" spellcheck="false" value=${secret} set=${setSecret}
        fault=${secret.trim() && !expected ? "This is not a secret: the part after whsec_ is not base64." : undefined}
        hint="whsec_… as it was shown when it was made. It is forgotten when you leave the page." />
      <${TextField} label="webhook-timestamp" inputmode="numeric" value=${timestamp} set=${setTimestamp}
        hint="From your receiver's log. Filled in with the second in which the last attempt started." />
      <${TextField} label="webhook-signature" spellcheck="false" value=${given} set=${setGiven}
        hint="From your receiver's log. Optional: with it, the page says whether they match." />
    </div>
    <div role="status">${expected && given.trim() && html`<${Verdict} given=${given} expected=${expected} />`}</div>
    <h3>The signed content</h3>
    <${Code} text=${content} what="signed content" />
    ${expected && html`<h3>Its signature with this secret</h3><${Code} text=${expected} what="signature" isOneLine />`}
  `;
}

/** @param {{ given: string, expected: string }} props */
const Verdict = ({ given, expected }) =>
  given.split(/\s+/).includes(expected)
    ? html`<p class="verdict good">The signature is right: this secret signed this content.</p>`
    : html`<p class="verdict bad">No signature matches. Either the secret is another one, or the time or the body is not what was signed.</p>`;
