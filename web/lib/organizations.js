// The organizations of a user, loaded when there are some: the switcher, and the screen of an organization without the
// user.

import { html } from "../vendor/preact.js";
import { product } from "./brand.js";
import { addressFor, isNamed, kept, organization } from "./owner-shown.js";
import { Page } from "./ui.js";

/** @typedef {import("./api.js").Answer<"findCurrentSession">} Session */

const sheet = document.createElement("link");
sheet.rel = "stylesheet";
sheet.href = new URL("../styles/organizations.css", import.meta.url).href;
document.head.append(sheet);

if (organization) {
  document.title = document.title.replace(product.name, `${organization} · ${product.name}`);
  product.name = `${organization} · ${product.name}`;
}

// A link that is opened in another tab, or copied, leads to the same owner.
for (const event of /** @type {const} */ (["pointerdown", "auxclick", "click"])) {
  document.addEventListener(
    event,
    ({ target, button, ctrlKey, metaKey, shiftKey }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey;
      if (!isPlain && isNamed && link?.pathname.startsWith("/console/")) link.href = kept(link.pathname + link.search);
    },
    { capture: true },
  );
}

/** @param {{ session: Session }} props */
export function Switcher({ session }) {
  const ids = (session.organizations ?? []).map((one) => one.organizationId);
  return html`
    <details class="switcher" onKeyDown=${closeOnEscape}>
      <summary><span class="hidden">Shown: </span>${organization ? html`<span class="quiet">Organization</span> <strong>${organization}</strong>` : html`<span class="quiet">Your own</span> <strong>${session.user.subject}</strong>`}</summary>
      <nav aria-label="Whose keys and webhooks are shown"><ul>
        <li><a href=${addressFor("")} aria-current=${organization ? undefined : "true"}>${session.user.subject} <span class="quiet">your own</span></a></li>
        ${ids.map((id) => html`<li><a href=${addressFor(id)} aria-current=${id === organization ? "true" : undefined}>${id}</a></li>`)}
      </ul></nav>
    </details>
  `;
}

/** @param {any} event */
function closeOnEscape({ key, currentTarget }) {
  if (key !== "Escape") return;
  currentTarget.open = false;
  currentTarget.querySelector("summary").focus();
}

/** For an organization without the user, and for one that does not exist. */
export const NotMember = () => html`
  <${Page} title="You are not a member of this organization" lead=${organization}>
    <p>If you became a member a short time ago, sign in again.</p>
    <p><a class="button primary" href=${signInAgain()}>Sign in again</a></p>
    <p><a class="button" href=${addressFor("")}>Show your own keys and webhooks</a></p>
  <//>
`;

const signInAgain = () => `/console/login?next=${encodeURIComponent(location.pathname + location.search)}`;

/**
 * Asks the identity provider again for the user and the roles. A user who is signed in there returns to this screen at
 * once. Only the tab that the reader sees goes there, because a browser can complete one sign-in at a time. See decision
 * 129.
 */
export function renew() {
  const isSeen = document.visibilityState === "visible";
  if (isSeen) location.replace(signInAgain());
  else document.addEventListener("visibilitychange", () => location.reload(), { once: true });
}
