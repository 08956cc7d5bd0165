/** Takes `count` consecutive numbers. Returns the first of them. */
type Take = (tenantRecordId: number, count: number) => Promise<number>;

interface Waiting {
  readonly resolve: (number: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Issues numbers that are not tied to a transaction. Concurrent callers of the same tenant share a statement and get
 * numbers in the order of their calls.
 */
export class SharedNumbers {
  readonly #take: Take;
  /** Callers that have arrived while a statement is running, by tenant. */
  readonly #waiting = new Map<number, Waiting[]>();

  constructor(take: Take) {
    this.#take = take;
  }

  take(tenantRecordId: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(tenantRecordId);
      if (waiting !== undefined) waiting.push({ resolve, reject });
      else {
        this.#waiting.set(tenantRecordId, [{ resolve, reject }]);
        void this.#serve(tenantRecordId);
      }
    });
  }

  async #serve(tenantRecordId: number) {
    for (;;) {
      const served = this.#waiting.get(tenantRecordId) ?? [];
      if (served.length === 0) break;
      this.#waiting.set(tenantRecordId, []);
      try {
        const first = await this.#take(tenantRecordId, served.length);
        for (const [index, { resolve }] of served.entries()) resolve(first + index);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    this.#waiting.delete(tenantRecordId);
  }
}
