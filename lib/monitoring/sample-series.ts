import type { Sample } from '../ports/storage/index.ts';

/** How finely samples are told: as they are stored, or one for each UTC minute, hour or day. */
export const Granularity = { SECOND: 'SECOND', MINUTE: 'MINUTE', HOUR: 'HOUR', DAY: 'DAY' } as const;
export type Granularity = (typeof Granularity)[keyof typeof Granularity];

const SEC_MS = 1_000;
const bucketMs: Readonly<Record<Granularity, number>> = {
  SECOND: 0,
  MINUTE: 60 * SEC_MS,
  HOUR: 3_600 * SEC_MS,
  DAY: 86_400 * SEC_MS,
};

/** The samples of one kind of one category at one node, in the order of their times. */
export interface SampleSeries {
  /** Empty: of the whole deployment. */
  readonly nodeName: string;
  readonly eventGroup: string;
  readonly eventCategory: string;
  readonly sampleKind: string;
  readonly samples: readonly { readonly atMs: number; readonly value: number }[];
}

interface Collected {
  readonly series: Omit<SampleSeries, 'samples'>;
  readonly buckets: Map<number, { value: number; count: number }>;
}

/** Gathers stored samples, which come in the order of their times, to series (platform §12.3 rule 3). */
export class SeriesOfSamples {
  readonly #bucketMs: number;
  readonly #isAsked: (category: string, kind: string) => boolean;
  readonly #found = new Map<string, Collected>();
  #size = 0;

  constructor(granularity: Granularity, isAsked: (category: string, kind: string) => boolean) {
    this.#bucketMs = bucketMs[granularity];
    this.#isAsked = isAsked;
  }

  /** How many values the series have so far. */
  get size(): number {
    return this.#size;
  }

  add({ atMs, nodeName, eventGroup, eventCategory, kinds }: Sample): void {
    for (const [sampleKind, value] of Object.entries(kinds)) {
      if (!this.#isAsked(eventCategory, sampleKind)) continue;
      const key = JSON.stringify([nodeName, eventGroup, eventCategory, sampleKind]);
      let collected = this.#found.get(key);
      if (collected === undefined) {
        collected = { series: { nodeName, eventGroup, eventCategory, sampleKind }, buckets: new Map() };
        this.#found.set(key, collected);
      }
      const at = this.#bucketMs === 0 ? atMs : Math.floor(atMs / this.#bucketMs) * this.#bucketMs;
      const bucket = collected.buckets.get(at);
      if (bucket === undefined) {
        this.#size += 1;
        collected.buckets.set(at, { value, count: 1 });
      } else {
        bucket.count += 1;
        bucket.value = combined(sampleKind, bucket, value);
      }
    }
  }

  list(): readonly SampleSeries[] {
    return [...this.#found]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { series, buckets }]) => ({
        ...series,
        samples: [...buckets].map(([atMs, { value }]) => ({ atMs, value })),
      }));
  }
}

/** The value of a bucket with one sample more; `count` includes that. */
function combined(
  kind: string,
  { value: before, count }: { value: number; count: number },
  value: number,
): number {
  switch (kind) {
    case 'value':
    case 'count':
      return value;
    case 'min':
      return Math.min(before, value);
    case 'max':
      return Math.max(before, value);
    default:
      return before + (value - before) / count;
  }
}
