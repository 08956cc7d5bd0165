import type { Leading } from '../../records/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

export interface ArchiveRequest<D = LocalDate | string> {
  /** Points of days before this one go; the first day of a month, such as `2026-04-01`. */
  readonly before: D;
}

/** What has been archived. */
export interface ArchivedUsage {
  /** Days of units of subscriptions. */
  readonly days: number;
  readonly points: number;
  /** Accounts that were left out, since something else worked on them; the next call takes them up. */
  readonly busyAccounts: number;
  /** Tracking ids that are older than `usage.keyRetentionDays`, which may be recorded anew. */
  readonly forgottenKeys: number;
}

/** Lets points go that nothing will ask for any more. */
export interface UsageArchiveOperations<C extends Leading = []> {
  /**
   * Archives the points of closed months: those of days that are billed, as far as they ever will be, and older than the
   * look-back of their subscription. Invoices, their tracking ids and sums over whole days stay as they are; sums that begin
   * or end within an archived day are refused, and so is taking back what was recorded. Usage that is recorded for an
   * archived day later counts as late usage always does. It may be called again at any time, beside running work, and goes
   * on where it has stopped.
   * @throws BillingError INVALID_PARAMETER (60002) for a date that begins no month.
   */
  archive(...given: [...C, request: ArchiveRequest]): Promise<ArchivedUsage>;
}
