import { changeInvoices, withAdjustments } from '../../invoicing/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type InvoicePayment,
  InvoicePaymentType,
  isUnresolved,
  type NewNotification,
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { AttemptControl } from '../plugins/attempt-control.ts';
import type { AnsweredCall } from '../plugins/call-gateway.ts';
import { type SettledRecords, settledInvoices, withAdjustmentsNoted } from '../state/invoice-effect.ts';
import { type Consequences, consequencesOf, type Decided } from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { recoveryKey, releaseNotification, retryKey } from '../state/payment-notifications.ts';
import { isLeased } from '../state/payment-state.ts';
import {
  readOutcome,
  type Settlement,
  settledTransaction,
  settlementsTold,
  type ToldPayment,
} from '../state/transaction-outcome.ts';

interface RecordTools {
  readonly ids: IdGenerator;
  readonly config: PaymentConfig;
  readonly now: Instant;
}

export interface RecordedPayments {
  readonly transactions: ReadonlyMap<Uuid, PaymentTransaction>;
  readonly payments: ReadonlyMap<Uuid, Payment>;
}

/**
 * The Record step (§5.1 rule 3, §7.1, §8.4, §9.4): for each transaction that is still UNKNOWN or PENDING, or that an
 * operator corrects (§7.4), writes status,
 * payment state, attempt, invoice payment, invoice and account balance, retry and recovery notifications and bus events,
 * all in this session's transaction. The caller holds the locks of the accounts. A transaction that is already decided,
 * or of which recovery learns nothing new, stays as it is. A constant number of statements, of which those that do not
 * depend on each other go together.
 *
 * @returns the payments and all their transactions as they are afterwards.
 */
export async function recordOutcomes(
  session: WriteSession,
  settlements: readonly Settlement[],
  { ids, configOf }: { readonly ids: IdGenerator; readonly configOf: PaymentConfigOf },
): Promise<RecordedPayments> {
  const tools = { ids, config: await configOf(session), now: session.authorship.createdDate };
  const records = await loadRecords(session, settlements);
  const stored = new Map(records.transactions.map((transaction) => [transaction.id, transaction]));
  const changes = settlements.flatMap((settlement) => {
    const before = stored.get(settlement.transactionId);
    const settled = before && settledTransaction(before, settlement, tools.now);
    if (!settled) return [];
    const after = withAdjustmentsNoted(before, settled);
    return [{ before, after, settlement }];
  });
  const wanted = changes.map(({ before, after }) => ({ transaction: after, expected: before.status }));
  const written = new Set(wanted.length > 0 ? await session.payments.updateTransactions(wanted) : []);
  for (const { after } of changes) if (written.has(after.id)) stored.set(after.id, after);
  const transactions = records.transactions.flatMap(({ id }) => stored.get(id) ?? []);
  const effective = changes.filter(({ after }) => written.has(after.id));
  const { all, payments } = consequencesInOrder(effective, { ...records, transactions }, tools);
  if (all.length > 0) await writeConsequences(session, all, { ...tools, ...records, payments });
  const { rows } = records;
  const before = effective.map((change) => change.before);
  session.schedule(await holdsToRelease(session, before, { rows, now: tools.now }));
  return { transactions: stored, payments };
}

/**
 * What follows from all of them, in the order in which the transactions were created: each begins with what
 * the one before has left of their payment and its rows.
 */
function consequencesInOrder(
  changes: readonly (Omit<Decided, 'transaction'> & { readonly after: PaymentTransaction })[],
  records: SettledRecords,
  tools: RecordTools,
): { readonly all: readonly Consequences[]; readonly payments: ReadonlyMap<Uuid, Payment> } {
  const payments = new Map(records.payments);
  const latest = new Map(records.latest);
  const order = new Map(records.transactions.map(({ id }, index) => [id, index]));
  const placeOf = ({ after }: { readonly after: PaymentTransaction }) => order.get(after.id) ?? 0;
  const all = changes
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap(({ after, ...decided }) => {
      const found = consequencesOf(
        { ...decided, transaction: after },
        { ...records, payments, latest },
        tools,
      );
      if (found === undefined) return [];
      if (found.row !== null) latest.set(found.row.after.id, found.row.after);
      payments.set(found.payment.id, found.payment);
      return [found];
    });
  return { all, payments };
}

async function loadRecords(
  session: WriteSession,
  settlements: readonly Settlement[],
): Promise<SettledRecords> {
  const paymentIds = [...new Set(settlements.map(({ paymentId }) => paymentId))];
  const [transactions, payments, ownRows] = await Promise.all([
    session.payments.findTransactions(paymentIds),
    session.payments.findByIds(paymentIds),
    session.payments.findInvoicePaymentsByPayments(paymentIds),
  ]);
  const asked = new Set(settlements.map(({ transactionId }) => transactionId));
  const settled = transactions.filter(({ id }) => asked.has(id));
  const refunded = new Set(settled.flatMap(({ invoiceRefund }) => invoiceRefund?.paymentId ?? []));
  for (const id of paymentIds) refunded.delete(id);
  const [attempts, refundedRows] = await Promise.all([
    session.payments.findAttemptsByIds(settled.flatMap(({ attemptId }) => attemptId ?? [])),
    session.payments.findInvoicePaymentsByPayments([...refunded]),
  ]);
  const rows = [...ownRows, ...refundedRows];
  const invoices = await session.invoices.findByIds([...new Set(rows.map(({ invoiceId }) => invoiceId))]);
  const disputed = transactions.filter(
    ({ id, transactionType }) => asked.has(id) && transactionType === TransactionType.CHARGEBACK,
  );
  const disputing = new Set(disputed.map(({ accountRecordId }) => accountRecordId));
  return {
    transactions,
    openInvoiceRefunds: await session.payments.findOpenInvoiceRefunds([...disputing]),
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    attempts: new Map(attempts.map((attempt) => [attempt.id, attempt])),
    rows,
    latest: new Map(rows.map((row) => [row.id, row])),
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
  };
}

async function writeConsequences(
  session: WriteSession,
  all: readonly Consequences[],
  { ids, invoices, payments }: Pick<RecordTools, 'ids'> & Pick<SettledRecords, 'invoices' | 'payments'>,
): Promise<void> {
  const changedPayments = [...new Set(all.map(({ payment }) => payment.id))];
  // What was planned for an attempt is decided anew with it.
  const planned = [
    ...all.map(({ transaction }) => recoveryKey(transaction.id)),
    ...all.flatMap(({ attempt }) => (attempt ? [retryKey(attempt.id)] : [])),
  ];
  await Promise.all([
    session.payments.updatePayments(changedPayments.flatMap((id) => payments.get(id) ?? [])),
    session.payments.updateAttempts(all.flatMap(({ attempt }) => attempt ?? [])),
    session.unschedule(planned),
  ]);
  const rows = all.flatMap(({ row }) => row ?? []);
  await session.payments.updateInvoicePayments(rows.flatMap((row) => (row.before ? [row.after] : [])));
  const newRows = rows.flatMap((row) => (row.before ? [] : [row.after]));
  if (newRows.length > 0) await session.payments.insertInvoicePayments(newRows);
  const released = new Set(
    all.flatMap(({ row, transaction }) => (row && !isUnresolved(transaction) ? row.after.invoiceId : [])),
  );
  const settled = settledInvoices(rows, invoices, released);
  const changes = await withAdjustments(session, settled, { adjustments: adjustmentsOf(all), ids });
  session.schedule(all.flatMap(({ notifications }) => notifications));
  session.publish(all.flatMap(({ events }) => events));
  // Its adjustments are told after the payments that lead to them (§12).
  await changeInvoices(session, { changes }, ids);
}

/** What succeeded refunds take off items of their invoices (§9.5 rule 1 e). */
function adjustmentsOf(all: readonly Consequences[]) {
  return all.flatMap(({ row, adjustments }) =>
    row === null ? [] : adjustments.map((each) => ({ ...each, invoiceId: row.after.invoiceId })),
  );
}

/**
 * The releases of holds that have waited for the outcome of these transactions (§9.3); whether an account is held back
 * again shows when they are due. A call that ends under its own lease has let no release pass, which would have waited.
 */
export async function holdsToRelease(
  session: WriteSession,
  changed: readonly PaymentTransaction[],
  { rows, now }: { readonly rows: readonly InvoicePayment[]; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  const seen = changed.filter(
    (before) =>
      isUnresolved(before) && (before.status === TransactionStatus.PENDING || !isLeased(before, now)),
  );
  const paymentIds = new Set(seen.map(({ paymentId }) => paymentId));
  const paid = rows.filter(
    ({ type, paymentId }) =>
      type === InvoicePaymentType.ATTEMPT && paymentId !== null && paymentIds.has(paymentId),
  );
  const holds = await session.payments.findHoldsByInvoices([
    ...new Set(paid.map(({ invoiceId }) => invoiceId)),
  ]);
  return holds.map((hold) => releaseNotification(hold, now));
}

export type LaterPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'
>;

type Author = Pick<CallContext, 'tenant'> & Parameters<typeof authorshipOf>[0];

/** Records outcomes that come another way than as an answer in time: late, by a read, or from an operator (§2.2, §7). */
export class LaterOutcomes {
  readonly #ports: LaterPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: AttemptControl;
  readonly #applying = new Set<Promise<void>>();

  constructor(ports: LaterPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new AttemptControl(ports, configOf);
  }

  /**
   * Tells the control plugins of the attempts (§8.4), and records the outcomes under the locks of the accounts.
   * @param check whether they still hold, under these locks; default: yes.
   * @returns null if they do not hold any more.
   */
  async record(
    author: Author,
    {
      accountIds,
      settlements,
    }: { readonly accountIds: readonly Uuid[]; readonly settlements: readonly Settlement[] },
    check: (session: WriteSession) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<RecordedPayments | null> {
    const { storage, ids } = this.#ports;
    const heard = await this.#control.heard(author, settlements, author.createdDate);
    return storage.write(author.tenant, authorshipOf(author), async (session) => {
      await session.lockAccounts(accountIds, { wait: LockWait.PAYMENT });
      if (!(await check(session))) return null;
      return recordOutcomes(session, heard, { ids, configOf: this.#configOf });
    });
  }

  /**
   * Records what gateways told of open transactions during a read (§7.1, §7.2 rule 3). A failure is logged and changes
   * nothing: the read goes on, and the janitor asks again.
   * @returns whether there was something to record.
   */
  async repair(context: CallContext, told: readonly ToldPayment[]): Promise<boolean> {
    const settlements = told.flatMap((each) => settlementsTold(each, context.createdDate));
    if (settlements.length === 0) return false;
    const paymentIds = new Set<Uuid>(settlements.map(({ paymentId }) => paymentId));
    const accountIds = new Set(
      told.flatMap(({ payment: { id, accountId } }) => (paymentIds.has(id) ? accountId : [])),
    );
    try {
      await this.record(context, { accountIds: [...accountIds], settlements });
      return true;
    } catch (error) {
      const facts = { err: error, paymentIds: [...paymentIds] };
      this.#ports.logger.warn(
        facts,
        'what a gateway told of open payments was not recorded; recovery asks again',
      );
      return false;
    }
  }

  /**
   * Records the answers of calls that ran out of time when they arrive, in the background. Failures are logged; the janitor
   * asks later anyway.
   */
  follow(answered: readonly AnsweredCall[]): void {
    for (const call of answered)
      void call.late?.then((outcome) => {
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

  async #apply(call: AnsweredCall, outcome: CallOutcome): Promise<void> {
    const { caller, account, transaction } = call;
    const createdDate = this.#ports.clock.now();
    const author = { ...caller, reasonCode: null, comments: null, createdDate };
    const { leaseUntil } = transaction;
    const settlement = { ...idsOf(call), outcome, source: 'LATE' as const, leaseUntil };
    const recorded = await this.record(author, { accountIds: [account.id], settlements: [settlement] });
    const after = recorded?.transactions.get(transaction.id);
    if (!after || isUnresolved(after)) return;
    const told = readOutcome(after, outcome);
    if (told.status === after.status || told.status === 'UNKNOWN') return;
    // Decided another way meanwhile; by §1.7 rule 7 only an operator may change it.
    const facts = { ...idsOf(call), recorded: after.status, answered: told.status };
    this.#ports.logger.error(
      facts,
      'a late answer contradicts the recorded outcome; check it with the gateway',
    );
  }
}

function idsOf({ paymentId, transaction: { id: transactionId } }: AnsweredCall) {
  return { paymentId, transactionId };
}
