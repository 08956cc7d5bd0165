import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';

/** What is wrong with a submission, as the lines of a bulk call name it (§2.5). */
export const RecordingFaultCode = {
  MALFORMED: 'MALFORMED',
  MISSING_FIELD: 'MISSING_FIELD',
  MISSING_TRACKING_ID: 'MISSING_TRACKING_ID',
  INVALID_DATE: 'INVALID_DATE',
  INVALID_AMOUNT: 'INVALID_AMOUNT',
  UNKNOWN_SUBSCRIPTION: 'UNKNOWN_SUBSCRIPTION',
  SUBSCRIPTION_ENDED: 'SUBSCRIPTION_ENDED',
  UNKNOWN_UNIT: 'UNKNOWN_UNIT',
  TRACKING_ID_CONFLICT: 'TRACKING_ID_CONFLICT',
} as const;
export type RecordingFaultCode = (typeof RecordingFaultCode)[keyof typeof RecordingFaultCode];

/** Why a submission is not stored. */
export interface RecordingFault {
  readonly code: RecordingFaultCode;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const errorCodes: Readonly<Partial<Record<RecordingFaultCode, ErrorCode>>> = {
  UNKNOWN_SUBSCRIPTION: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  SUBSCRIPTION_ENDED: ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END,
  UNKNOWN_UNIT: ErrorCode.USAGE_UNIT_UNKNOWN,
  TRACKING_ID_CONFLICT: ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS,
};

/** The fault as the error of a call that records one submission (§2.1). */
export function errorOfFault({ code, message, facts }: RecordingFault): BillingError {
  const errorCode = errorCodes[code];
  if (errorCode === undefined) return invalidField(message, facts);
  return new BillingError({ code: errorCode, message, facts });
}
