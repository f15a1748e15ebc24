// A list that is read page by page.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { find, keepList } from "./cache.js";
import { useAction } from "./resource.js";
import { isReturn, listName } from "./router.js";
import { Empty, ErrorPanel, Loading } from "./ui.js";

/**
 * @template T
 * @typedef {{ rows?: T[], next?: string }} Pages
 */

/**
 * The rows that were read so far, and a frame around them: loading, error, empty, and the button for the next page. The
 * list begins again when `key` changes. On the way back, and with `reload`, the rows stay until as many are read again.
 * The answer to an older question is dropped. Each list of a screen has another `key`.
 * @template T
 * @param {(cursor: string | undefined) => Promise<{ rows: T[], next: string | undefined }>} read
 * @param {string} key
 */
export function usePages(read, key) {
  const [pages, setPages] = useState(/** @type {Pages<T> & { key?: string }} */ ({}));
  const question = useRef({});
  const name = listName(key);
  const known = pages.key === key ? pages : /** @type {Pages<T>} */ ((isReturn() && find(name)) || {});
  const readAfter = useAction(
    async (/** @type {Pages<T>} */ { rows = [], next }, /** @type {number} */ wanted) => {
      const mine = (question.current = {});
      do {
        const page = await read(next);
        [rows, next] = [[...rows, ...page.rows], page.next];
      } while (next && rows.length < wanted && question.current === mine);
      if (question.current !== mine) return;
      setPages({ key, rows, next });
      keepList(name, { rows, next });
    },
    { mayOverlap: true },
  );
  const reload = () => readAfter.run({}, known.rows?.length ?? 0);
  const more = () => readAfter.run(known, 0);
  useEffect(() => void reload(), [key]);
  /** @typedef {import("./ui.js").Children} Children */
  /** @param {{ empty: string, hint: string } | { none: Children }} words @param {Children} table */
  const frame = (words, table) => html`
    <${ErrorPanel} failure=${readAfter.failure} retry=${known.next ? more : reload} />
    ${!known.rows && !readAfter.failure && html`<${Loading} />`}
    ${known.rows?.length === 0 && !known.next && ("none" in words ? words.none : html`<${Empty} title=${words.empty}><p>${words.hint}</p><//>`)}
    ${known.rows && known.rows.length > 0 && table}
    ${known.next && html`<p class="more"><button type="button" onClick=${more} aria-disabled=${readAfter.isRunning}>Show more</button></p>`}
  `;
  return { rows: known.rows ?? [], frame, reload, hasMore: known.next !== undefined, isRunning: readAfter.isRunning };
}
