import type { GatewayResult } from '../../ports/index.ts';
import { type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import type { CallOutcome, GatewayReply } from './gateway-reply.ts';

/**
 * What a gateway's list of transactions says about one of ours (§7.1): the last result with its id. If there is none,
 * nobody knows; only if the gateway's list is complete does that mean that an UNKNOWN transaction never arrived. The
 * caller asks after the lease, when no call can still be on its way. A PENDING transaction had arrived, so its absence
 * says nothing.
 */
export function recoveredOutcome(
  transaction: Pick<PaymentTransaction, 'id' | 'status'>,
  reply: GatewayReply<readonly GatewayResult[]>,
  hasCompleteLedger: boolean,
): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  if (!Array.isArray(reply.value)) return { kind: 'NO_RESULT' };
  const result = reply.value.findLast((each) => each.kbTransactionPaymentId === transaction.id);
  if (result) return { kind: 'RESULT', result };
  if (!hasCompleteLedger || transaction.status !== TransactionStatus.UNKNOWN) return { kind: 'NO_RESULT' };
  return { kind: 'NEVER_RECEIVED', message: 'The gateway never received the payment: nothing happened' };
}
