import { changeInvoices, withAdjustments } from '../../invoicing/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type InvoicePayment,
  isUnresolved,
  type NewNotification,
  type Payment,
  type PaymentTransaction,
} from '../../records/index.ts';
import { allEnded, authorshipOf } from '../../runtime/index.ts';
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
  type ReportedPayment,
  readOutcome,
  reportedSettlements,
  type Settlement,
  settledTransaction,
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
 * Performs the step Record (§5.1 rule 3, §7.1, §8.4, §9.4). For each transaction that is UNKNOWN or PENDING, or that
 * an operator corrects (§7.4), writes status, payment state, attempt, invoice payment, invoice and account balance,
 * notifications and bus events in this session's transaction, in a constant number of statements. The caller holds
 * the locks of the accounts. Decided transactions, and transactions about which recovery learns nothing new, stay as
 * they are.
 * @returns the payments with all their transactions.
 */
export async function recordOutcomes(
  session: WriteSession,
  settlements: readonly Settlement[],
  {
    ids,
    configOf,
    inserted = null,
  }: {
    readonly ids: IdGenerator;
    readonly configOf: PaymentConfigOf;
    /**
     * The records of the settlements, if this session has inserted them. If this field is absent, the records are
     * loaded.
     */
    readonly inserted?: SettledRecords | null;
  },
): Promise<RecordedPayments> {
  const tools = { ids, config: await configOf(session), now: session.authorship.createdDate };
  const records = inserted ?? (await loadRecords(session, settlements));
  const stored = new Map(records.transactions.map((transaction) => [transaction.id, transaction]));
  const changes = settlements.flatMap((settlement) => {
    const before = stored.get(settlement.transactionId);
    const settled = before && settledTransaction(before, settlement, tools.now);
    if (!settled) return [];
    return [{ before, transaction: withAdjustmentsNoted(before, settled), settlement }];
  });
  const wanted = changes.map(({ before, transaction }) => ({ transaction, expected: before.status }));
  const updating = session.payments.updateTransactions(wanted);
  // If a later step fails first, this promise is never awaited.
  updating.catch(() => undefined);
  // No other session can have changed the records that this session has inserted.
  const written = new Set(inserted === null ? await updating : wanted.map(({ transaction: { id } }) => id));
  for (const { transaction } of changes)
    if (written.has(transaction.id)) stored.set(transaction.id, transaction);
  const transactions = records.transactions.flatMap(({ id }) => stored.get(id) ?? []);
  const effective = changes.filter(({ transaction }) => written.has(transaction.id));
  const { all, payments } = consequencesInOrder(effective, { ...records, transactions }, tools);
  const writing = { ...tools, ...records, payments, isNew: inserted !== null };
  await allEnded([updating, writeConsequences(session, all, writing)]);
  const { rows } = records;
  const before = effective.map((change) => change.before);
  session.schedule(await holdsToRelease(session, before, { rows, now: tools.now }));
  return { transactions: stored, payments };
}

/**
 * Returns the consequences of the changes, in the order in which the transactions were created. Each consequence builds
 * on the previous consequences.
 */
function consequencesInOrder(changes: readonly Decided[], records: SettledRecords, tools: RecordTools) {
  const payments = new Map(records.payments);
  const latest = new Map(records.latest);
  const order = new Map(records.transactions.map(({ id }, index) => [id, index]));
  const placeOf = ({ transaction: { id } }: Decided) => order.get(id) ?? 0;
  const all = changes
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap((decided) => {
      const found = consequencesOf(decided, { ...records, payments, latest }, tools);
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
  const invoicesOf = (rows: readonly InvoicePayment[]) =>
    session.invoices.findByIds([...new Set(rows.map(({ invoiceId }) => invoiceId))]);
  const [attempts, refundedRows, ownInvoices] = await allEnded([
    session.payments.findAttemptsByIds(settled.flatMap(({ attemptId }) => attemptId ?? [])),
    session.payments.findInvoicePaymentsByPayments([...refunded]),
    invoicesOf(ownRows),
  ]);
  const rows = [...ownRows, ...refundedRows];
  const invoices = [...ownInvoices, ...(await invoicesOf(refundedRows))];
  const disputed = settled.filter(({ transactionType }) => transactionType === 'CHARGEBACK');
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
  {
    ids,
    invoices,
    payments,
    isNew,
  }: Pick<RecordTools, 'ids'> &
    Pick<SettledRecords, 'invoices' | 'payments'> & {
      /** True if no notification is planned yet. */
      readonly isNew: boolean;
    },
) {
  if (all.length === 0) return;
  const changedPayments = [...new Set(all.map(({ payment }) => payment.id))];
  // The notifications planned for an attempt are recalculated together with the attempt.
  const planned = [
    ...all.map(({ transaction }) => recoveryKey(transaction.id)),
    ...all.flatMap(({ attempt }) => (attempt ? [retryKey(attempt.id)] : [])),
  ];
  const rows = all.flatMap(({ row }) => row ?? []);
  const released = new Set(
    all.flatMap(({ row, transaction }) => (row && !isUnresolved(transaction) ? row.after.invoiceId : [])),
  );
  const settled = settledInvoices(rows, invoices, released);
  const settleInvoices = async () => {
    const changes = await withAdjustments(session, settled, { adjustments: adjustmentsOf(all), ids });
    session.schedule(all.flatMap(({ notifications }) => notifications));
    session.publish(all.flatMap(({ events }) => events));
    // Adjustments are reported after the payments that cause them (§12).
    await changeInvoices(session, { changes }, ids);
  };
  await allEnded([
    session.payments.updatePayments(changedPayments.flatMap((id) => payments.get(id) ?? [])),
    session.payments.updateAttempts(all.flatMap(({ attempt }) => attempt ?? [])),
    session.unschedule(isNew ? [] : planned),
    session.payments.updateInvoicePayments(rows.flatMap((row) => (row.before ? [row.after] : []))),
    session.payments.insertInvoicePayments(rows.flatMap((row) => (row.before ? [] : [row.after]))),
    settleInvoices(),
  ]);
}

/** Returns the item adjustments of successful refunds (§9.5 rule 1 e). */
function adjustmentsOf(all: readonly Consequences[]) {
  return all.flatMap(({ row, adjustments }) =>
    row === null ? [] : adjustments.map((each) => ({ ...each, invoiceId: row.after.invoiceId })),
  );
}

/**
 * Returns the notifications that release the holds waiting for these outcomes (§9.3). A hold never waits for a call
 * whose lease has expired.
 */
export async function holdsToRelease(
  session: WriteSession,
  changed: readonly PaymentTransaction[],
  { rows, now }: { readonly rows: readonly InvoicePayment[]; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  const seen = changed.filter(
    (before) => isUnresolved(before) && (before.status === 'PENDING' || !isLeased(before, now)),
  );
  const paymentIds = new Set(seen.map(({ paymentId }) => paymentId));
  const invoiceIds = rows.flatMap(({ type, paymentId, invoiceId }) =>
    type === 'ATTEMPT' && paymentId !== null && paymentIds.has(paymentId) ? invoiceId : [],
  );
  const holds = await session.payments.findHoldsByInvoices([...new Set(invoiceIds)]);
  return holds.map((hold) => releaseNotification(hold, now));
}

export type LaterPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'paymentControls'
>;

type Author = Pick<CallContext, 'tenant'> & Parameters<typeof authorshipOf>[0];

/** Records outcomes that become known later, through a query or from an operator (§2.2, §7). */
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
   * Notifies the control plugins of the attempts (§8.4), then records the outcomes while the accounts are locked.
   * @param check Runs under these locks and returns true if the outcomes are still valid. By default, they are always
   * valid.
   * @returns null for outcomes that are no longer valid.
   */
  async record(
    author: Author,
    asked: { readonly accountIds: readonly Uuid[]; readonly settlements: readonly Settlement[] },
    check: (session: WriteSession) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<RecordedPayments | null> {
    const { storage, ids } = this.#ports;
    const { accountIds, settlements } = asked;
    const heard = await this.#control.heard(author, settlements, author.createdDate);
    return storage.write(author.tenant, authorshipOf(author), async (session) => {
      await session.lockAccounts(accountIds, { wait: LockWait.PAYMENT });
      if (!(await check(session))) return null;
      return recordOutcomes(session, heard, { ids, configOf: this.#configOf });
    });
  }

  /**
   * Records what gateways reported in response to a query (§7.1, §7.2 rule 3). Logs failures; the janitor then queries
   * these transactions again.
   * @returns true if there was something to record.
   */
  async repair(context: CallContext, told: readonly ReportedPayment[]): Promise<boolean> {
    const settlements = told.flatMap((each) => reportedSettlements(each, context.createdDate));
    if (settlements.length === 0) return false;
    const paymentIds = new Set<Uuid>(settlements.map(({ paymentId }) => paymentId));
    const changed = told.filter(({ payment }) => paymentIds.has(payment.id));
    const accountIds = new Set(changed.map(({ payment }) => payment.accountId));
    try {
      await this.record(context, { accountIds: [...accountIds], settlements });
      return true;
    } catch (error) {
      const { logger } = this.#ports;
      const facts = { err: error, paymentIds: [...paymentIds] };
      logger.warn(
        facts,
        'the gateway results of open payments were not recorded; recovery queries them again',
      );
      return false;
    }
  }

  /**
   * Records late results in the background as soon as they arrive. Logs failures; the janitor then queries these
   * transactions again.
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

  /** Resolves when all late results have been recorded. Does not wait for calls that are still running. */
  async idle(): Promise<void> {
    while (this.#applying.size > 0) await Promise.all(this.#applying);
  }

  async #apply(call: AnsweredCall, outcome: CallOutcome) {
    const { clock, logger } = this.#ports;
    const { caller, account, transaction } = call;
    const author = { ...caller, reasonCode: null, comments: null, createdDate: clock.now() };
    const { leaseUntil } = transaction;
    const settlement = { ...idsOf(call), outcome, source: 'LATE' as const, leaseUntil };
    const recorded = await this.record(author, { accountIds: [account.id], settlements: [settlement] });
    const after = recorded?.transactions.get(transaction.id);
    if (!after || isUnresolved(after)) return;
    const told = readOutcome(after, outcome);
    if (told.status === after.status || told.status === 'UNKNOWN') return;
    // The transaction has received a different outcome in the meantime.
    // Only an operator may change that outcome (§1.7 rule 7).
    const facts = { ...idsOf(call), recorded: after.status, answered: told.status };
    logger.error(facts, 'a late answer contradicts the recorded outcome; check it with the gateway');
  }
}

function idsOf({ paymentId, transaction: { id: transactionId } }: AnsweredCall) {
  return { paymentId, transactionId };
}
