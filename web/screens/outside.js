// The screens for readers who are not signed in, and the screen for unknown addresses.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { keepReturnUrl, PORTAL, product, returnUrl, useBrand, VISIT } from "../lib/brand.js";
import { Page } from "../lib/ui.js";

/** @param {{ title: string, isPortal?: boolean, children?: import("../lib/ui.js").Children }} props */
function Lone({ title, isPortal = false, children }) {
  const brand = useBrand(isPortal);
  const name = isPortal ? (brand?.name ?? PORTAL) : product.name;
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  return html`
    <main class="lone">
      <p class="wordmark">${name}</p>
      <h1>${title}</h1>
      ${children}
    </main>
  `;
}

/** @param {string} next */
const signInAt = (next) => `/console/login?next=${encodeURIComponent(next)}`;

/** @param {{ next: string }} props */
export const SignIn = ({ next }) => html`
  <${Lone} title="Sign in">
    <p>Manage your API keys and webhooks. You sign in at your identity provider; no password of yours is kept here.</p>
    <p><a class="button primary" href=${signInAt(next)}>Sign in</a></p>
    <p class="quiet">For programs there is <a href="/docs">the API</a>.</p>
  <//>
`;

export const SignedOut = () =>
  location.search === VISIT
    ? html`<${VisitOver} title="You are signed out" />`
    : html`
  <${Lone} title="You are signed out">
    <p>This browser has no session any more. Your API keys and webhooks keep working.</p>
    <p><a class="button primary" href=${signInAt("/console/")}>Sign in again</a></p>
  <//>
`;

/** Visitors have no account here. @param {{ title?: string }} props */
export const VisitOver = ({ title = "Your visit is over" }) => html`
  <${Lone} title=${title} isPortal>
    <p>To come back, follow the link of the application that sent you here.</p>
    ${returnUrl() && html`<p><a class="button primary" href=${returnUrl()}>Go back</a></p>`}
  <//>
`;

/** The screen that a link of the host application opens. Its fragment is a code that works once. */
export function Portal() {
  const [isSpent, setSpent] = useState(false);
  useEffect(() => {
    const code = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    call("beginVisit", { body: { code } }).then(enter, () => setSpent(true));
  }, []);
  if (!isSpent) return html`<${Lone} title="One moment…" isPortal />`;
  return html`
    <${Lone} title="This link does not work any more" isPortal>
      <p>A link opens the console once, for five minutes. Go back to the application that sent you here, and follow its
        link again.</p>
      <p>If you have an account here, you can <a href=${signInAt("/console/")}>sign in</a>.</p>
    <//>
  `;
}

/** @param {{ returnUrl?: string }} visit */
function enter({ returnUrl: url }) {
  if (url) keepReturnUrl(url);
  location.replace("/console/");
}

export const NotFound = () => html`
  <${Page} title="This page does not exist" lead="The address may be mistyped, or what it showed was deleted.">
    <p><a class="button" href="/console/">Go to the start page</a></p>
  <//>
`;

export const Forbidden = () => html`
  <${Page} title="This page is for operators" lead="You are signed in, but not as an operator.">
    <p>The role comes from your identity provider or from the settings of this service, and is fixed when you sign in. If you
      should have it, ask the people who run it, then sign out and sign in again.</p>
    <p><a class="button" href="/console/">Go to the start page</a></p>
  <//>
`;
