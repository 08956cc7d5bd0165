import type { PaymentReads, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Invoice, PaymentMethod } from '../../records/index.ts';
import { BusEventType } from '../../records/index.ts';
import { PAYMENT_STOPS, tagsOfAccounts } from '../../tags/control-tags.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type ChangedRow, settleInvoices } from '../outcomes/settle-invoices.ts';
import type { PlannedCharge, PlanTools, ReservationFacts } from '../reservation/charge-records.ts';
import { type LostSuccess, lostSuccesses } from '../reservation/invoice-payment-check.ts';
import {
  type PaymentRequest,
  planReservation,
  type ReservationPlan,
} from '../reservation/plan-reservation.ts';
import { invoicePaymentResult } from '../state/invoice-payment-result.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { invoicePaymentEvent } from '../state/payment-events.ts';
import { recoveryNotification } from '../state/payment-notifications.ts';
import { janitorCheck } from '../state/recovery-schedule.ts';

export interface PlannedRequest<R extends PaymentRequest> {
  readonly request: R;
  readonly plan: ReservationPlan;
}

type ReserveTools = PlanTools & { readonly config: PaymentConfig };

/**
 * The Reserve step (§5.1 rule 1): plans each request on the data under the accounts' locks and inserts what
 * a call needs to be recoverable: payment, transaction UNKNOWN with its lease, attempt, invoice payment, and the first
 * recovery notification. A gateway without outside effect needs no recovery. `accounts` are the locked ones; requests
 * of others are left out. A constant number of statements.
 */
export async function reservePayments<R extends PaymentRequest>(
  session: WriteSession,
  { requests, accounts }: { readonly requests: readonly R[]; readonly accounts: readonly Account[] },
  tools: ReserveTools,
): Promise<readonly PlannedRequest<R>[]> {
  let facts = await loadFacts(session, requests, accounts);
  const lost = [...facts.values()].flatMap((known) => known.lost);
  if (lost.length > 0) {
    await repairLostSuccesses(session, lost, tools);
    facts = await loadFacts(session, requests, accounts);
  }
  const planned = requests.flatMap((request) => {
    const known = facts.get(request);
    return known ? [{ request, plan: planReservation(request, known.facts, tools) }] : [];
  });
  await writeReservations(
    session,
    planned.map(({ plan }) => plan),
    tools,
  );
  return planned;
}

interface KnownFacts {
  readonly facts: ReservationFacts;
  readonly lost: readonly (LostSuccess & { readonly invoice: Invoice })[];
}

async function loadFacts<R extends PaymentRequest>(
  session: WriteSession,
  requests: readonly R[],
  accounts: readonly Account[],
): Promise<ReadonlyMap<R, KnownFacts>> {
  const invoiceIds = [...new Set(requests.map(({ invoiceId }) => invoiceId))];
  const invoices = new Map(
    (await session.invoices.findByIds(invoiceIds)).map((invoice) => [invoice.id, invoice]),
  );
  const apiMethodIds = requests.flatMap(({ paymentMethodId }) => paymentMethodId ?? []);
  const stored = await loadPayments(session.payments, invoiceIds, [
    ...accounts.flatMap(({ paymentMethodId }) => paymentMethodId ?? []),
    ...apiMethodIds,
  ]);
  const heldBack = await heldBackIds(session, accounts);
  const releases = requests.flatMap(({ holdId, invoiceId }) => (holdId === undefined ? [] : invoiceId));
  const holds = await session.payments.findHoldsByInvoices(releases);
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const known = new Map<R, KnownFacts>();
  for (const request of requests) {
    const account = accountOf.get(request.accountRecordId);
    const invoice = invoices.get(request.invoiceId);
    if (!account || !invoice) continue;
    const hold = holds.find(({ invoiceId }) => invoiceId === invoice.id) ?? null;
    const isHeldBack = heldBack.has(account.id);
    const { paymentMethodId: apiMethodId } = request;
    const api = apiMethodId === undefined ? {} : { apiMethodId };
    known.set(request, factsOf({ account, invoice, isHeldBack, hold, ...api }, stored));
  }
  return known;
}

type StoredPayments = Awaited<ReturnType<typeof loadPayments>>;

async function loadPayments(
  reads: PaymentReads,
  invoiceIds: readonly Uuid[],
  askedMethodIds: readonly Uuid[],
) {
  const rows = await reads.findInvoicePaymentsByInvoices(invoiceIds);
  const paymentIds = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  const payments = paymentIds.length > 0 ? await reads.findByIds(paymentIds) : [];
  const transactions = paymentIds.length > 0 ? await reads.findTransactions(paymentIds) : [];
  const keys = payments.map(({ externalKey }) => externalKey);
  const attempts = keys.length > 0 ? await reads.findAttemptsByPaymentKeys(keys) : [];
  const methodIds = new Set([...askedMethodIds, ...payments.map(({ paymentMethodId }) => paymentMethodId)]);
  const methods = methodIds.size > 0 ? await reads.findMethodsByIds([...methodIds]) : [];
  return { rows, payments, transactions, attempts, methods };
}

/** The accounts whose tags hold automatic payments back (§9.2 rule 6). */
async function heldBackIds(session: WriteSession, accounts: readonly Account[]): Promise<ReadonlySet<Uuid>> {
  const ids = accounts.map(({ id }) => id);
  const tags = await tagsOfAccounts(session, ids);
  return new Set(ids.filter((id) => tags.has(id, ...PAYMENT_STOPS)));
}

/** The facts of one invoice, and its rows that are to be repaired first (§9.2 rule 2). */
function factsOf(
  of: Pick<ReservationFacts, 'account' | 'invoice' | 'isHeldBack' | 'hold' | 'apiMethodId'>,
  stored: StoredPayments,
): KnownFacts {
  const { invoice } = of;
  const rows = stored.rows.filter(({ invoiceId }) => invoiceId === invoice.id);
  const ids = new Set(rows.map(({ paymentId }) => paymentId));
  const payments = stored.payments.filter(({ id }) => ids.has(id));
  const keys = new Set(payments.map(({ externalKey }) => externalKey));
  const transactions = stored.transactions.filter(({ paymentId }) => ids.has(paymentId));
  const methods = new Map<Uuid, PaymentMethod>(stored.methods.map((method) => [method.id, method]));
  const attempts = stored.attempts.filter(({ paymentExternalKey }) => keys.has(paymentExternalKey));
  const lost = lostSuccesses(rows, transactions).map((found) => ({ ...found, invoice }));
  const facts = { ...of, rows, payments, transactions, attempts, methods };
  return { facts, lost };
}

async function repairLostSuccesses(
  session: WriteSession,
  lost: readonly (LostSuccess & { readonly invoice: Invoice })[],
  tools: ReserveTools,
): Promise<void> {
  const changed: readonly ChangedRow[] = lost.map(({ row, transaction, invoice }) => {
    const { status, amount, processedCurrency } = invoicePaymentResult(transaction, invoice.currency);
    return { before: row, after: { ...row, status, amount, processedCurrency } };
  });
  const invoices = new Map(lost.map(({ invoice }) => [invoice.id, invoice]));
  await session.payments.updateInvoicePayments(changed.map(({ after }) => after));
  await settleInvoices(session, { rows: changed, invoices }, tools);
  const events = changed.flatMap(({ after }) => {
    const accountId = invoices.get(after.invoiceId)?.accountId;
    const type = BusEventType.INVOICE_PAYMENT_SUCCESS;
    return accountId ? [invoicePaymentEvent({ type, accountId, row: after, attempt: null })] : [];
  });
  session.publish(events);
}

async function writeReservations(
  session: WriteSession,
  plans: readonly ReservationPlan[],
  tools: ReserveTools,
): Promise<void> {
  const charges = plans.flatMap((plan) => (plan.kind === 'CHARGE' ? [plan.charge] : []));
  const ended = plans.flatMap((plan) => (plan.kind === 'WAIT' ? [] : plan.ended));
  const newPayments = charges.flatMap(({ newPayment }) => newPayment ?? []);
  if (newPayments.length > 0) {
    const first = await session.payments.takePaymentNumbers(newPayments.length);
    await session.payments.insertPayments(
      newPayments.map((payment, index) => ({ ...payment, paymentNumber: first + index })),
    );
  }
  if (charges.length > 0)
    await session.payments.insertTransactions(charges.map(({ transaction }) => transaction));
  const attempts = [...ended, ...charges.map(({ attempt }) => attempt)];
  if (attempts.length > 0) await session.payments.insertAttempts(attempts);
  const newRows = charges.flatMap(({ newRow }) => newRow ?? []);
  if (newRows.length > 0) await session.payments.insertInvoicePayments(newRows);
  const changedRows = charges.flatMap(({ changedRow }) => changedRow ?? []);
  if (changedRows.length > 0) await session.payments.updateInvoicePayments(changedRows);
  await session.payments.insertHolds(
    plans.flatMap((plan) => (plan.kind === 'STOP' ? (plan.newHold ?? []) : [])),
  );
  await session.payments.endHolds(
    plans.flatMap((plan) => (plan.kind === 'WAIT' ? [] : (plan.endedHold ?? []))),
  );
  session.schedule(charges.filter(hasOutsideEffect).flatMap((charge) => firstCheck(charge, tools) ?? []));
  session.publish(plans.flatMap((plan) => (plan.kind === 'STOP' ? plan.events : [])));
}

/** False for a gateway whose operation is part of the storage transaction (§2.4 rule 1). */
export function hasOutsideEffect(charge: Pick<PlannedCharge, 'gateway'>): boolean {
  return charge.gateway.capabilities?.sideEffectFree !== true;
}

/** §5.1 rule 1: the check that finds what a crash left, at the end of the lease plus the first delay. */
function firstCheck({ transaction }: PlannedCharge, tools: ReserveTools) {
  const from: Instant = transaction.leaseUntil ?? tools.leaseUntil;
  const check = janitorCheck({ status: 'UNKNOWN', check: 0, from }, tools.config);
  return check && recoveryNotification(transaction, check);
}
