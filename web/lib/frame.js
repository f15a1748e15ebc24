// The console in a frame of the host application, which cannot see how high the page is: the page tells it.

/** Whether the page is in a frame. */
export const isFramed = window.top !== window;

/** The room above and below a dialog, in pixels. */
const DIALOG_ROOM = 48;
/** How far a dialog begins above the element that opened it, in pixels. */
const DIALOG_ABOVE = 120;
/** Where the reader clicked last. Some browsers do not give the focus to a button that is clicked. */
let clicked = 0;
if (isFramed) document.addEventListener("pointerdown", ({ clientY }) => (clicked = clientY), { capture: true });
/** @type {Set<Element>} */
const measured = new Set();
const observer = new ResizeObserver(tell);
let told = 0;

/**
 * Makes the frame at least as high as the element, until the returned function is called.
 * @param {Element | null} element
 */
export function measure(element) {
  if (!isFramed || !element) return () => undefined;
  measured.add(element);
  observer.observe(element);
  return () => {
    measured.delete(element);
    observer.unobserve(element);
    tell();
  };
}

/**
 * Puts a dialog next to the element that opened it: the middle of a frame that is as high as its page may be far from
 * what the reader sees.
 * @param {HTMLElement | null} dialog
 * @param {Element | null} opener
 */
export function placeInFrame(dialog, opener) {
  if (!isFramed || !dialog) return;
  const at = opener && opener !== document.body ? opener.getBoundingClientRect().top : clicked;
  const last = window.innerHeight - dialog.offsetHeight - DIALOG_ROOM / 2;
  dialog.style.marginBlockStart = `${Math.max(DIALOG_ROOM / 2, Math.min(at - DIALOG_ABOVE, last))}px`;
}

/** Only the origins of `PORTAL_FRAME_ANCESTORS` can show the page, and a height is not a secret. */
function tell() {
  const height = Math.ceil(Math.max(0, ...[...measured].map(heightOf)));
  if (height !== told) window.parent.postMessage({ type: "gatepost:height", height }, "*");
  told = height;
}

/** @param {Element} element */
const heightOf = (element) =>
  element instanceof HTMLDialogElement ? element.scrollHeight + DIALOG_ROOM : element.getBoundingClientRect().height;
