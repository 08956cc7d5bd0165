import { type OpenStatus, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { addMilliseconds, type Instant, maxInstant } from '../../values/time/index.ts';
import type { PaymentConfig } from './payment-config.ts';

type JanitorConfig = Pick<PaymentConfig, 'janitorUnknownDelaysMs' | 'janitorPendingDelaysMs'>;

/** A planned question to the gateway: the n-th check (from 0) of a transaction in that status. */
export interface JanitorCheck {
  readonly status: OpenStatus;
  readonly check: number;
  readonly at: Instant;
}

/**
 * The check number `check` of a transaction in `status`, counted from `from` (§7.2 rule 1); null if the list of delays
 * has ended and the transaction stays as it is. Check 0 follows the moment in which the status was recorded, check n the
 * n-th check that changed nothing.
 */
export function janitorCheck(
  input: { readonly status: OpenStatus; readonly check: number; readonly from: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const delays =
    input.status === TransactionStatus.UNKNOWN
      ? config.janitorUnknownDelaysMs
      : config.janitorPendingDelaysMs;
  const delayMs = delays[input.check];
  if (delayMs === undefined) return null;
  return { status: input.status, check: input.check, at: addMilliseconds(input.from, delayMs) };
}

/**
 * The check after one that left the transaction in `status`: the next in that status's list; a new status begins its own
 * list.
 */
export function checkAfter(
  done: { readonly status: OpenStatus; readonly check: number },
  { status, now }: { readonly status: OpenStatus; readonly now: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const check = done.status === status ? done.check + 1 : 0;
  return janitorCheck({ status, check, from: now }, config);
}

/** The first check of a transaction whose call may still be running: after its lease. */
export function checkAfterLease(
  { status, leaseUntil }: Pick<PaymentTransaction, 'leaseUntil'> & { readonly status: OpenStatus },
  now: Instant,
  config: JanitorConfig,
): JanitorCheck | null {
  return janitorCheck({ status, check: 0, from: maxInstant(now, leaseUntil ?? now) }, config);
}
