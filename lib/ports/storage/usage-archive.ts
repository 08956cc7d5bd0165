import type { PointRange } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A subscription that has points which may be archived, as far as its cursor tells. */
export interface SettledSubscription {
  readonly subscriptionRecordId: number;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
}

export interface SettledRequest {
  /** They have points before this day, and before the one from which the next run looks at their usage. */
  readonly before: LocalDate;
  /** The tenant's settings for usage, with which they were last looked at. */
  readonly settings: string;
  /** Those after this record id. */
  readonly after: number;
  readonly limit: number;
}

/** A day of a unit that has points, others of which may be archived already. */
export interface OpenDay {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Points ever recorded: the ordinal of the last one. */
  readonly count: number;
  /** Those up to this ordinal are archived; 0 = none. */
  readonly archivedCount: number;
}

/** What is kept of the points of a day once they are gone. */
export interface ArchivedDay extends OpenDay {
  /** Each keeps its sums and tracking ids; together they hold all of its points that are not archived yet. */
  readonly pieces: readonly PointRange[];
}

export interface ForgottenKeys {
  /** Record id of the last one that was looked at; null = there are no more. */
  readonly last: number | null;
  readonly forgotten: number;
}

export interface UsageArchiveReads {
  /** By record id. */
  settledSubscriptions(request: SettledRequest): Promise<readonly SettledSubscription[]>;
  /** Those of the days that have archived points, in ascending order; one statement. */
  archivedDays(subscriptionRecordId: number, days: readonly LocalDate[]): Promise<readonly LocalDate[]>;
}

export interface UsageArchiveWrites {
  /**
   * Days with points that are not archived, of these subscriptions before these dates, at most so many. Nothing can be
   * recorded or voided on them until the transaction ends.
   */
  lockOpenDays(
    requests: readonly { readonly subscriptionRecordId: number; readonly before: LocalDate }[],
    limit: number,
  ): Promise<readonly OpenDay[]>;
  /** Removes the points of locked days, and keeps what is told of them; a constant number of statements. */
  archive(days: readonly ArchivedDay[]): Promise<void>;
  /**
   * Forgets tracking ids that were recorded before the instant and have no points any more, among at most `limit` ones
   * after the record id.
   */
  forgetKeys(request: {
    readonly recordedBefore: Instant;
    readonly after: number;
    readonly limit: number;
  }): Promise<ForgottenKeys>;
}
