// Checks the signature of a webhook with a secret that the reader pastes, which stays in the page, or with a public key.

import { html, useEffect, useState } from "../vendor/preact.js";
import { addressOf } from "../lib/api.js";
import { rawPayload } from "../lib/raw.js";
import { useAction } from "../lib/resource.js";
import { isPublicKey, signedContent, verdictOf } from "../lib/signature.js";
import { TextField } from "../lib/fields.js";
import { Code, ErrorPanel } from "../lib/ui.js";

/** @typedef {import("../lib/api.js").Attempt} Attempt */

/** @param {{ deliveryId: string, eventId: string, attempts: Attempt[], publicKey: string | undefined }} props */
export function VerifySignature({ deliveryId, eventId, attempts, publicKey }) {
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
        ${body !== undefined && html`<${Check} eventId=${eventId} body=${body} attempt=${attempts.at(-1)} publicKey=${publicKey} />`}
      </details>
    </section>
  `;
}

/** @param {{ eventId: string, body: string, attempt: Attempt | undefined, publicKey: string | undefined }} props */
function Check({ eventId, body, attempt, publicKey = "" }) {
  const [typed, setTyped] = useState(/** @type {string | undefined} */ (undefined));
  const [timestamp, setTimestamp] = useState(attempt ? String(Math.floor(Date.parse(attempt.startedAt) / 1000)) : "");
  const [given, setGiven] = useState("");
  const [verdict, setVerdict] = useState(/** @type {Awaited<ReturnType<typeof verdictOf>>} */ (undefined));
  const [canVerify, setCanVerify] = useState(true);
  const key = (typed ?? publicKey).trim();
  const content = signedContent(eventId, timestamp.trim(), body);
  useEffect(() => {
    let isLatest = true;
    if (crypto.subtle) {
      verdictOf(key, content, given).then(
        (now) => isLatest && setVerdict(now),
        () => setCanVerify(false),
      );
    }
    return () => void (isLatest = false);
  }, [key, content, given]);
  if (!crypto.subtle) return html`<p class="quiet">Browsers compute signatures only on pages with https.</p>`;
  const fault = canVerify ? FAULTS[isPublicKey(key) ? "publicKey" : "secret"] : "This browser cannot verify Ed25519.";
  return html`
    <p>Compare what your receiver got. The page computes the signature itself: the secret is not sent anywhere.</p>
    <div class="verify">
      <${TextField} label="Secret or public key" followsValue type=${isPublicKey(key) ? "text" : "password"} spellcheck=${false}
        value=${typed ?? publicKey} set=${setTyped} fault=${key && !verdict ? fault : undefined}
        hint="whsec_… as it was shown when it was made, or whpk_… of the subscription. It is forgotten when you leave the page." />
      <${TextField} label="webhook-timestamp" inputmode="numeric" value=${timestamp} set=${setTimestamp}
        hint="From your receiver's log. Filled in with the second in which the last attempt started." />
      <${TextField} label="webhook-signature" spellcheck=${false} value=${given} set=${setGiven}
        hint="From your receiver's log. With it, the page says whether the signature is right." />
    </div>
    <div role="status">${verdict && given.trim() && html`<${Verdict} isRight=${verdict.isRight} isPublic=${isPublicKey(key)} />`}</div>
    <h3>The signed content</h3>
    <${Code} text=${content} what="signed content" />
    ${verdict?.signature && html`<h3>Its signature with this secret</h3><${Code} text=${verdict.signature} what="signature" isOneLine />`}
  `;
}

const FAULTS = {
  secret: "This is not a secret: the part after whsec_ is not base64.",
  publicKey: "This is not a public key: the part after whpk_ is not the base64 of 32 bytes.",
};

/** @param {{ isRight: boolean, isPublic: boolean }} props */
function Verdict({ isRight, isPublic }) {
  const [signer, version, what] = isPublic
    ? ["the private key of this public key", "signature v1a", "key"]
    : ["this secret", "signature", "secret"];
  return isRight
    ? html`<p class="verdict good">The signature is right: ${signer} signed this content.</p>`
    : html`<p class="verdict bad">No ${version} matches. Either the ${what} is another one, or the time or the body is not what was signed.</p>`;
}
