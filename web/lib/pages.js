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
 * list begins again when `key` changes, and with `reload`, which keeps the rows until the first page is read again. The
 * answer to an older question is dropped.
 * @template T
 * @param {(cursor: string | undefined) => Promise<{ rows: T[], next: string | undefined }>} read
 * @param {string} key
 */
export function usePages(read, key) {
  const [pages, setPages] = useState(/** @type {Pages<T> & { key?: string }} */ ({}));
  const question = useRef({});
  const known = pages.key === key ? pages : {};
  const readAfter = useAction(
    async (/** @type {Pages<T>} */ { rows: before = [], next: cursor }) => {
      const mine = (question.current = {});
      const { rows, next } = await read(cursor);
      if (question.current === mine) setPages({ key, rows: [...before, ...rows], next });
    },
    { mayOverlap: true },
  );
  const reload = () => readAfter.run({});
  useEffect(() => void reload(), [key]);
  /** @param {{ empty: string, hint: string }} words @param {import("./ui.js").Children} table */
  const frame = ({ empty, hint }, table) => html`
    <${ErrorPanel} failure=${readAfter.failure} retry=${() => readAfter.run(known)} />
    ${!known.rows && !readAfter.failure && html`<${Loading} />`}
    ${known.rows?.length === 0 && !known.next && html`<${Empty} title=${empty}><p>${hint}</p><//>`}
    ${known.rows && known.rows.length > 0 && table}
    ${known.next && html`<p class="more"><button type="button" onClick=${() => readAfter.run(known)} aria-disabled=${readAfter.isRunning}>Show more</button></p>`}
  `;
  return { rows: known.rows ?? [], frame, reload };
}
