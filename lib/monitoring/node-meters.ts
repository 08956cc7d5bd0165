import type { MeterName, Meters, SystemClock, TimerName } from '../ports/index.ts';
import { Durations } from './durations.ts';
import { Meter } from './meter.ts';

/** What a category of samples holds now. */
export interface Measured {
  readonly eventGroup: 'gauge' | 'meter' | 'timer';
  readonly eventCategory: string;
  readonly kinds: Readonly<Record<string, number>>;
}

interface Timing {
  readonly meter: Meter;
  durations: Durations;
}

/** What this node has counted and timed (platform §12.2). */
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

  /** What has happened in each category, durations since the reading before; nothing of those without any event. */
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
