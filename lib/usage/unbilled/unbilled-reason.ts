/** Why usage is on no invoice (§3.3). */
export const UnbilledReason = {
  /** No section that is in force then charges the unit. */
  UNKNOWN_UNIT: 'UNKNOWN_UNIT',
  /** Billing is paused then. */
  BLOCKED: 'BLOCKED',
  BEFORE_START: 'BEFORE_START',
  AFTER_END: 'AFTER_END',
  /** It came for a period that is too long ago to be billed again. */
  BEYOND_LOOKBACK: 'BEYOND_LOOKBACK',
  /** It is charged and void, of a period that is too long ago to be compared again. */
  VOIDED_BEYOND_LOOKBACK: 'VOIDED_BEYOND_LOOKBACK',
  /** The period is billed, and no tier takes so much. */
  OVERFLOW: 'OVERFLOW',
  /** A run to come bills it. */
  NOT_YET_DUE: 'NOT_YET_DUE',
  /** It came for a billed period, and the tenant bills none of that (`invoice.usage.lateMode=IGNORE`). */
  LATE: 'LATE',
  /** It came for a time that was billed as part of a longer period, which is not billed again. */
  COVERED: 'COVERED',
} as const;
export type UnbilledReason = (typeof UnbilledReason)[keyof typeof UnbilledReason];
