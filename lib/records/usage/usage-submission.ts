import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The usage of a unit at an instant (usage §1.2). */
export interface UsagePoint {
  /** Name of the unit, up to 255 characters. The unit need not be in a catalog. */
  readonly unit: string;
  readonly instant: Instant;
  /** Date of the instant in the time zone for usage when the point was recorded (usage §2.3). */
  readonly localDate: LocalDate;
  /** True if only a date was given. In that case, `instant` is the start of that day. */
  readonly isDateOnly: boolean;
  /** Amount with up to 20 digits before and 9 digits after the decimal point. */
  readonly amount: Decimal;
}

/** Usage that is recorded or rejected as a whole (usage §1.2). */
export interface UsageSubmission {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  /** Tracking id. It is unique per subscription and can never be used again. */
  readonly trackingId: string;
  /** SHA-256 hash of the canonical content, in hexadecimal. */
  readonly fingerprint: string;
  /** At least one point. */
  readonly points: readonly UsagePoint[];
  readonly createdBy: string;
  readonly createdDate: Instant;
}

/** The outcome of voiding a submission (usage §2.2). */
export const VoidOutcome = {
  /** The submission is void. It may have been void before. */
  VOID: 'VOID',
  /** The submission does not exist. */
  UNKNOWN: 'UNKNOWN',
  /** Some points have been archived, so the submission cannot be voided. */
  ARCHIVED: 'ARCHIVED',
} as const;
export type VoidOutcome = keyof typeof VoidOutcome;

/** The outcome of a submission (usage §2.5). */
export const RecordingOutcome = {
  /** All points are stored. */
  ACCEPTED: 'ACCEPTED',
  /** The subscription already has the same content under this tracking id. Nothing was stored. */
  DUPLICATE: 'DUPLICATE',
  /** The subscription already has different content under this tracking id. Nothing was stored. */
  CONFLICT: 'CONFLICT',
} as const;
export type RecordingOutcome = keyof typeof RecordingOutcome;
