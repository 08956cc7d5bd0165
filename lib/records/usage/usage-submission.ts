import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The usage of a unit at an instant (usage §1.2). */
export interface UsagePoint {
  /** Name of the unit, up to 255 characters, not necessarily of a catalog. */
  readonly unit: string;
  readonly instant: Instant;
  /** Date of the instant in the usage zone at recording (usage §2.3). */
  readonly localDate: LocalDate;
  /** True if only a date was given; `instant` is then the start of that day. */
  readonly isDateOnly: boolean;
  /** Amount with up to 20 integer and 9 fractional digits. */
  readonly amount: Decimal;
}

/** Usage that is recorded or rejected as a whole (usage §1.2). */
export interface UsageSubmission {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  /** Tracking id, unique per subscription forever. */
  readonly trackingId: string;
  /** Hexadecimal SHA-256 of the canonical content. */
  readonly fingerprint: string;
  /** At least one point. */
  readonly points: readonly UsagePoint[];
  readonly createdBy: string;
  readonly createdDate: Instant;
}

/** The outcome of voiding a submission (usage §2.2). */
export const VoidOutcome = {
  /** The submission is void, now or already before. */
  VOID: 'VOID',
  /** The submission does not exist. */
  UNKNOWN: 'UNKNOWN',
  /** Some points are archived, so the submission cannot be voided. */
  ARCHIVED: 'ARCHIVED',
} as const;
export type VoidOutcome = keyof typeof VoidOutcome;

/** The outcome of a submission (usage §2.5). */
export const RecordingOutcome = {
  /** All points are stored. */
  ACCEPTED: 'ACCEPTED',
  /** The subscription has the same content under the tracking id; nothing is stored. */
  DUPLICATE: 'DUPLICATE',
  /** The subscription has different content under the tracking id; nothing is stored. */
  CONFLICT: 'CONFLICT',
} as const;
export type RecordingOutcome = keyof typeof RecordingOutcome;
