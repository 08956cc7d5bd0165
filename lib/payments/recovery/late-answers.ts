import type { Ports } from '../../ports/index.ts';
import { LockWait } from '../../ports/storage/index.ts';
import { type CallContext, isUnresolved, type TenantRef } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { AttemptControl } from '../control/attempt-control.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import {
  readOutcome,
  type Settlement,
  settlementsTold,
  type ToldPayment,
} from '../state/transaction-outcome.ts';

/** A call that ran out of time and whose transaction is UNKNOWN. */
export interface OverdueCall {
  readonly tenant: TenantRef;
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  /** As it was when the call was made. */
  readonly leaseUntil: Instant | null;
  readonly userName: string;
  readonly userToken: Uuid;
  readonly answer: Promise<CallOutcome>;
}

type LatePorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'>;

/** Applies answers that come after their timeout, like a result of recovery (§2.2, last paragraph). */
export class LateAnswers {
  readonly #ports: LatePorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: AttemptControl;
  readonly #applying = new Set<Promise<void>>();

  constructor(ports: LatePorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new AttemptControl(ports);
  }

  /** Waits for the answer in the background and records it. Failures are logged; the janitor asks later anyway. */
  follow(call: OverdueCall): void {
    void call.answer.then((outcome) => {
      const work: Promise<void> = this.#apply(call, outcome)
        .catch((error: unknown) =>
          this.#ports.logger.error({ err: error, ...idsOf(call) }, 'a late answer was lost'),
        )
        .finally(() => this.#applying.delete(work));
      this.#applying.add(work);
    });
  }

  /** Resolves once no late answer is being recorded any more; calls that are still running do not count. */
  async idle(): Promise<void> {
    while (this.#applying.size > 0) await Promise.all(this.#applying);
  }

  async #apply(call: OverdueCall, outcome: CallOutcome): Promise<void> {
    const { storage, clock, ids } = this.#ports;
    const now = clock.now();
    const { userName, userToken } = call;
    const authorship = {
      userName,
      reasonCode: null,
      comments: null,
      createdDate: now,
      userTokenOf: () => userToken,
    };
    const settlement = await this.#heard(call, {
      ...idsOf(call),
      outcome,
      source: 'LATE',
      leaseUntil: call.leaseUntil,
    });
    const after = await storage.write(call.tenant, authorship, async (session) => {
      await session.lockAccounts([call.accountId], { wait: LockWait.PAYMENT });
      const config = await this.#configOf(session);
      const recorded = await recordOutcomes(session, [settlement], { ids, config, now });
      return recorded.transactions.get(call.transactionId);
    });
    if (!after || isUnresolved(after)) return;
    const told = readOutcome(after, outcome);
    if (told.status === after.status || told.status === 'UNKNOWN') return;
    // Decided otherwise meanwhile; by §1.7 rule 7 only an operator may change it.
    const facts = { ...idsOf(call), recorded: after.status, answered: told.status };
    this.#ports.logger.error(
      facts,
      'a late answer contradicts the recorded outcome; check it with the gateway',
    );
  }

  /** What the control plugins of the attempt make of it (§8.4); without plugins nothing is read. */
  async #heard(call: OverdueCall, settlement: Settlement): Promise<Settlement> {
    if (!this.#control.isHeard) return settlement;
    const { transaction, timeoutMs } = await this.#ports.storage.read(call.tenant, async (session) => ({
      transaction: (await session.payments.findTransactionsByIds([call.transactionId]))[0],
      timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
    }));
    if (transaction === undefined) return settlement;
    const limits = { timeoutMs, now: this.#ports.clock.now() };
    const [heard] = await this.#control.heard(call, [{ settlement, transaction }], limits);
    return heard ?? settlement;
  }
}

function idsOf(call: OverdueCall): { readonly paymentId: Uuid; readonly transactionId: Uuid } {
  return { paymentId: call.paymentId, transactionId: call.transactionId };
}

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
