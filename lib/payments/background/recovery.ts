import type { PaymentGateway, Ports } from '../../ports/index.ts';
import type { ClaimedEntry, OpenAttempt, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  AttemptState,
  type InvoicePayment,
  isUnresolved,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  QueueName,
  type TenantRef,
} from '../../records/index.ts';
import {
  authorshipOf,
  batchAuthorship,
  type HandlerBatch,
  inParallel,
  type QueueHandler,
} from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import { type CallOutcome, claimedResults } from '../claims/gateway-claims.ts';
import { recordOutcomes } from '../machine/record-outcomes.ts';
import { AttemptControl } from '../plugins/attempt-control.ts';
import { type ControlCaller, callGatewayOnce, isRunning } from '../plugins/call-gateway.ts';
import { type EndedAttempt, endedAttempt } from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import {
  checkAfter,
  checkAfterLease,
  type RecoveryJob,
  readRecoveryJob,
  recoveryNotification,
  unresolvedEvent,
} from '../state/payment-notifications.ts';
import { hasLapsed, isLeased } from '../state/payment-state.ts';
import { type ControlResult, recoveredOutcome, type Settlement } from '../state/transaction-outcome.ts';

type RecoveryPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways' | 'paymentControls'
>;

interface Job extends RecoveryJob {
  readonly entry: ClaimedEntry;
}

interface Question {
  readonly job: Job;
  readonly payment: Payment;
  readonly transaction: PaymentTransaction;
  readonly gateway: PaymentGateway | undefined;
}

interface Answered extends Question {
  readonly settlement: Settlement;
}

/**
 * Resolves transactions that have no outcome yet (§7.1, §7.2). Queries the gateway and records its result, or schedules
 * another check.
 */
export class JanitorHandler implements QueueHandler {
  readonly name = 'payment-service:janitor';
  readonly topics: readonly string[] = [QueueName.PAYMENT_JANITOR];
  readonly #ports: RecoveryPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: AttemptControl;

  constructor(ports: RecoveryPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new AttemptControl(ports, configOf);
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const jobs = readJobs(batch);
    if (jobs.length === 0) return;
    const { questions, timeoutMs } = await this.#ports.storage.read(batch.tenant, async (session) => ({
      questions: await this.#load(session, jobs),
      timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
    }));
    const answers = await inParallel(questions, MAX_CONCURRENT_GATEWAY_CALLS, async (question) => ({
      ...question,
      settlement: settlementOf(question.transaction, await this.#ask(batch.tenant, question, timeoutMs)),
    }));
    const answered = await this.#heard(batch, answers);
    const authorship = batchAuthorship(batch.entries, ActingComponent.JANITOR, this.#ports.clock.now());
    const { busy, exhausted } = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#record(session, batch, { jobs, answered }),
    );
    batch.busy(busy);
    for (const { payment, transaction } of exhausted) {
      const { id: paymentId, accountId } = payment;
      const facts = { paymentId, transactionId: transaction.id, accountId, status: transaction.status };
      this.#ports.logger.warn(facts, 'payment recovery has run out of checks');
    }
  }

  /** Returns the results together with the reactions of the control plugins (§8.4). */
  async #heard({ tenant }: HandlerBatch, answers: readonly Answered[]) {
    const [first] = answers;
    if (first === undefined) return answers;
    const caller = { tenant, userName: ActingComponent.JANITOR, userToken: first.job.entry.userToken };
    const told = answers.map(({ job, settlement, gateway }) => ({
      ...settlement,
      pluginName: gateway?.name ?? null,
      userToken: job.entry.userToken,
    }));
    const heard = await this.#control.heard(caller, told, this.#ports.clock.now());
    return answers.map((answer, index) => ({ ...answer, settlement: heard[index] ?? answer.settlement }));
  }

  /** Loads open transactions on which no call holds a lease (§7.1 rule 3). */
  async #load(session: ReadSession, jobs: readonly Job[]) {
    const ids = jobs.map(({ transactionId }) => transactionId);
    const transactions = await session.payments.findTransactionsByIds(ids);
    const payments = await session.payments.findByIds([...new Set(jobs.map(({ paymentId }) => paymentId))]);
    const methodIds = [...new Set(payments.map(({ paymentMethodId }) => paymentMethodId))];
    const methods = await session.payments.findMethodsByIds(methodIds);
    const now = this.#ports.clock.now();
    return jobs.flatMap((job) => {
      const transaction = transactions.find(({ id }) => id === job.transactionId);
      const payment = payments.find(({ id }) => id === job.paymentId);
      if (!transaction || !payment || !isUnresolved(transaction) || isLeased(transaction, now)) return [];
      const method = methods.find(({ id }) => id === payment.paymentMethodId);
      const gateway = method && this.#ports.gateways.get(method.pluginName);
      return [{ job, payment, transaction, gateway }];
    });
  }

  async #ask(
    tenant: TenantRef,
    { job, payment, transaction, gateway }: Question,
    timeoutMs: number,
  ): Promise<CallOutcome> {
    const facts = { paymentId: payment.id, transactionId: transaction.id };
    if (!gateway) {
      this.#ports.logger.warn(facts, 'the gateway of an open transaction is not registered; it stays open');
      return { kind: 'NO_RESULT' };
    }
    const { userToken } = job.entry;
    const createdDate = this.#ports.clock.now();
    const context = { tenant, userName: ActingComponent.JANITOR, userToken, createdDate };
    const request = { accountId: payment.accountId, paymentId: payment.id, properties: [] };
    // Look for a running call before reading the gateway's list, because a call that ends between the two reads may be
    // missing from the list.
    const wasRunning = isRunning(gateway, transaction.id);
    const reply = await callGatewayOnce(this.#ports, { context, timeoutMs, request }, async (asking, as) =>
      claimedResults(await gateway.getPaymentInfo(asking, as)),
    );
    const isComplete = gateway.capabilities?.completeLedger === true;
    return recoveredOutcome(transaction, reply, { provesAbsence: isComplete && !wasRunning });
  }

  async #record(
    session: WriteSession,
    batch: HandlerBatch,
    { jobs, answered }: { readonly jobs: readonly Job[]; readonly answered: readonly Answered[] },
  ) {
    const now = session.authorship.createdDate;
    const accounts = await session.tryLockAccounts(jobs.flatMap(({ entry }) => entry.accountRecordId ?? []));
    const locked = new Set<number | null>(accounts.map(({ recordId }) => recordId));
    const ours = jobs.filter(({ entry }) => locked.has(entry.accountRecordId));
    // The current entry must end before the next check is scheduled, because both have the same key.
    const finished = ours.map(({ entry }) => entry);
    await batch.finish(session, finished);
    const asked = answered.filter(({ job }) => ours.includes(job));
    const settlements = asked.map(({ settlement }) => settlement);
    const configOf = this.#configOf;
    const config = await configOf(session);
    const { transactions: stored } = await recordOutcomes(session, settlements, {
      ids: this.#ports.ids,
      configOf,
    });
    // From now on, queried transactions that are still undecided are open and have no running call (§5.3 rule 3).
    const requestedIds = asked.map(({ transaction: { id } }) => id);
    const lapsed = requestedIds.filter((id) => {
      const after = stored.get(id);
      return after !== undefined && hasLapsed(after, now);
    });
    await session.payments.endLeases(lapsed, { now });
    const exhausted = scheduleNext(session, { answered: asked, stored, config });
    const leased = ours.filter((job) => !asked.some((each) => each.job === job));
    await postponeLeased(session, leased, config);
    return { busy: jobs.filter((job) => !ours.includes(job)).map(({ entry }) => entry), exhausted };
  }
}

/**
 * Schedules the next check of transactions that have not changed (§7.2 rule 1). Returns the transactions that get no
 * further check (rule 5).
 */
function scheduleNext(
  session: WriteSession,
  asked: {
    readonly answered: readonly Answered[];
    readonly stored: ReadonlyMap<Uuid, PaymentTransaction>;
    readonly config: PaymentConfig;
  },
) {
  const { answered, stored, config } = asked;
  const now = session.authorship.createdDate;
  const exhausted: Answered[] = [];
  for (const answer of answered) {
    const after = stored.get(answer.transaction.id);
    if (!after || !isUnresolved(after)) continue;
    if (after.status !== answer.transaction.status) continue; // A change from UNKNOWN to PENDING has already scheduled its checks.
    const next = checkAfter(answer.job, { status: after.status, now }, config);
    if (next) session.schedule([recoveryNotification(after, next)]);
    else exhausted.push(answer);
  }
  session.publish(exhausted.map(({ payment, transaction }) => unresolvedEvent(payment, transaction)));
  return exhausted;
}

/**
 * Postpones checks that come due during a running call until the lease of that call has ended. Drops checks of decided
 * transactions.
 */
async function postponeLeased(session: WriteSession, jobs: readonly Job[], config: PaymentConfig) {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ transactionId }) => transactionId);
  const transactions = await session.payments.findTransactionsByIds(ids);
  const now = session.authorship.createdDate;
  for (const transaction of transactions) {
    if (!isUnresolved(transaction)) continue;
    const next = checkAfterLease(transaction, now, config);
    if (next) session.schedule([recoveryNotification(transaction, next)]);
  }
}

function readJobs(batch: HandlerBatch) {
  return batch.entries.flatMap((entry) => {
    try {
      return [{ ...readRecoveryJob(entry.payload), entry }];
    } catch (error) {
      batch.failed(entry, error);
      return [];
    }
  });
}

function settlementOf(transaction: PaymentTransaction, outcome: CallOutcome): Settlement {
  return { paymentId: transaction.paymentId, transactionId: transaction.id, outcome, source: 'JANITOR' };
}

/** Maximum number of open attempts in one sweep (payments §7.2 rule 4). */
const MAX_SWEPT_ATTEMPTS = 1_000;

type SweepPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'>;

interface Sweep {
  /** Minimum age of the attempts that a sweep ends, measured by the business clock. */
  readonly olderThanMs: number;
  tenantOf(recordId: number): Promise<TenantRef>;
}

/** An open attempt and its run. The run is null if the attempt created no transaction. */
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
 * Ends attempts that a crash left in INIT (§7.2 rule 4). An attempt without a transaction becomes ABORTED; other
 * attempts get the outcome of their transaction. Attempts with an UNKNOWN outcome are left to recovery. Several nodes
 * may sweep at the same time: an attempt changes once, but each node may notify its plugins.
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

  /**
   * Runs one sweep over the attempts. If it fails for a tenant, logs the error. The next sweep includes that tenant
   * again.
   */
  async sweep({ olderThanMs, tenantOf }: Sweep): Promise<void> {
    const { storage, clock, logger } = this.#ports;
    const before = addMilliseconds(clock.now(), -olderThanMs);
    const open = await storage.system.findOpenAttempts(before, MAX_SWEPT_ATTEMPTS);
    for (const [recordId, attempts] of Map.groupBy(open, ({ tenantRecordId }) => tenantRecordId)) {
      try {
        await this.#sweepTenant(await tenantOf(recordId), attempts);
      } catch (error) {
        const facts = { err: error, tenantRecordId: recordId };
        logger.error(
          facts,
          'open payment attempts of a tenant were not ended; the next sweep checks them again',
        );
      }
    }
  }

  async #sweepTenant(tenant: TenantRef, open: readonly OpenAttempt[]) {
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

  /** Informs the control plugins of an attempt about the end of its run (§8.4). */
  async #heard(caller: ControlCaller, { attempt, run }: Left, timeoutMs: number) {
    if (run === null || !this.#control.hears(attempt.pluginNames)) return undefined;
    return this.#control.tell(caller, { transaction: run.transaction, attempt }, timeoutMs);
  }
}

function isAsBefore({ attempt, run }: Left, left: readonly Left[]) {
  const before = left.find((each) => each.attempt.id === attempt.id);
  return before !== undefined && before.run?.transaction.status === run?.transaction.status;
}

function endedLater(
  { attempt, run }: Left,
  control: ControlResult | undefined,
  rules: { readonly now: Instant; readonly config: PaymentConfig },
): EndedAttempt {
  if (run === null) {
    const pluginProperties = attempt.pluginProperties ?? [];
    return { attempt: { ...attempt, stateName: AttemptState.ABORTED, pluginProperties }, retry: [] };
  }
  const { transaction, payment, transactions, paid } = run;
  const isPurchase = transaction.transactionType === 'PURCHASE';
  const invoiceId = isPurchase ? (paid?.invoiceId ?? null) : null;
  return endedAttempt(attempt, { transaction, payment, transactions, invoiceId, control }, rules);
}

/** Loads the attempts that are still open and their transactions, in a constant number of queries. */
async function load(session: ReadSession, open: readonly OpenAttempt[]) {
  const { payments: reads } = session;
  const found = await reads.findAttemptsByIds(open.map(({ id }) => id));
  const attempts = found.filter(({ stateName }) => stateName === 'INIT');
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
    if (transaction.status === 'UNKNOWN') return [];
    const own = transactions.filter(({ paymentId }) => paymentId === payment.id);
    const paid = rows.find(({ type, paymentId }) => type === 'ATTEMPT' && paymentId === payment.id);
    return [{ attempt, run: { transaction, payment, transactions: own, paid } }];
  });
}
