import type { PaymentGateway, Ports } from '../../ports/index.ts';
import type { ClaimedEntry, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  isUnresolved,
  type Payment,
  type PaymentTransaction,
  QueueName,
  type TenantRef,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, inParallel, type QueueHandler } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { type CallOutcome, claimedResults } from '../claims/gateway-claims.ts';
import { recordOutcomes } from '../machine/record-outcomes.ts';
import { AttemptControl } from '../plugins/attempt-control.ts';
import { askGateway, isRunning } from '../plugins/call-gateway.ts';
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
import { recoveredOutcome, type Settlement } from '../state/transaction-outcome.ts';

type RecoveryPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways' | 'paymentControls'
>;

interface Job extends RecoveryJob {
  readonly entry: ClaimedEntry;
}

/** A transaction about which recovery asks its gateway. */
interface Question {
  readonly job: Job;
  readonly payment: Payment;
  readonly transaction: PaymentTransaction;
  readonly gateway: PaymentGateway | undefined;
}

interface Answered extends Question {
  /** With what the control plugins of the attempt have said of it. */
  readonly settlement: Settlement;
}

/**
 * Recovers transactions whose outcome is open (§7.1, §7.2): asks the gateway by transaction id, never sends a charge
 * again, records what it learns as the call itself would have done, and otherwise comes back later.
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
      const facts = { paymentId: payment.id, transactionId: transaction.id, accountId: payment.accountId };
      this.#ports.logger.warn(
        { ...facts, status: transaction.status },
        'payment recovery has run out of checks',
      );
    }
  }

  /** The answers with the reactions of the control plugins of the attempts (§8.4). */
  async #heard({ tenant }: HandlerBatch, answers: readonly Answered[]): Promise<readonly Answered[]> {
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

  /** Open transactions that are not under a lease (§7.1 rule 3). */
  async #load(session: ReadSession, jobs: readonly Job[]): Promise<readonly Question[]> {
    const transactions = await session.payments.findTransactionsByIds(
      jobs.map(({ transactionId }) => transactionId),
    );
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
    const context = {
      tenant,
      userName: ActingComponent.JANITOR,
      userToken: job.entry.userToken,
      createdDate: this.#ports.clock.now(),
    };
    const request = { accountId: payment.accountId, paymentId: payment.id, properties: [] };
    // Asked before the list is: what settles in between may be missing there.
    const wasRunning = isRunning(gateway, transaction.id);
    const reply = await askGateway(this.#ports, { context, timeoutMs, request }, async (asking, as) =>
      claimedResults(await gateway.getPaymentInfo(asking, as)),
    );
    const isComplete = gateway.capabilities?.completeLedger === true;
    return recoveredOutcome(transaction, reply, { provesAbsence: isComplete && !wasRunning });
  }

  async #record(
    session: WriteSession,
    batch: HandlerBatch,
    { jobs, answered }: { readonly jobs: readonly Job[]; readonly answered: readonly Answered[] },
  ): Promise<{ readonly busy: readonly ClaimedEntry[]; readonly exhausted: readonly Answered[] }> {
    const now = session.authorship.createdDate;
    const accounts = await session.tryLockAccounts(jobs.flatMap(({ entry }) => entry.accountRecordId ?? []));
    const locked = new Set<number | null>(accounts.map(({ recordId }) => recordId));
    const ours = jobs.filter(({ entry }) => locked.has(entry.accountRecordId));
    // The entry ends before the next check is scheduled, since both have the same key.
    await batch.finish(
      session,
      ours.map(({ entry }) => entry),
    );
    const asked = answered.filter(({ job }) => ours.includes(job));
    const settlements = asked.map(({ settlement }) => settlement);
    const config = await this.#configOf(session);
    const recorded = await recordOutcomes(session, settlements, {
      ids: this.#ports.ids,
      configOf: this.#configOf,
    });
    // What was asked about and is not decided is open without a call from now on (§5.3 rule 3).
    const lapsed = asked.filter(({ transaction: { id } }) => {
      const after = recorded.transactions.get(id);
      return after !== undefined && hasLapsed(after, now);
    });
    await session.payments.endLeases(
      lapsed.map(({ transaction: { id } }) => id),
      { now },
    );
    const exhausted = scheduleNext(session, { answered: asked, stored: recorded.transactions, config });
    const leased = ours.filter((job) => !asked.some((each) => each.job === job));
    await postponeLeased(session, leased, config);
    return { busy: jobs.filter((job) => !ours.includes(job)).map(({ entry }) => entry), exhausted };
  }
}

/**
 * §7.2 rule 1: a check that changed nothing plans the next one; rule 5 applies when there is none. Returns the
 * transactions without a next check.
 */
function scheduleNext(
  session: WriteSession,
  input: {
    readonly answered: readonly Answered[];
    readonly stored: ReadonlyMap<Uuid, PaymentTransaction>;
    readonly config: PaymentConfig;
  },
): readonly Answered[] {
  const { answered, stored, config } = input;
  const now = session.authorship.createdDate;
  const exhausted: Answered[] = [];
  for (const answer of answered) {
    const after = stored.get(answer.transaction.id);
    if (!after || !isUnresolved(after)) continue;
    if (after.status !== answer.transaction.status) continue; // changed UNKNOWN → PENDING: its list has begun
    const next = checkAfter(answer.job, { status: after.status, now }, config);
    if (next) session.schedule([recoveryNotification(after, next)]);
    else exhausted.push(answer);
  }
  session.publish(exhausted.map(({ payment, transaction }) => unresolvedEvent(payment, transaction)));
  return exhausted;
}

/** A check that comes while a call is running is done again after its lease; a decided transaction needs none. */
async function postponeLeased(
  session: WriteSession,
  jobs: readonly Job[],
  config: PaymentConfig,
): Promise<void> {
  if (jobs.length === 0) return;
  const transactions = await session.payments.findTransactionsByIds(
    jobs.map(({ transactionId }) => transactionId),
  );
  const now = session.authorship.createdDate;
  for (const transaction of transactions) {
    if (!isUnresolved(transaction)) continue;
    const next = checkAfterLease(transaction, now, config);
    if (next) session.schedule([recoveryNotification(transaction, next)]);
  }
}

function readJobs(batch: HandlerBatch): readonly Job[] {
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
