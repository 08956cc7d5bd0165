/** Takes `count` consecutive numbers and returns the first. */
type Take = (tenantRecordId: number, count: number) => Promise<number>;

interface Waiting {
  readonly resolve: (number: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Numbers that may be used outside their transaction. Concurrent callers of a tenant share a statement, in order. */
export class SharedNumbers {
  readonly #take: Take;
  /** Callers that arrive while a statement runs, by tenant. */
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
