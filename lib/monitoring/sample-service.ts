import type { Ports } from '../ports/index.ts';
import type { Sample } from '../ports/storage/index.ts';
import type { Leading, WithContext } from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { SAMPLES_KEPT_MS } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

/** Maximum number of sample values per call. */
const MAX_SAMPLE_VALUES = 500_000;

/** Creates the operations that read the stored measurements (platform §12.3). */
export function sampleOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
): SampleOperations<WithContext> {
  return {
    async samples(_context, request: SamplesRequest) {
      const { storage, systemClock } = ports;
      const nextTurn = turnsOf(ports);
      const { nodeNames = [], eventGroup, kinds = [], granularity = Granularity.SECOND } = request;
      const nowMs = systemClock.nowMs();
      const asked = new Set(kinds.map(({ eventCategory, sampleKind }) => `${eventCategory},${sampleKind}`));
      const isRequested = (category: string, kind: string): boolean =>
        asked.size === 0 || asked.has(`${category},${kind}`);
      const series = new SeriesOfSamples(granularity, isRequested);
      const found = storage.monitoring.samples({
        fromMs: request.from ?? nowMs - SAMPLES_KEPT_MS,
        toMs: request.to ?? nowMs,
        nodeNames: nodeNames.length === 0 ? null : nodeNames,
        eventGroup: eventGroup ?? null,
        eventCategories:
          kinds.length === 0 ? null : [...new Set(kinds.map(({ eventCategory }) => eventCategory))],
      });
      for await (const part of found) {
        for (const sample of part) series.add(sample);
        if (series.size > MAX_SAMPLE_VALUES)
          throw invalidParameter(
            `The request covers more than ${MAX_SAMPLE_VALUES} values. Name categories or nodes, or use a shorter time range or a coarser granularity.`,
          );
        // Let other work run, because an in-process database never pauses.
        await nextTurn();
      }
      return series.list();
    },
  };
}

/** Filters for samples. A sample must match all of them. Times are system time. */
export interface SamplesRequest {
  /** Start of the time range. Defaults to 14 days ago, because older samples are not stored. */
  readonly from?: Instant | undefined;
  /** Exclusive end of the time range. Defaults to now. */
  readonly to?: Instant | undefined;
  /** Names of nodes. Defaults to all nodes. Samples of the whole deployment are always included. */
  readonly nodeNames?: readonly string[] | undefined;
  /** Group `gauge`, `meter` or `timer`. Defaults to all groups. */
  readonly eventGroup?: string | undefined;
  /** Kinds of samples. Defaults to all kinds. */
  readonly kinds?: readonly { readonly eventCategory: string; readonly sampleKind: string }[] | undefined;
  /** Interval of the samples. By default, samples are returned as stored, one per minute. */
  readonly granularity?: Granularity | undefined;
}

/** Operations on the per-minute measurements of nodes. */
export interface SampleOperations<C extends Leading = []> {
  /**
   * Returns the measurements of queues, requests and processes (platform §12.2) as time series.
   * @throws BillingError INVALID_PARAMETER (60002) for more than 500,000 values.
   */
  samples(...given: [...C, request: SamplesRequest]): Promise<readonly SampleSeries[]>;
}

/** The interval of samples: as stored, or one sample per UTC minute, hour or day. */
export const Granularity = { SECOND: 'SECOND', MINUTE: 'MINUTE', HOUR: 'HOUR', DAY: 'DAY' } as const;
export type Granularity = (typeof Granularity)[keyof typeof Granularity];

const SEC_MS = 1_000;
const bucketMs: Readonly<Record<Granularity, number>> = {
  SECOND: 0,
  MINUTE: 60 * SEC_MS,
  HOUR: 3_600 * SEC_MS,
  DAY: 86_400 * SEC_MS,
};

/** The samples of one kind, category and node, in time order. */
export interface SampleSeries {
  /** Name of the node. The text is empty for the whole deployment. */
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

/** Combines stored samples into series. Samples must be added in time order (platform §12.3 rule 3). */
export class SeriesOfSamples {
  readonly #bucketMs: number;
  readonly #isRequested: (category: string, kind: string) => boolean;
  readonly #found = new Map<string, Collected>();
  #size = 0;

  constructor(granularity: Granularity, isRequested: (category: string, kind: string) => boolean) {
    this.#bucketMs = bucketMs[granularity];
    this.#isRequested = isRequested;
  }

  /** Number of values so far. */
  get size(): number {
    return this.#size;
  }

  add({ atMs, nodeName, eventGroup, eventCategory, kinds }: Sample): void {
    for (const [sampleKind, value] of Object.entries(kinds)) {
      if (!this.#isRequested(eventCategory, sampleKind)) continue;
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
        bucket.value = combineSample(sampleKind, bucket, value);
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

/** Returns the value of a bucket after a sample was added. `count` includes that sample. */
function combineSample(
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
