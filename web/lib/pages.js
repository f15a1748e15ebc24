// A list that is read page by page.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { useAction } from "./resource.js";
import { Empty, ErrorPanel, Loading } from "./ui.js";

/**
 * @template T
 * @typedef {{ rows?: T[], next?: string }} Pages
 */

/**
 * The rows that were read so far, and a frame around them: loading, error, empty, and the button for the next page. The
 * list begins again when `key` changes. An answer to an older key is dropped.
 * @template T
 * @param {(cursor: string | undefined) => Promise<{ rows: T[], next: string | undefined }>} read
 * @param {string} key
 */
export function usePages(read, key) {
  const [pages, setPages] = useState(/** @type {Pages<T> & { key?: string }} */ ({}));
  const current = useRef(key);
  current.current = key;
  const known = pages.key === key ? pages : {};
  const more = useAction(async () => {
    const { rows, next } = await read(known.next);
    if (current.current === key) setPages({ key, rows: [...(known.rows ?? []), ...rows], next });
  }, { mayOverlap: true });
  useEffect(() => void more.run(), [key]);
  /** @param {{ empty: string, hint: string }} words @param {import("./ui.js").Children} table */
  const frame = ({ empty, hint }, table) => html`
    <${ErrorPanel} failure=${more.failure} retry=${more.run} />
    ${!known.rows && !more.failure && html`<${Loading} />`}
    ${known.rows?.length === 0 && !known.next && html`<${Empty} title=${empty}><p>${hint}</p><//>`}
    ${known.rows && known.rows.length > 0 && table}
    ${known.next && html`<p class="more"><button type="button" onClick=${() => more.run()} aria-disabled=${more.isRunning}>Show more</button></p>`}
  `;
  return { rows: known.rows ?? [], frame };
}
