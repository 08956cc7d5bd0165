import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';

/** A submission as it has come: `NewUsage` of anyone, to be believed of nothing. Its values are read by `readSubmission`, so that each one of many can fail by itself. */
export interface SubmittedUsage {
  readonly subscriptionId?: unknown;
  readonly trackingId?: unknown;
  readonly unitUsageRecords?: unknown;
}

/** A line of a bulk call as it has come. */
export interface SubmittedLineUsage extends SubmittedUsage {
  /** In place of `subscriptionId`. */
  readonly subscriptionExternalKey?: unknown;
}

/** A line that is no record of anything: what it holds could not be read. */
export class UnreadableLine {
  /** Why, in words for its sender. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export type SubmittedLine = SubmittedLineUsage | UnreadableLine;

/** A submission whose dates are not placed in a zone yet. */
export interface ReadUsage {
  readonly subscriptionId: Uuid;
  /** Undefined: the engine makes one. */
  readonly trackingId: string | undefined;
  readonly records: readonly ReadRecord[];
}

/** The same of a line, whose subscription is not found yet. */
export interface ReadLine {
  readonly subscription: { readonly id: Uuid } | { readonly externalKey: string };
  readonly trackingId: string;
  readonly records: readonly ReadRecord[];
}

export interface ReadRecord {
  readonly unit: string;
  readonly recordDate: RequestedDate;
  readonly amount: Decimal;
}
