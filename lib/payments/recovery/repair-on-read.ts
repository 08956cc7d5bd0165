import type { Ports } from '../../ports/index.ts';
import { LockWait } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { AttemptControl } from '../control/attempt-control.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { type Settlement, settlementsTold, type ToldPayment } from '../state/settlement.ts';

type RepairPorts = Pick<Ports, 'storage' | 'ids' | 'logger' | 'systemClock' | 'paymentControls'>;

/**
 * Records what gateways told of open transactions during a read (§7.1, §7.2 rule 3). A failure is logged and changes
 * nothing: the read goes on, and the janitor asks again.
 * @returns whether there was something to record.
 */
export async function repairOnRead(
  ports: RepairPorts,
  configOf: PaymentConfigOf,
  { context, told }: { readonly context: CallContext; readonly told: readonly ToldPayment[] },
): Promise<boolean> {
  const settlements = told.flatMap((each) => settlementsTold(each, context.createdDate));
  if (settlements.length === 0) return false;
  const paymentIds = new Set<Uuid>(settlements.map(({ paymentId }) => paymentId));
  const accountIds = told
    .filter(({ payment }) => paymentIds.has(payment.id))
    .map(({ payment }) => payment.accountId);
  try {
    const heard = await heardBy(ports, configOf, { context, told, settlements });
    await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.lockAccounts([...new Set(accountIds)], { wait: LockWait.PAYMENT });
      const config = await configOf(session);
      await recordOutcomes(session, heard, { ids: ports.ids, config, now: context.createdDate });
    });
    return true;
  } catch (error) {
    const facts = { err: error, paymentIds: [...paymentIds] };
    ports.logger.warn(facts, 'what a gateway told of open payments was not recorded; recovery asks again');
    return false;
  }
}

/** What the control plugins of the attempts make of it (§8.4); without plugins nothing is read. */
async function heardBy(
  ports: RepairPorts,
  configOf: PaymentConfigOf,
  {
    context,
    told,
    settlements,
  }: {
    readonly context: CallContext;
    readonly told: readonly ToldPayment[];
    readonly settlements: readonly Settlement[];
  },
): Promise<readonly Settlement[]> {
  const control = new AttemptControl(ports);
  if (!control.isHeard) return settlements;
  const { pluginTimeoutMs: timeoutMs } = await ports.storage.read(context.tenant, configOf);
  const transactions = new Map(told.flatMap((each) => each.transactions).map((each) => [each.id, each]));
  const late = settlements.flatMap((settlement) => {
    const transaction = transactions.get(settlement.transactionId);
    return transaction ? [{ settlement, transaction }] : [];
  });
  return control.heard(context, late, { timeoutMs, now: context.createdDate });
}
