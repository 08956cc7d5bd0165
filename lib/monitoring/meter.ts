const MINUTE_SEC = 60;
const SEC_MS = 1_000;

/** The rates of a meter, in events per second, by kind of sample (platform §12.2). */
const rateMinutes = { one_minute_rate: 1, five_minute_rate: 5, fifteen_minute_rate: 15 } as const;

/** Counts events, and how fast they come: over all time, and by moving averages that forget exponentially. */
export class Meter {
  readonly #startedMs: number;
  #count = 0;
  #readCount = 0;
  #readMs: number;
  #rates: Readonly<Record<keyof typeof rateMinutes, number>> | null = null;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
    this.#readMs = startedMs;
  }

  mark(count: number): void {
    this.#count += count;
  }

  /** The samples now, by kind; each reading moves the averages by the time since the one before. Null: no event yet. */
  read(nowMs: number): Readonly<Record<string, number>> | null {
    if (this.#count === 0) return null;
    const passedSec = (nowMs - this.#readMs) / SEC_MS;
    if (passedSec > 0) {
      const now = (this.#count - this.#readCount) / passedSec;
      const moved = (minutes: number, before: number | undefined): number =>
        before === undefined
          ? now
          : before + (1 - Math.exp(-passedSec / (minutes * MINUTE_SEC))) * (now - before);
      const before = this.#rates;
      this.#rates = {
        one_minute_rate: moved(rateMinutes.one_minute_rate, before?.one_minute_rate),
        five_minute_rate: moved(rateMinutes.five_minute_rate, before?.five_minute_rate),
        fifteen_minute_rate: moved(rateMinutes.fifteen_minute_rate, before?.fifteen_minute_rate),
      };
      [this.#readMs, this.#readCount] = [nowMs, this.#count];
    }
    const lifeSec = Math.max(1, (nowMs - this.#startedMs) / SEC_MS);
    return { count: this.#count, mean_rate: this.#count / lifeSec, ...this.#rates };
  }
}
