// The headers, the authentication and the client certificate of a subscription, in its forms. Values are secret: a form
// shows the names that are set, and keeps what is not typed again.

import { html } from "../vendor/preact.js";
import { Choice, Field, TextField, typed } from "../lib/fields.js";

/** @typedef {import("../lib/api.js").Subscription} Subscription */
/** @typedef {Record<"headers" | "kind" | "name" | "secret" | "tokenUrl" | "scope" | "audience" | "certificate" | "chain" | "key", string>} Options */

const KEPT = "kept";
const NEW = "new";

/** @type {[string, string][]} */
const KINDS = [
  ["", "None"],
  ["bearer", "A bearer token"],
  ["basic", "A user name and a password"],
  ["header", "A header"],
  ["oauth2", "OAuth 2.0 (client credentials)"],
];

/**
 * The names of the two fields of each kind, and the parts of the authentication that they set.
 * @type {Record<string, [[string, string] | undefined, [string, string]]>}
 */
const FIELDS_OF = {
  bearer: [undefined, ["Token", "token"]],
  basic: [
    ["User name", "username"],
    ["Password", "password"],
  ],
  header: [
    ["Name of the header", "name"],
    ["Value of the header", "value"],
  ],
  oauth2: [
    ["Client ID", "clientId"],
    ["Client secret", "clientSecret"],
  ],
};

/** What the form of a subscription begins with. @param {Partial<Subscription>} subscription @returns {Options} */
export const optionsOf = ({ headers = [], auth, clientCertificate }) => ({
  headers: headers.map(({ name }) => `${name}\n`).join(""),
  kind: auth ? KEPT : "",
  name: "",
  secret: "",
  tokenUrl: "",
  scope: "",
  audience: "",
  certificate: clientCertificate ? KEPT : "",
  chain: "",
  key: "",
});

/**
 * The fields of a creation or a change. A header with a name alone keeps its value, and one that is gone is removed.
 * @param {Options} options
 * @param {Partial<Subscription>} subscription
 */
export function wishOf({ headers, kind, name, secret, ...others }, { headers: shown = [], auth, clientCertificate }) {
  const { certificate, chain, key, ...token } = others;
  const lines = headers.split("\n").map((line) => line.trim());
  /** @type {[string, string][]} */
  const pairs = lines.filter(Boolean).map((line) => {
    const [first = "", ...value] = line.split(":");
    return [first.trim().toLowerCase(), value.join(":").trim()];
  });
  const before = shown.map((header) => header.name);
  const gone = before.filter((header) => !pairs.some(([given]) => given === header));
  const given = pairs.filter(([header, value]) => value !== "" || !before.includes(header));
  const changed = [...gone.map((header) => [header, null]), ...given];
  /** @type {Record<string, any>} */
  const kinds = {
    "": null,
    bearer: { type: "bearer", token: secret },
    basic: { type: "basic", username: name, password: secret },
    header: { type: "header", name, value: secret },
    oauth2: {
      ...{ type: "oauth2", tokenUrl: token.tokenUrl, clientId: name, clientSecret: secret },
      ...(token.scope !== "" && { scope: token.scope }),
      ...(token.audience !== "" && { audience: token.audience }),
    },
  };
  return {
    ...(changed.length > 0 && { headers: Object.fromEntries(changed) }),
    ...(kind !== KEPT && (kind !== "" || auth) && { auth: kinds[kind] }),
    ...(certificate === NEW && { clientCertificate: { chain, key } }),
    ...(certificate === "" && clientCertificate && { clientCertificate: null }),
  };
}

/** @param {string} shown @returns {[string, string]} */
const kept = (shown) => [KEPT, `As it is: ${shown}`];

/** @param {{ label: string, hint: string, value: string, set: (text: string) => void, fault: string | undefined }} props */
const Pem = ({ label, hint, value, set, fault }) => html`
  <${Field} label=${label} hint=${hint} fault=${fault}
    input=${(/** @type {object} */ attributes) =>
      html`<textarea rows="3" spellcheck=${false} autocomplete="off" value=${value} onInput=${typed(set)} ...${attributes}></textarea>`} />
`;

/**
 * @param {{ value: Options, set: (value: Options) => void, of: Partial<Subscription>,
 *   failure: import("../lib/api.js").Failure | undefined }} props
 */
export function RequestOptions({ value, set, of, failure }) {
  const put = (/** @type {keyof Options} */ name) => (/** @type {string} */ text) => set({ ...value, [name]: text });
  const [nameOf, secretOf] = FIELDS_OF[value.kind] ?? [];
  const isClient = value.kind === "oauth2";
  const faultOf = (/** @type {string} */ part) => failure?.fault(`auth.${part}`);
  const faultOfAll = failure?.problem.errors?.find(({ field }) => field === "auth")?.detail;
  const certificate = of.clientCertificate;
  const faultOfKey = failure?.fault("clientCertificate.key");
  /** @type {[string, string][]} */
  const certificates = [
    ...(certificate ? [kept(certificate.subject)] : []),
    ["", "None"],
    [NEW, "A certificate and its key"],
  ];
  const kinds = of.auth ? [kept(of.auth.type), ...KINDS] : KINDS;
  return html`
    <${Field} label="Headers" fault=${failure?.fault("headers")}
      hint="One in a line, such as “x-tenant: 42”. A name alone keeps its value, and a line that you delete removes the header."
      input=${(/** @type {object} */ attributes) =>
        html`<textarea rows="2" spellcheck=${false} value=${value.headers} onInput=${typed(put("headers"))} ...${attributes}></textarea>`} />
    <${Choice} label="Authentication" value=${value.kind} options=${kinds} onChange=${put("kind")}
      hint="A URL with another scheme, host or port removes headers, authentication and client certificate that are not set again." />
    ${isClient && html`<${TextField} label="Token URL" type="url" spellcheck=${false} value=${value.tokenUrl} set=${put("tokenUrl")} fault=${faultOf("tokenUrl")} />`}
    ${nameOf && html`<${TextField} label=${nameOf[0]} spellcheck=${false} value=${value.name} set=${put("name")} fault=${faultOf(nameOf[1])} />`}
    ${secretOf && html`<${TextField} label=${secretOf[0]} type="password" autocomplete="new-password" value=${value.secret} set=${put("secret")} fault=${faultOf(secretOf[1]) ?? faultOfAll} />`}
    ${isClient && html`<${TextField} label="Scope" hint="If the provider asks for one." spellcheck=${false} value=${value.scope} set=${put("scope")} fault=${faultOf("scope")} />`}
    ${isClient && html`<${TextField} label="Audience" hint="If the provider asks for one." spellcheck=${false} value=${value.audience} set=${put("audience")} fault=${faultOf("audience")} />`}
    <${Choice} label="Client certificate" value=${value.certificate} options=${certificates} onChange=${put("certificate")}
      hint="For a receiver that asks for one (mTLS)." />
    ${value.certificate === NEW && html`<${Pem} label="Certificates" hint="In PEM, the client’s first." value=${value.chain} set=${put("chain")} fault=${faultOfKey ? undefined : failure?.fault("clientCertificate")} />`}
    ${value.certificate === NEW && html`<${Pem} label="Private key" hint="In PEM, not encrypted." value=${value.key} set=${put("key")} fault=${faultOfKey} />`}
  `;
}
