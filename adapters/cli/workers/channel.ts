/** Functions that a process offers to another process. Their arguments and results must be cloneable. */
type Offered<T> = { readonly [K in keyof T]: (value: never) => unknown };

interface Call {
  readonly kind: 'CALL';
  readonly id: number;
  readonly name: string;
  readonly value: unknown;
}

interface Reply {
  readonly kind: 'REPLY';
  readonly id: number;
  readonly value: unknown;
  readonly error: string | null;
}

/** Calls functions of another process by exchanging messages. */
export class Channel<Own extends Offered<Own>, Other extends Offered<Other>> {
  readonly #post: (message: Call | Reply) => void;
  readonly #own: Own;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;
  #isClosed = false;

  /** @param post Sends a message. If the other process has ended, the message is lost. */
  constructor(post: (message: object) => void, own: Own) {
    this.#post = post;
    this.#own = own;
  }

  /**
   * @throws The error from the other process, or an Error if no response arrives within `limitMs` or if that process
   * has ended.
   */
  async call<K extends keyof Other & string>(
    name: K,
    value: Parameters<Other[K]>[0],
    limitMs: number,
  ): Promise<Awaited<ReturnType<Other[K]>>> {
    if (this.#isClosed) throw new Error('The other process has ended');
    this.#calls += 1;
    const id = this.#calls;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    const limit = setTimeout(
      () => answer.reject(new Error(`The other process did not answer "${name}" within ${limitMs} ms`)),
      limitMs,
    );
    try {
      this.#post({ kind: 'CALL', id, name, value });
      return (await answer.promise) as Awaited<ReturnType<Other[K]>>;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(id);
    }
  }

  /** Handles a message from the other process. Ignores messages of other protocols. */
  receive(message: unknown): void {
    const { kind } = (message ?? {}) as Partial<Call | Reply>;
    if (kind === 'CALL') void this.#answer(message as Call);
    else if (kind === 'REPLY') this.#settle(message as Reply);
  }

  /** Rejects all waiting calls. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('The other process has ended'));
  }

  async #answer({ id, name, value }: Call): Promise<void> {
    try {
      const offered = this.#own[name as keyof Own];
      this.#post({ kind: 'REPLY', id, value: await offered(value as never), error: null });
    } catch (error) {
      this.#post({ kind: 'REPLY', id, value: null, error: String(error) });
    }
  }

  #settle({ id, value, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    if (error === null) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}
