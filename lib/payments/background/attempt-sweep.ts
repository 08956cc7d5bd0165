import type { Ports } from '../../ports/index.ts';
import type { OpenAttempt, ReadSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  AttemptState,
  type InvoicePayment,
  InvoicePaymentType,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  type TenantRef,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { authorshipOf, inParallel } from '../../runtime/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import { AttemptControl } from '../plugins/attempt-control.ts';
import type { ControlCaller } from '../plugins/call-gateway.ts';
import { type EndedAttempt, endedAttempt } from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import type { ControlResult } from '../state/transaction-outcome.ts';

/** Payment attempts that one search for open ones reads (payments §7.2 rule 4). */
const MAX_SWEPT_ATTEMPTS = 1_000;

type SweepPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'>;

interface Sweep {
  /** Only attempts that are older than that, by the business clock. */
  readonly olderThanMs: number;
  tenantOf(recordId: number): Promise<TenantRef>;
}

/** An attempt that nobody has ended, with what is known of its run; without a transaction none was made. */
interface Left {
  readonly attempt: PaymentAttempt;
  readonly run: {
    readonly transaction: PaymentTransaction;
    readonly payment: Payment;
    readonly transactions: readonly PaymentTransaction[];
    readonly paid: InvoicePayment | undefined;
  } | null;
}

/**
 * Ends attempts that a crash has left in INIT (§7.2 rule 4): without a transaction ABORTED, else by what has become of
 * it. Those whose transaction is UNKNOWN are left to recovery. Any number of nodes may do it at once, as all housekeeping:
 * an attempt changes once, though its plugins may hear from each of the nodes how it has ended.
 */
export class AttemptSweep {
  readonly #ports: SweepPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: AttemptControl;

  constructor(ports: SweepPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new AttemptControl(ports, configOf);
  }

  /** One run. A tenant that fails is logged, and comes again with the next one. */
  async sweep({ olderThanMs, tenantOf }: Sweep): Promise<void> {
    const { storage, clock, logger } = this.#ports;
    const before = addMilliseconds(clock.now(), -olderThanMs);
    const open = await storage.system.findOpenAttempts(before, MAX_SWEPT_ATTEMPTS);
    for (const [recordId, attempts] of Map.groupBy(open, ({ tenantRecordId }) => tenantRecordId)) {
      try {
        await this.#sweepTenant(await tenantOf(recordId), attempts);
      } catch (error) {
        const facts = { err: error, tenantRecordId: recordId };
        logger.error(facts, 'open payment attempts of a tenant were not ended; they are looked at again');
      }
    }
  }

  async #sweepTenant(tenant: TenantRef, open: readonly OpenAttempt[]): Promise<void> {
    const { storage, clock, ids } = this.#ports;
    const now = clock.now();
    const { left, config } = await storage.read(tenant, async (session) => ({
      left: await load(session, open),
      config: await this.#configOf(session),
    }));
    const userToken = ids.next();
    const caller = { tenant, userName: ActingComponent.JANITOR, userToken };
    const told = await inParallel(left, MAX_CONCURRENT_GATEWAY_CALLS, async (each) => ({
      attemptId: each.attempt.id,
      control: await this.#heard(caller, each, config.pluginTimeoutMs),
    }));
    const controls = new Map(told.map(({ attemptId, control }) => [attemptId, control]));
    const authorship = authorshipOf({ ...caller, reasonCode: null, comments: null, createdDate: now });
    await storage.write(tenant, authorship, async (session) => {
      const accountIds = new Set(left.map(({ attempt }) => attempt.accountRecordId));
      const locked = await session.tryLockAccounts([...accountIds]);
      const free = new Set(locked.map(({ recordId }) => recordId));
      const current = await load(session, open);
      const ended = current
        .filter((each) => free.has(each.attempt.accountRecordId) && isAsBefore(each, left))
        .map((each) => endedLater(each, controls.get(each.attempt.id), { now, config }));
      await session.payments.updateAttempts(ended.flatMap(({ attempt }) => attempt ?? []));
      session.schedule(ended.flatMap(({ retry }) => retry));
    });
  }

  /** Tells the plugins of the attempt, if it has any and its run has ended (§8.4). */
  async #heard(
    caller: ControlCaller,
    { attempt, run }: Left,
    timeoutMs: number,
  ): Promise<ControlResult | undefined> {
    if (run === null || !this.#control.hears(attempt.pluginNames)) return undefined;
    return this.#control.tell(caller, { transaction: run.transaction, attempt }, timeoutMs);
  }
}

function isAsBefore({ attempt, run }: Left, left: readonly Left[]): boolean {
  const before = left.find((each) => each.attempt.id === attempt.id);
  return before !== undefined && before.run?.transaction.status === run?.transaction.status;
}

function endedLater(
  { attempt, run }: Left,
  control: ControlResult | undefined,
  rules: { readonly now: Instant; readonly config: PaymentConfig },
): EndedAttempt {
  if (run === null) {
    const ended = {
      ...attempt,
      stateName: AttemptState.ABORTED,
      pluginProperties: attempt.pluginProperties ?? [],
    };
    return { attempt: ended, retry: [] };
  }
  const { transaction, payment, transactions, paid } = run;
  const isPurchase = transaction.transactionType === TransactionType.PURCHASE;
  const invoiceId = isPurchase ? (paid?.invoiceId ?? null) : null;
  return endedAttempt(attempt, { transaction, payment, transactions, invoiceId, control }, rules);
}

/** Those of the attempts that are still open, with the transactions that name them; a constant number of queries. */
async function load(session: ReadSession, open: readonly OpenAttempt[]): Promise<readonly Left[]> {
  const { payments: reads } = session;
  const found = await reads.findAttemptsByIds(open.map(({ id }) => id));
  const attempts = found.filter(({ stateName }) => stateName === AttemptState.INIT);
  const keys = new Set(attempts.map(({ transactionExternalKey }) => transactionExternalKey));
  const ofKeys = await reads.findTransactionsByKeys([...keys]);
  const paymentIds = [...new Set(ofKeys.map(({ paymentId }) => paymentId))];
  const payments = await reads.findByIds(paymentIds);
  const transactions = await reads.findTransactions(paymentIds);
  const rows = await reads.findInvoicePaymentsByPayments(paymentIds);
  return attempts.flatMap((attempt): readonly Left[] => {
    const transaction = ofKeys.find(({ attemptId }) => attemptId === attempt.id);
    const payment = payments.find(({ id }) => id === transaction?.paymentId);
    if (transaction === undefined || payment === undefined) return [{ attempt, run: null }];
    if (transaction.status === TransactionStatus.UNKNOWN) return [];
    const own = transactions.filter(({ paymentId }) => paymentId === payment.id);
    const paid = rows.find(
      ({ type, paymentId }) => type === InvoicePaymentType.ATTEMPT && paymentId === payment.id,
    );
    return [{ attempt, run: { transaction, payment, transactions: own, paid } }];
  });
}
