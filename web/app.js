// The frame of the console: the session, the navigation, and the screen that the address names.

import { html, render, useEffect, useState } from "./vendor/preact.js";
import { call, Failure, SESSION_OVER } from "./lib/api.js";
import { PORTAL as PORTAL_NAME, product, returnUrl, useBrand, VISIT } from "./lib/brand.js";
import { forget } from "./lib/cache.js";
import { isFramed, measure } from "./lib/frame.js";
import { addressFor, isNamed, kept, organization } from "./lib/owner-shown.js";
import { hold, may } from "./lib/rights.js";
import { followLinks, match, navigate, release, useAddress } from "./lib/router.js";
import { Part, Screen } from "./lib/screen.js";
import { useShortcuts } from "./lib/shortcuts.js";
import { ErrorPanel, Loading, SessionOver } from "./lib/ui.js";

/** @typedef {import("./lib/router.js").Route} Route */
/** @typedef {import("./lib/api.js").Answer<"findCurrentSession">} Session */

/** The screen at this path of a user, and of an organization. @param {string} path @param {Route["load"]} load @returns {Route[]} */
const ofOwner = (path, load) =>
  ["users/:userId", "organizations/:organizationId"].map((owner) => ({
    pattern: `/console/operator/${owner}${path}`,
    right: "operator",
    load,
  }));

/** @type {Route[]} */
const ROUTES = [
  { pattern: "/console", load: () => import("./screens/home.js") },
  { pattern: "/console/keys", load: () => import("./screens/keys.js") },
  { pattern: "/console/keys/:id", load: () => import("./screens/key.js") },
  { pattern: "/console/subscriptions", load: () => import("./screens/subscriptions.js") },
  { pattern: "/console/subscriptions/:id", load: () => import("./screens/subscription.js") },
  { pattern: "/console/deliveries", load: () => import("./screens/deliveries.js") },
  { pattern: "/console/deliveries/:id", load: () => import("./screens/delivery.js") },
  { pattern: "/console/sessions", load: () => import("./screens/sessions.js") },
  { pattern: "/console/audit", load: () => import("./screens/audit.js") },
  { pattern: "/console/operator", right: "operator", load: () => import("./screens/operator-overview.js") },
  { pattern: "/console/operator/users", right: "operator", load: () => import("./screens/operator-owners.js") },
  ...ofOwner("", () => import("./screens/operator-owner.js")),
  ...ofOwner("/subscriptions/:id", () => import("./screens/operator-subscription.js")),
  ...ofOwner("/deliveries/:id", () => import("./screens/operator-delivery.js")),
  { pattern: "/console/operator/events", right: "operator", load: () => import("./screens/operator-events.js") },
  { pattern: "/console/operator/events/:id", right: "operator", load: () => import("./screens/operator-event.js") },
  { pattern: "/console/operator/audit", right: "operator", load: () => import("./screens/operator-audit.js") },
];
/** @typedef {typeof import("./screens/outside.js")} Outside */

/** A screen that is rarely shown. @param {keyof Outside} name @returns {Route} */
const outside = (name) => ({
  pattern: "",
  load: async () => ({ default: (await import("./screens/outside.js"))[name] }),
});
/** A part of the page for a user in organizations. @param {"Switcher" | "NotMember"} name @returns {Route} */
const ofOrganizations = (name) => ({
  pattern: "",
  load: async () => ({ default: (await import("./lib/organizations.js"))[name] }),
});
const [SIGN_IN, SIGNED_OUT_PAGE, PORTAL_PAGE] = [outside("SignIn"), outside("SignedOut"), outside("Portal")];
const [VISIT_OVER, NOT_FOUND, FORBIDDEN] = [outside("VisitOver"), outside("NotFound"), outside("Forbidden")];
/** @type {Route} */
const HELP = { pattern: "", load: () => import("./lib/help.js") };
/** @type {Route} */
const PALETTE = { pattern: "", load: () => import("./lib/palette.js") };
const [SWITCHER, NOT_MEMBER] = [ofOrganizations("Switcher"), ofOrganizations("NotMember")];
const SIGNED_OUT = "/console/signed-out";
const PORTAL = "/console/portal";

/** @typedef {import("./lib/rights.js").Right} Right */
/** @type {[string, string, string, Right?][]} */
const NAVIGATION = [
  ["/console/", "Home", "M2.5 7.5 8 3l5.5 4.5V13h-4v-3.5h-3V13h-4z"],
  ["/console/keys", "Keys", "M5.5 7.5a3 3 0 1 1 2.2 2.9L6.5 11.5H5V13H2.5v-2.5L5.6 8M10 6h.01", "keys:read"],
  [
    "/console/subscriptions",
    "Subscriptions",
    "M5 11.5a2.5 2.5 0 1 1-1-4.8M6.5 5.5a2.5 2.5 0 1 1 4 2L8.7 5M9 11.5h2.5M4.5 9.5 7 6",
    "webhooks:read",
  ],
  ["/console/deliveries", "Deliveries", "M2.5 4h11v8h-11zM2.5 4.5 8 9l5.5-4.5", "webhooks:read"],
  ["/console/sessions", "Sessions", "M2.5 3.5h11v7h-11zM5.5 13h5M8 10.5V13", "sessions"],
  ["/console/audit", "Audit log", "M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5", "audit"],
];

/** @type {[string, string, string][]} */
const OPERATOR_NAVIGATION = [
  ["/console/operator", "Overview", "M2.5 13V8M6.2 13V3M9.8 13V6.5M13.5 13v-3"],
  ["/console/operator/users", "Owners", "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M3 13.5c.4-2.7 2.4-4 5-4s4.6 1.3 5 4"],
  ["/console/operator/events", "Events", "M8.5 2.5 4 9h3.5l-.5 4.5L12 7H8z"],
  ["/console/operator/audit", "All changes", "M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5"],
];

/**
 * When the session has ended, the screen stays.
 * @typedef {{ session?: Session, failure?: Failure, over?: Failure }} Known
 */

/** The fields in which the reader has typed. */
const typedIn = new WeakSet();
document.addEventListener("input", ({ target }) => target && typedIn.add(target));

/** Whether the reader would lose data with the screen: a dialog, which may show a key once, or typed text. */
const hasDraft = () =>
  document.querySelector("dialog[open]") !== null ||
  [...document.querySelectorAll("input, textarea")].some(
    (field) => typedIn.has(field) && /** @type {any} */ (field).value !== "",
  );

/**
 * The user whose data this page has read, and the rights. The user may sign in again, and keeps the typed text.
 * @type {{ user: string, rights: string } | undefined}
 */
let reader;

/**
 * Reads the session. If it is of another user than the data of this page, the page starts again. With other rights, it
 * starts again once nothing would be lost.
 * @returns {Promise<Known>}
 */
async function readSession() {
  try {
    const session = await call("findCurrentSession");
    const { issuer, subject, organizationId = "" } = session.user;
    const { defaultOrganizationId } = session;
    if (defaultOrganizationId && !isNamed) {
      location.replace(addressFor(defaultOrganizationId, location.pathname + location.search));
      return {};
    }
    const now = { user: [issuer, subject, organizationId].join(" "), rights: hold(session).join(" ") };
    reader ??= now;
    if (reader.user === now.user && (reader.rights === now.rights || hasDraft())) return { session };
    release();
    location.reload();
    return {};
  } catch (error) {
    return error instanceof Failure && error.isOver ? { over: error } : { failure: /** @type {Failure} */ (error) };
  }
}

function useSession() {
  const [known, setKnown] = useState(/** @type {Known} */ ({}));
  useEffect(() => {
    const end = (/** @type {any} */ { detail: over }) => {
      if (hasDraft()) return setKnown(({ session }) => ({ session, over }));
      forget();
      if (over.problem.status === 401) setKnown({ over });
      else import("./lib/organizations.js").then(({ renew }) => renew());
    };
    // Another tab may have signed in another user.
    const look = () => {
      if (document.visibilityState === "visible") readSession().then(({ session }) => session && setKnown({ session }));
    };
    window.addEventListener(SESSION_OVER, end);
    document.addEventListener("visibilitychange", look);
    readSession().then(setKnown);
    return () => {
      window.removeEventListener(SESSION_OVER, end);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return known;
}

function Console() {
  const address = useAddress();
  const { session, failure, over } = useSession();
  if (address.pathname === SIGNED_OUT) return html`<${Screen} route=${SIGNED_OUT_PAGE} />`;
  if (address.pathname === PORTAL) return html`<${Screen} route=${PORTAL_PAGE} />`;
  if (over && !session && (product.isPortal || isFramed)) return html`<${Screen} route=${VISIT_OVER} />`;
  if (over && !session)
    return html`<${Screen} route=${SIGN_IN} parameters=${{ next: address.pathname + address.search }} />`;
  if (failure) {
    return html`<main class="lone"><h1>${product.name}</h1><${ErrorPanel} failure=${failure} retry=${() => location.reload()} /></main>`;
  }
  if (!session) return html`<main class="lone"><${Loading} /></main>`;
  return html`<${Frame} session=${session} over=${over} path=${address.pathname} />`;
}

/** @param {{ session: Session, over?: Failure, path: string }} props */
function Frame({ session, over, path }) {
  const { isHelpOpen, setHelpOpen, isPaletteOpen, setPaletteOpen } = useShortcuts();
  const isVisitor = session.role === "visitor";
  const brand = useBrand(isVisitor);
  const found = match(ROUTES, path);
  const allowed = !found?.route.right || may(found.route.right);
  const isMember = !organization || session.organizations?.some((one) => one.organizationId === organization);
  const shown = NAVIGATION.filter(([, , , right]) => !right || may(right));
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="side">
      <a class="brand" href="/console/">${brand?.logo ? html`<img class="logo" src=${brand.logo} alt="" />` : !isVisitor && html`<${Mark} />`}${brand?.name ?? (isVisitor ? PORTAL_NAME : "Gatepost")}</a>
      ${session.organizations && html`<${Part} route=${SWITCHER} parameters=${{ session }} />`}
      <nav aria-label="Screens"><ul>${shown.map((item) => html`<${NavItem} item=${item} path=${path} />`)}</ul></nav>
      ${
        may("operator") &&
        html`<nav aria-label="Operator"><p class="nav-title">Operator</p>
        <ul>${OPERATOR_NAVIGATION.map((item) => html`<${NavItem} item=${item} path=${path} />`)}</ul></nav>`
      }
      <div class="account">
        <p class="who" title=${session.user.issuer}>
          <span class="quiet">Signed in as</span> <strong>${session.user.subject}</strong>
        </p>
        ${returnUrl() && html`<p><a href=${returnUrl()}>Go back</a></p>`}
        ${
          isVisitor
            ? html`<button type="button" onClick=${endVisit}>Sign out</button>`
            : html`<form method="post" action="/console/logout"><button type="submit">Sign out</button></form>`
        }
        <p class="small">
          ${!isVisitor && html`<a href="/docs">API</a>`}
          <button type="button" class="link" onClick=${() => setPaletteOpen(true)}>Go to…</button>
          <button type="button" class="link" onClick=${() => setHelpOpen(true)}>Keyboard</button>
        </p>
      </div>
    </header>
    <main id="main">
      ${over && html`<div class="error" role="alert"><${SessionOver} failure=${over} /></div>`}
      ${!found && html`<${Screen} route=${NOT_FOUND} />`}
      ${found && !allowed && html`<${Screen} route=${FORBIDDEN} />`}
      ${found && allowed && !isMember && html`<${Screen} route=${NOT_MEMBER} />`}
      ${found && allowed && isMember && html`<${Screen} key=${path} route=${found.route} parameters=${found.parameters} />`}
    </main>
    ${isPaletteOpen && html`<${Part} route=${PALETTE} parameters=${{ places: placesOf(shown), onClose: () => setPaletteOpen(false) }} />`}
    ${isHelpOpen && html`<${Part} route=${HELP} parameters=${{ onClose: () => setHelpOpen(false) }} />`}
  `;
}

/** The screens that the reader may open. @param {[string, string, string, Right?][]} shown @returns {[string, string][]} */
const placesOf = (shown) =>
  [...shown, ...(may("operator") ? OPERATOR_NAVIGATION : [])].map(([href, text]) => [href, text]);

/** Visitors have no session at the provider. */
async function endVisit() {
  await call("endCurrentSession").catch(() => undefined);
  location.assign(SIGNED_OUT + VISIT);
}

const Mark = () => html`
  <svg viewBox="0 0 32 32" aria-hidden="true" class="mark">
    <rect width="32" height="32" rx="7" /><path d="M10 26V10l4-4 4 4v16z" /><path class="rails" d="M18 13h7m-7 5h7" />
  </svg>
`;

/** @param {{ item: [string, string, string, Right?], path: string }} props */
function NavItem({ item: [href, text, icon], path }) {
  const isStart = href === "/console/" || href === "/console/operator";
  const page = path.replace("/operator/organizations", "/operator/users");
  const isHere = isStart ? path.replace(/\/$/, "") === href.replace(/\/$/, "") : page.startsWith(href);
  return html`
    <li>
      <a href=${kept(href)} aria-current=${isHere ? "page" : undefined}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${icon} /></svg>${text}
      </a>
    </li>
  `;
}

const root = document.getElementById("console");
if (root) {
  if (location.pathname === "/console") navigate("/console/", { replace: true });
  followLinks(ROUTES);
  document.documentElement.classList.toggle("framed", isFramed);
  measure(root);
  // `render` keeps existing elements.
  root.replaceChildren();
  render(html`<${Console} /><div id="announcements" class="hidden" aria-live="polite"></div>`, root);
}
