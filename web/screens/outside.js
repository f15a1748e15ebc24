// The screens for readers who are not signed in, and the one for addresses that lead nowhere.

import { html, useEffect } from "../vendor/preact.js";
import { Page } from "../lib/ui.js";

/** @param {{ title: string, children?: import("../lib/ui.js").Children }} props */
function Lone({ title, children }) {
  useEffect(() => {
    document.title = `${title} · Gatepost`;
  }, [title]);
  return html`
    <main class="lone">
      <p class="wordmark">Gatepost</p>
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
    <p>Manage your API keys and webhooks. You sign in at your identity provider; Gatepost has no password of yours.</p>
    <p><a class="button primary" href=${signInAt(next)}>Sign in</a></p>
    <p class="quiet">For programs there is <a href="/docs">the API</a>.</p>
  <//>
`;

export const SignedOut = () => html`
  <${Lone} title="You are signed out">
    <p>This browser has no session any more. Your API keys and webhooks keep working.</p>
    <p><a class="button primary" href=${signInAt("/console/")}>Sign in again</a></p>
  <//>
`;

export const NotFound = () => html`
  <${Page} title="This page does not exist" lead="The address may be mistyped, or what it showed was deleted.">
    <p><a class="button" href="/console/">Go to the start page</a></p>
  <//>
`;
