import type { PendingNotification } from '../../ports/storage/index.ts';
import { AttemptState, type PaymentAttempt } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { retryKey } from '../state/payment-notifications.ts';

/** States of attempts as they are read: SCHEDULED is a retry that is still to come (§1.1, §8.2). */
export const ShownAttemptState = { ...AttemptState, SCHEDULED: 'SCHEDULED' } as const;
export type ShownAttemptState = (typeof ShownAttemptState)[keyof typeof ShownAttemptState];

/** An attempt as it is read. A SCHEDULED one has the id of the attempt that it repeats, and no transaction. */
export interface AttemptView extends Omit<PaymentAttempt, 'stateName'> {
  readonly stateName: ShownAttemptState;
  /** Its creation, or when the retry falls due. */
  readonly effectiveDate: Instant;
}

/** The attempts of one payment, oldest first, and one SCHEDULED entry per retry of theirs that is pending (§8.2). */
export function attemptViews(
  attempts: readonly PaymentAttempt[],
  pending: ReadonlyMap<string, PendingNotification>,
): readonly AttemptView[] {
  const stored = attempts.map((attempt) => ({ ...attempt, effectiveDate: attempt.createdDate }));
  const scheduled = attempts.flatMap((attempt) => {
    const retry = pending.get(retryKey(attempt.id));
    return retry ? [scheduledView(attempt, retry.effectiveDate)] : [];
  });
  return [...stored, ...scheduled];
}

/** The unique keys of retries of these attempts, whether or not any is pending. */
export function retryKeysOf(attempts: readonly { readonly id: Uuid }[]): readonly string[] {
  return attempts.map(({ id }) => retryKey(id));
}

function scheduledView(attempt: PaymentAttempt, effectiveDate: Instant): AttemptView {
  return { ...attempt, stateName: ShownAttemptState.SCHEDULED, transactionId: null, effectiveDate };
}
