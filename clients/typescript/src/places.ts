/** A number of places. Whoever finds none waits, but not for long. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = Math.max(1, count);
  }

  /** Takes a place; `false` if none was free within this time. */
  async take(milliseconds: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const take = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(take);
        resolve(false);
      }, milliseconds);
      this.#waiting.add(take);
    });
  }

  give(): void {
    const [next] = this.#waiting;
    if (!next) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
