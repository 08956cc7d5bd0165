/** Ids that were looked up, the latest of them: looking one up again costs a request. */
export class KnownIds {
  readonly #ids = new Map<string, string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): string | undefined {
    return this.#ids.get(key);
  }

  set(key: string, id: string): void {
    this.#ids.delete(key);
    this.#ids.set(key, id);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest);
  }

  delete(key: string): void {
    this.#ids.delete(key);
  }
}
