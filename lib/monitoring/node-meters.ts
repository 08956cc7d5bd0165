import type { MeterName, Meters, SystemClock, TimerName } from '../ports/index.ts';

/** The current values of a sample category. */
export interface Measured {
  readonly eventGroup: 'gauge' | 'meter' | 'timer';
  readonly eventCategory: string;
  readonly kinds: Readonly<Record<string, number>>;
}

interface Timing {
  readonly meter: Meter;
  durations: Durations;
}

/** The counts and durations of this node (platform §12.2). */
export class NodeMeters implements Meters {
  readonly #systemClock: Pick<SystemClock, 'nowMs'>;
  readonly #startedMs: number;
  readonly #meters = new Map<MeterName, Meter>();
  readonly #timings = new Map<TimerName, Timing>();

  constructor(systemClock: Pick<SystemClock, 'nowMs'>) {
    this.#systemClock = systemClock;
    this.#startedMs = systemClock.nowMs();
  }

  mark(name: MeterName, count = 1): void {
    if (count <= 0) return;
    const known = this.#meters.get(name) ?? new Meter(this.#startedMs);
    this.#meters.set(name, known);
    known.mark(count);
  }

  time(name: TimerName, milliseconds: number): void {
    const known = this.#timings.get(name) ?? {
      meter: new Meter(this.#startedMs),
      durations: new Durations(),
    };
    this.#timings.set(name, known);
    known.meter.mark(1);
    known.durations.add(milliseconds);
  }

  /** Returns the values of each category that has events. Durations cover the time since the previous call. */
  read(): readonly Measured[] {
    const nowMs = this.#systemClock.nowMs();
    const meters = [...this.#meters].map(([eventCategory, meter]) => ({
      eventGroup: 'meter' as const,
      eventCategory,
      kinds: meter.read(nowMs) ?? {},
    }));
    const timers = [...this.#timings].map(([eventCategory, timing]) => {
      const { meter, durations } = timing;
      timing.durations = new Durations();
      const kinds = { ...meter.read(nowMs), ...durations.read() };
      return { eventGroup: 'timer' as const, eventCategory, kinds };
    });
    return [...meters, ...timers];
  }
}

/**
 * Logarithm of the ratio between the bounds of adjacent buckets. The bounds differ by 2%, so the error of a percentile
 * is also 2%.
 */
const STEP = Math.log(1.02);

const percentiles = { median: 0.5, tp75: 0.75, tp95: 0.95, tp98: 0.98, tp99: 0.99, tp999: 0.999 } as const;

/**
 * Collects durations in milliseconds. Minimum, maximum, mean and deviation are exact. Percentiles are computed from
 * buckets.
 */
export class Durations {
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #sum = 0;
  #squares = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = 0;

  add(milliseconds: number): void {
    const taken = Math.max(0, milliseconds);
    // The resolution is a microsecond.
    const bucket = Math.round(Math.log(Math.max(taken, 0.001)) / STEP);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count += 1;
    this.#sum += taken;
    this.#squares += taken * taken;
    this.#least = Math.min(this.#least, taken);
    this.#greatest = Math.max(this.#greatest, taken);
  }

  /** Returns the values by kind of sample (platform §12.2). Returns an empty object if there are no durations. */
  read(): Readonly<Record<string, number>> {
    if (this.#count === 0) return {};
    const mean = this.#sum / this.#count;
    const variance = Math.max(0, this.#squares / this.#count - mean * mean);
    const sorted = [...this.#buckets].sort(([one], [other]) => one - other);
    const points = Object.entries(percentiles).map(([kind, share]) => [
      kind,
      this.#percentile(sorted, share),
    ]);
    const [min, max, std_dev] = [this.#least, this.#greatest, Math.sqrt(variance)];
    return { min, max, mean, std_dev, ...Object.fromEntries(points) };
  }

  #percentile(sorted: readonly (readonly [bucket: number, count: number])[], share: number): number {
    let rank = Math.ceil(share * this.#count);
    for (const [bucket, count] of sorted) {
      rank -= count;
      if (rank <= 0) return Math.min(this.#greatest, Math.max(this.#least, Math.exp(bucket * STEP)));
    }
    return this.#greatest;
  }
}

const MINUTE_SEC = 60;
const SEC_MS = 1_000;

/** The rates of a meter, in events per second, by kind of sample (platform §12.2). */
const rateMinutes = { one_minute_rate: 1, five_minute_rate: 5, fifteen_minute_rate: 15 } as const;

/** Counts events. Computes their rate over the whole time and as exponentially weighted moving averages. */
export class Meter {
  readonly #startedMs: number;
  #count = 0;
  #readCount = 0;
  #readMs: number;
  #rates: Readonly<Record<string, number>> = {};

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
    this.#readMs = startedMs;
  }

  mark(count: number): void {
    this.#count += count;
  }

  /** Returns the samples by kind and updates the averages. Returns null if there are no events. */
  read(nowMs: number): Readonly<Record<string, number>> | null {
    if (this.#count === 0) return null;
    const passedSec = (nowMs - this.#readMs) / SEC_MS;
    if (passedSec > 0) {
      const now = (this.#count - this.#readCount) / passedSec;
      const rates = Object.entries(rateMinutes).map(([kind, minutes]) => {
        const before = this.#rates[kind] ?? now;
        return [kind, before + (1 - Math.exp(-passedSec / (minutes * MINUTE_SEC))) * (now - before)];
      });
      this.#rates = Object.fromEntries(rates);
      [this.#readMs, this.#readCount] = [nowMs, this.#count];
    }
    const lifeSec = Math.max(1, (nowMs - this.#startedMs) / SEC_MS);
    return { count: this.#count, mean_rate: this.#count / lifeSec, ...this.#rates };
  }
}
