// The parts of screens.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { product } from "./brand.js";
import { copy, COPY_KEYS } from "./clipboard.js";
import { useDraft } from "./draft.js";
import { measure, placeInFrame } from "./frame.js";
import { hold, isReturn } from "./router.js";
import { exact, inWords } from "./time.js";

/** @typedef {import("../vendor/preact.js").ComponentChildren} Children */
/** @typedef {import("./api.js").Failure} Failure */

/** The shortest time between two announcements, in milliseconds. */
const SPEAK_EVERY = 5000;
/** @type {{ text: string, timer: number | undefined, spoken: number }} */
const speech = { text: "", timer: undefined, spoken: -SPEAK_EVERY };

/**
 * Says something to screen readers, at most every five seconds: later words replace earlier ones.
 * @param {string} text
 */
export function announce(text) {
  speech.text = text;
  if (speech.timer !== undefined) return;
  const wait = Math.max(0, speech.spoken + SPEAK_EVERY - performance.now());
  speech.timer = window.setTimeout(() => {
    const region = document.getElementById("announcements");
    if (region) region.textContent = speech.text;
    speech.timer = undefined;
    speech.spoken = performance.now();
  }, wait);
}

/** Says the result of an action whose button is going. The focus moves to the title. @param {string} text */
export function conclude(text) {
  document.querySelector("h1")?.focus({ preventScroll: true });
  announce(text);
}

let isFirstScreen = true;

/**
 * A screen: its title, its purpose, its main action, and its content. The title gets the focus when the screen
 * changes, so that a screen reader announces it. It gets it before the browser draws the screen: later it
 * would take the focus from a field in which the reader types already.
 * @param {{ title: string, lead?: Children, actions?: Children, up?: { href: string, text: string }, children?: Children }} props
 */
export function Page({ title, lead, actions, up, children }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useLayoutEffect(() => {
    document.title = `${title} · ${product.name}`;
  }, [title]);
  useLayoutEffect(() => {
    if (!isFirstScreen) heading.current?.focus({ preventScroll: isReturn() });
    isFirstScreen = false;
  }, []);
  return html`
    <header class="page-head">
      <div>
        ${up && html`<p class="up"><a href=${up.href}>${up.text}</a></p>`}
        <h1 ref=${heading} tabindex="-1">${title}</h1>
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  `;
}

/**
 * The error, its remedy, and the id under which the log has it. Faults that the `fields` of a form show are not
 * repeated.
 * @param {{ failure: Failure | undefined, retry?: () => void, fields?: string[] }} props
 */
export function ErrorPanel({ failure, retry, fields = [] }) {
  if (!failure) return null;
  const { title, detail, type, errors, faults: broken, requestId } = failure.problem;
  const faults = failure.faultsBeside(fields);
  return html`
    <div class="error" role="alert">
      ${failure.isOver ? html`<${SessionOver} failure=${failure} />` : html`<p class="error-title">${title}</p>`}
      ${!failure.isOver && detail && !errors?.length && html`<p>${detail}</p>`}
      ${faults.length > 0 && html`<ul>${faults.map((fault) => html`<li><code>${fault.field}</code> ${fault.detail}</li>`)}</ul>`}
      ${broken && html`<ul>${broken.map((fault) => html`<li><code>${fault.pointer || "/"}</code> ${fault.message}</li>`)}</ul>`}
      <p class="error-foot">
        ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
        ${type && !product.isPortal && html`<a href=${type}>How to fix this</a>`}
        ${requestId && html`<span>Request <code>${requestId}</code></span>`}
      </p>
    </div>
  `;
}

/** The screen stays when the session ends, to keep the typed text. @param {{ failure: Failure }} props */
export const SessionOver = ({ failure: { problem } }) => html`
  <p class="error-title">${problem.status === 401 ? "Your session is over" : problem.title}</p>
  <p>What you typed stays here. ${product.isPortal ? "Follow the link of your application again in another tab" : html`<a href="/console/login?next=/console/" target="_blank" rel="noopener">Sign in in another tab</a>`}, then go on.</p>
`;

/**
 * An empty list: its future content, the next step, and the same step from a terminal.
 * @param {{ title: string, curl?: string | false, action?: Children, children?: Children }} props
 */
export function Empty({ title, curl, action, children }) {
  return html`
    <section class="empty">
      <h2>${title}</h2>
      ${children}
      ${action && html`<p>${action}</p>`}
      ${curl && html`<details><summary>Do it from a terminal</summary><${Code} text=${curl} what="command" /></details>`}
    </section>
  `;
}

/** Placeholders of rows that are being read. */
export function Loading() {
  return html`<div class="loading" role="status"><span class="quiet">Loading…</span></div>`;
}

/** @typedef {"good" | "bad" | "warn" | "info" | "off"} Tone */

/**
 * A state in one word. Each tone has its own shape too, for readers who do not see the colour.
 * @param {{ tone: Tone, children?: Children }} props
 */
export const Badge = ({ tone, children }) => html`<span class="badge ${tone}">${children}</span>`;

/**
 * A time in words, with the exact one on hover.
 * @param {{ at: string | null | undefined, never?: string }} props
 */
export function When({ at, never = "never" }) {
  useTick();
  if (!at) return html`<span class="quiet">${never}</span>`;
  return html`<time datetime=${at} title=${exact(at)}>${inWords(at)}</time>`;
}

/**
 * The time at which an attempt is due. An overdue attempt waits for its turn, or for its receiver.
 * @param {{ at: string | null | undefined, isExact?: boolean, isOrdered?: boolean }} props
 */
export function Due({ at, isExact = false, isOrdered = false }) {
  useTick();
  if (at && Date.parse(at) <= Date.now()) return html`<span>${isOrdered ? "in its turn" : "due now"}</span>`;
  return isExact ? html`<${WhenExactly} at=${at} never="–" />` : html`<${When} at=${at} never="–" />`;
}

/**
 * A time in words and exact.
 * @param {{ at: string | null | undefined, never?: string }} props
 */
export const WhenExactly = ({ at, never }) =>
  html`<${When} at=${at} never=${never} />${at && html` <span class="quiet exact">${exact(at)}</span>`}`;

/** The functions that run every half minute, so that times in words stay true. They share one timer. */
const ticking = new Set(/** @type {(() => void)[]} */ ([]));
window.setInterval(() => ticking.forEach((tick) => tick()), 30_000);

function useTick() {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const tick = () => setTurn((turn) => turn + 1);
    ticking.add(tick);
    return () => void ticking.delete(tick);
  }, []);
}

/**
 * Copies the text. A browser that refuses leaves it selected: in `shown`, or below the button.
 * @param {{ text: string, label?: string, what?: string, shown?: { current: HTMLElement | null } }} props
 */
export function CopyButton({ text, label = "Copy", what = "", shown }) {
  const [state, setState] = useState(/** @type {"" | "copied" | "selected"} */ (""));
  const own = useRef(/** @type {HTMLElement | null} */ (null));
  const run = async () => {
    const isCopied = await copy(text, (shown ?? own).current);
    setState(isCopied ? "copied" : "selected");
    announce(isCopied ? "Copied" : SELECTED);
    if (isCopied) window.setTimeout(() => setState(""), 2000);
  };
  useLayoutEffect(() => {
    if (state === "selected" && own.current) getSelection()?.selectAllChildren(own.current);
  }, [state]);
  const name = { "": label, copied: "Copied", selected: SELECTED }[state];
  return html`
    <button type="button" class="copy" onClick=${run}>${name}${what && html`<span class="hidden"> the ${what}</span>`}</button>
    ${!shown && html`<pre class=${state === "selected" ? "plain" : "hidden"} aria-hidden=${state === "selected" ? undefined : "true"}><code ref=${own}>${text}</code></pre>`}
  `;
}

const SELECTED = `Selected: press ${COPY_KEYS}`;

/**
 * A string to read and to copy.
 * @param {{ text: string, what: string, isOneLine?: boolean }} props
 */
export function Code({ text, what, isOneLine = false }) {
  const shown = useRef(/** @type {HTMLElement | null} */ (null));
  return html`
    <div class=${isOneLine ? "code one-line" : "code"}>
      <pre><code ref=${shown}>${text}</code></pre>
      <${CopyButton} text=${text} what=${what} shown=${shown} />
    </div>
  `;
}

/** The element that opened the dialog, until it gets the focus back. Another dialog may follow before that. */
let opener = /** @type {Element | null} */ (null);

/**
 * A dialog over the page. The browser keeps the focus in it, and gives it back when it closes. A dialog with typed text
 * asks before it closes. With `done`, the dialog shows a result, and one button. A string is the name of a secret that is
 * shown once: then only that button closes the dialog, and Escape and links move to it.
 * @param {{ title: string, onClose: () => void, done?: boolean | string, children?: Children }} props
 */
export function Dialog({ title, onClose, done, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useState(() => (opener ??= document.activeElement));
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const input = dialog.current?.querySelector("form input") ?? dialog.current?.querySelector("form select");
    if (input instanceof HTMLElement) input.focus();
    const release = measure(dialog.current);
    placeInFrame(dialog.current, opener);
    return () => {
      release();
      giveBack();
    };
  }, []);
  const doneButton = useRef(/** @type {HTMLButtonElement | null} */ (null));
  // The button that led here is gone, and had the focus.
  useLayoutEffect(() => void (done && dialog.current?.querySelector("button")?.focus()), [done]);
  // The answer of an action that runs may have a secret that is shown once.
  const isRunning = () => dialog.current?.querySelector(".form-foot [aria-disabled=true]");
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    if (isRunning()) return;
    if (draft.has() && !done) setAsking(true);
    else onClose();
  };
  const draft = useDraft(close);
  const hasSecret = typeof done === "string";
  const leave = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (hasSecret) doneButton.current?.focus();
    else if (isAsking) setAsking(false);
    else close();
  };
  useLayoutEffect(() => (hasSecret ? hold(() => doneButton.current?.focus()) : undefined), [hasSecret]);
  const isPlain = (/** @type {MouseEvent} */ { ctrlKey, metaKey, shiftKey }) => !ctrlKey && !metaKey && !shiftKey;
  const follow = (/** @type {any} */ event) =>
    hasSecret && isPlain(event) && event.target.closest("a:not([target])") && leave(event);
  // Browsers close a dialog at the second Escape, unless the first does not become a `cancel`.
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && leave(event);
  return html`
    <dialog ref=${dialog} onClick=${follow} onKeyDown=${escape} onCancel=${leave} ...${draft.fields} aria-labelledby="dialog-title">
      <header>
        <h2 id="dialog-title">${title}</h2>
        ${
          !done &&
          html`<button type="button" class="close" aria-label="Close" onClick=${close}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m3 3 10 10M13 3 3 13" /></svg>
        </button>`
        }
      </header>
      ${children}
      ${isAsking && !done && html`<${AskToLose} keep=${() => setAsking(false)} lose=${onClose} />`}
      ${
        done &&
        html`<div class="form-foot"><button type="button" class="primary" ref=${doneButton} onClick=${onClose}>${hasSecret ? `I have copied the ${done}` : "Done"}</button></div>`
      }
    </dialog>
  `;
}

/**
 * Asks whether typed text is lost. The focus goes to the answer that keeps it, and back to where the reader was.
 * @param {{ keep: () => void, lose: () => void }} props
 */
function AskToLose({ keep, lose }) {
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useLayoutEffect(() => {
    const field = document.activeElement;
    button.current?.focus();
    return () => void (field instanceof HTMLElement && field.focus());
  }, []);
  return html`
    <div class="notice" role="alert">
      <p>What you typed is not saved.</p>
      <div class="form-foot">
        <button type="button" ref=${button} onClick=${keep}>Keep typing</button>
        <button type="button" class="danger" onClick=${lose}>Throw it away</button>
      </div>
    </div>
  `;
}

/** The focus returns to the opener of the dialog, or to the title without it, unless the reader has moved it. */
function giveBack() {
  window.setTimeout(() => {
    if (document.querySelector("dialog[open]")) return;
    const target = opener?.isConnected && opener !== document.body ? opener : document.querySelector("h1");
    opener = null;
    if (document.activeElement === document.body && target instanceof HTMLElement) target.focus();
  });
}
