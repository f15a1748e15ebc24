// The console in a frame of the host application, which cannot see how high the page is: the page tells it.

/** Whether the page is in a frame. */
export const isFramed = window.top !== window;

/** The room above and below a dialog, in pixels. */
const DIALOG_ROOM = 48;
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

/** Only the origins of `PORTAL_FRAME_ANCESTORS` can show the page, and a height is not a secret. */
function tell() {
  const height = Math.ceil(Math.max(0, ...[...measured].map(heightOf)));
  if (height !== told) window.parent.postMessage({ type: "gatepost:height", height }, "*");
  told = height;
}

/** @param {Element} element */
const heightOf = (element) =>
  element instanceof HTMLDialogElement ? element.scrollHeight + DIALOG_ROOM : element.getBoundingClientRect().height;
