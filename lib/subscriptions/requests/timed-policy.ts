import { BillingActionPolicy } from '../../records/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';

/** A policy that gives a date: all but ILLEGAL. */
export type TimedPolicy = Exclude<BillingActionPolicy, typeof BillingActionPolicy.ILLEGAL>;

/** @throws BillingError INVALID_PARAMETER (60002) for ILLEGAL. */
export function timedPolicy(policy: BillingActionPolicy | null | undefined): TimedPolicy | null {
  if (policy !== BillingActionPolicy.ILLEGAL) return policy ?? null;
  throw invalidParameter(
    'billingPolicy ILLEGAL says no date; choose IMMEDIATE, END_OF_TERM or START_OF_TERM',
    { parameter: 'billingPolicy' },
  );
}
