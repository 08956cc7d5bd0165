import type { Leading } from '../records/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { Granularity, SampleSeries } from './sample-series.ts';

/** Which samples are told; filters hold together. Times are system time. */
export interface SamplesRequest {
  /** Default 14 days before now: what is kept. */
  readonly from?: Instant | undefined;
  /** Exclusive; default now. */
  readonly to?: Instant | undefined;
  /** Default all. Samples of the whole deployment are told in any case. */
  readonly nodeNames?: readonly string[] | undefined;
  /** `gauge`, `meter` or `timer`; default all. */
  readonly eventGroup?: string | undefined;
  /** Default all. */
  readonly kinds?: readonly { readonly eventCategory: string; readonly sampleKind: string }[] | undefined;
  /** Default: as they were stored, one a minute. */
  readonly granularity?: Granularity | undefined;
}

/** What was measured, minute by minute. */
export interface SampleOperations<C extends Leading = []> {
  /**
   * What the nodes have measured of the queue, their requests and themselves (platform §12.2), as series over time.
   * @throws BillingError INVALID_PARAMETER (60002) for more than 500,000 values.
   */
  samples(...given: [...C, request: SamplesRequest]): Promise<readonly SampleSeries[]>;
}
