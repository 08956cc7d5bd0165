import type { GatewayResult, Ports } from '../../ports/index.ts';
import { LockWait } from '../../ports/storage/index.ts';
import type { CallContext, Payment, PaymentTransaction } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { recordOutcomes, type Settlement } from '../outcomes/record-outcomes.ts';
import { isUnresolved } from '../state/payment-state.ts';
import { recoveredOutcome } from '../state/recovered-outcome.ts';
import { readOutcome } from '../state/transaction-outcome.ts';
import type { PaymentConfigOf } from '../tenant-payment-config.ts';

/** A payment that has been read, its transactions, and what its gateway has just told. */
export interface ToldPayment {
  readonly payment: Payment;
  readonly transactions: readonly PaymentTransaction[];
  readonly results: readonly GatewayResult[];
  /** Whether the gateway lists every transaction that it has ever received. */
  readonly completeLedger: boolean;
}

/**
 * Records what gateways have told of open transactions while they were read (§7.1, §7.2 rule 3). A failure
 * is logged and changes nothing: the read goes on, and the janitor asks again.
 * @returns whether there was something to record.
 */
export async function repairOnRead(
  ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
  configOf: PaymentConfigOf,
  { context, told }: { readonly context: CallContext; readonly told: readonly ToldPayment[] },
): Promise<boolean> {
  const settlements = told.flatMap((each) => settlementsOf(each, context));
  if (settlements.length === 0) return false;
  const paymentIds = new Set<Uuid>(settlements.map(({ paymentId }) => paymentId));
  const accountIds = told
    .filter(({ payment }) => paymentIds.has(payment.id))
    .map(({ payment }) => payment.accountId);
  try {
    await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.lockAccounts([...new Set(accountIds)], { wait: LockWait.PAYMENT });
      const config = await configOf(session);
      await recordOutcomes(session, settlements, { ids: ports.ids, config, now: context.createdDate });
    });
    return true;
  } catch (error) {
    const facts = { err: error, paymentIds: [...paymentIds] };
    ports.logger.warn(facts, 'what a gateway told of open payments was not recorded; recovery asks again');
    return false;
  }
}

/** What the gateway knows better, of transactions that no call is running for (§7.1). */
function settlementsOf(
  { payment, transactions, results, completeLedger }: ToldPayment,
  { createdDate: now }: CallContext,
): readonly Settlement[] {
  return transactions.flatMap((transaction) => {
    if (!isUnresolved(transaction)) return [];
    if (transaction.leaseUntil !== null && transaction.leaseUntil > now) return [];
    const reply = { kind: 'VALUE', value: results } as const;
    const outcome = recoveredOutcome(transaction, reply, completeLedger);
    const { status } = readOutcome(transaction, outcome);
    if (status === 'UNKNOWN' || status === transaction.status) return [];
    return [{ paymentId: payment.id, transactionId: transaction.id, outcome, source: 'JANITOR' }];
  });
}
