import { type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { type ClaimedResults, lastClaimOf } from '../claims/gateway-claims.ts';
import type { CallOutcome, GatewayReply } from '../claims/gateway-reply.ts';

/**
 * What a gateway's list of transactions says about one of ours (§7.1): the last result with its id. If there is none,
 * nobody knows; only where it proves absence, and could be read to the last, does that mean that an UNKNOWN transaction
 * never arrived. A PENDING transaction had arrived, so its absence says nothing.
 * @param provesAbsence whether the list is complete, and no call can still be on its way (§7.2 rule 6).
 */
export function recoveredOutcome(
  transaction: Pick<PaymentTransaction, 'id' | 'status'>,
  reply: GatewayReply<ClaimedResults | null>,
  { provesAbsence }: { readonly provesAbsence: boolean },
): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  if (reply.value === null) return { kind: 'NO_RESULT' };
  const result = lastClaimOf(reply.value, transaction.id);
  if (result) return { kind: 'RESULT', result };
  const isAbsent = provesAbsence && !reply.value.includes(null);
  if (!isAbsent || transaction.status !== TransactionStatus.UNKNOWN) return { kind: 'NO_RESULT' };
  return { kind: 'NEVER_RECEIVED', message: 'The gateway never received the payment: nothing happened' };
}
