import { GatepostError } from "./error.js";

/**
 * A list that comes in pages: `await` gives the first page, and `for await` gives the items of all pages.
 */
export class Pages<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #fetch: (cursor?: string) => Promise<Page>;
  readonly #items: string;

  constructor(fetch: (cursor?: string) => Promise<Page>, items: string) {
    this.#fetch = fetch;
    this.#items = items;
  }

  then<Value = Page, Other = never>(
    resolve?: ((page: Page) => Value | PromiseLike<Value>) | null,
    reject?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#fetch().then(resolve, reject);
  }

  /** The pages, one by one. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#fetch(cursor);
      yield page;
      cursor = (page as { nextCursor?: string }).nextCursor;
    } while (cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) {
      if (typeof page === "string") {
        throw new GatepostError("with this format, the list is a text without items", { code: "invalid_argument" });
      }
      yield* (page as Record<string, Item[]>)[this.#items]!;
    }
  }
}
