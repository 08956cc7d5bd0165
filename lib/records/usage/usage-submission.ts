import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** How much of a unit was used at a time (usage §1.2). */
export interface UsagePoint {
  /** Name of the unit; any text of up to 255 characters, whether or not a catalog knows it. */
  readonly unit: string;
  readonly instant: Instant;
  /** Of the instant, in the usage zone when it was recorded (usage §2.3). */
  readonly localDate: LocalDate;
  /** True if only a date was given, so that `instant` is the start of that day. */
  readonly isDateOnly: boolean;
  /** At most 20 digits before the point and 9 after it. */
  readonly amount: Decimal;
}

/** What is recorded, and kept or refused, as one (usage §1.2). */
export interface UsageSubmission {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  /** At most once per subscription, for good. */
  readonly trackingId: string;
  /** SHA-256 of the canonical content, in hexadecimal. */
  readonly fingerprint: string;
  /** At least one. */
  readonly points: readonly UsagePoint[];
}

/** What has become of a submission that was to be voided (usage §2.2). */
export const VoidOutcome = {
  /** Its points do not count, now or already before. */
  VOID: 'VOID',
  /** There is none. */
  UNKNOWN: 'UNKNOWN',
  /** Some of its points are archived, so that they cannot be taken back any more. */
  ARCHIVED: 'ARCHIVED',
} as const;
export type VoidOutcome = (typeof VoidOutcome)[keyof typeof VoidOutcome];

/** What has become of a submission (usage §2.5). */
export const RecordingOutcome = {
  /** Stored, all of its points. */
  ACCEPTED: 'ACCEPTED',
  /** The tracking id was used before on the subscription, for the same content; nothing is stored. */
  DUPLICATE: 'DUPLICATE',
  /** The tracking id was used before on the subscription, for other content; nothing is stored. */
  CONFLICT: 'CONFLICT',
} as const;
export type RecordingOutcome = (typeof RecordingOutcome)[keyof typeof RecordingOutcome];
