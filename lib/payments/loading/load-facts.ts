import { loadAccount } from '../../accounts/index.ts';
import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { PaymentReads, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account, Payment, PaymentTransaction } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  findRequestedPayment,
  type OperationFacts,
  type OperationRequest,
} from '../planning/operation-facts.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import { type ApiPayment, factsOf, type KnownFacts } from '../planning/reservation.ts';
import { badParameter } from '../state/payment-errors.ts';
import { isFirstOperation, type PaymentOperation } from '../state/payment-state.ts';
import { type LoadedPayments, retryKeysOf } from '../state/payment-view.ts';

/** The payment of a request, or null for a new payment, and the transactions with the request's key. */
interface RequestTarget {
  readonly payment: Payment | null;
  readonly accountId: Uuid;
  readonly keyTransactions: readonly PaymentTransaction[];
}

/**
 * Loads the data for a decision in a constant number of queries (§4.1 rules 2 and 3). If the account is already locked,
 * pass it as `locked`.
 * @throws BillingError The errors of `loadRequestTarget`, ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
 */
export async function loadOperationFacts(
  session: ReadSession,
  request: OperationRequest,
  locked?: Account,
): Promise<OperationFacts> {
  const { payments: reads } = session;
  const isFirst = isFirstOperation(request.operation);
  const newMethodId = request.paymentMethodId ?? locked?.paymentMethodId ?? null;
  const [{ payment, accountId, keyTransactions }, [newMethod]] = await Promise.all([
    loadRequestTarget(session, request),
    // Most requests without a payment id create a new payment.
    reads.findMethodsByIds(
      request.paymentId === null && isFirst && newMethodId !== null ? [newMethodId] : [],
    ),
  ]);
  const account = locked?.id === accountId ? locked : await loadAccount(session, accountId);
  const own = payment === null ? [] : [payment.id];
  const methodId = payment?.paymentMethodId ?? request.paymentMethodId ?? account.paymentMethodId;
  const isLoaded = methodId === null || newMethod?.id === methodId;
  const [transactions, rows, [otherMethod]] = await Promise.all([
    reads.findTransactions(own),
    reads.findInvoicePaymentsByPayments(own),
    reads.findMethodsByIds(isLoaded ? [] : [methodId]),
  ]);
  const method = (isLoaded ? newMethod : otherMethod) ?? null;
  const openInvoiceRefunds =
    rows.length > 0 && reversingOperations.has(request.operation)
      ? await reads.findOpenInvoiceRefunds([account.recordId])
      : [];
  return { account, payment, transactions, keyTransactions, rows, openInvoiceRefunds, method };
}

/**
 * Finds the payment and the account of a request.
 * @throws BillingError The errors of `findRequestedPayment`; PAYMENT_INVALID_PARAMETER (7031).
 */
export async function loadRequestTarget(
  { payments: reads }: ReadSession,
  request: OperationRequest,
): Promise<RequestTarget> {
  const { paymentId, paymentExternalKey, transactionExternalKey } = request;
  const [keyTransactions, byId, [byKey]] = await Promise.all([
    transactionExternalKey === null ? [] : reads.findTransactionsByKeys([transactionExternalKey]),
    reads.findByIds(paymentId === null ? [] : [paymentId]),
    paymentExternalKey === null ? [] : reads.findByKeys([paymentExternalKey]),
  ]);
  const keyed = new Set<Uuid>(keyTransactions.map((each) => each.paymentId));
  const known = byId.filter(({ id }) => keyed.has(id));
  for (const { id } of known) keyed.delete(id);
  const payments = [...known, ...(await reads.findByIds([...keyed]))];
  const found = { byId: byId[0], byKey, transactions: keyTransactions, payments };
  const payment = findRequestedPayment(request, found);
  const accountId = payment?.accountId ?? request.accountId;
  if (accountId === null) throw badParameter('accountId', 'is required for a new payment');
  return { payment, accountId, keyTransactions };
}

/**
 * Operations that reverse a payment. Completions have the type CAPTURE, because an invoice payment never has separate
 * captures.
 */
const reversingOperations: ReadonlySet<PaymentOperation> = new Set(['REFUND', 'CHARGEBACK', 'CAPTURE']);

/** Loads the data for the requests of the locked accounts in a constant number of queries. */
export async function loadFacts<R extends PaymentRequest>(
  session: WriteSession,
  requests: readonly R[],
  accounts: readonly Account[],
): Promise<ReadonlyMap<R, KnownFacts>> {
  const invoiceIds = [...new Set(requests.map(({ invoiceId }) => invoiceId))];
  const apis = requests.flatMap(({ api }) => api ?? []);
  const apiMethodIds = apis.flatMap(({ methodId }) => methodId ?? []);
  const [foundInvoices, loaded, keyed, heldBack] = await allEnded([
    session.invoices.findByIds(invoiceIds),
    loadPaymentsOf(session.payments, invoiceIds, [
      ...accounts.flatMap(({ paymentMethodId }) => paymentMethodId ?? []),
      ...apiMethodIds,
      ...requests.flatMap(({ consulted }) => consulted?.paymentMethodId ?? []),
    ]),
    loadKeyed(session.payments, apis),
    findHeldAccountIds(session, accounts),
  ]);
  const stored = { ...loaded, keyed };
  const invoices = new Map(foundInvoices.map((each) => [each.id, each]));
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const mayBeHeld = ({ accountRecordId, retry }: R) =>
    retry !== null && heldBack.has(accountOf.get(accountRecordId)?.id ?? '');
  const asksHold = requests.filter((request) => request.holdId !== undefined || mayBeHeld(request));
  const holds = await session.payments.findHoldsByInvoices(asksHold.map(({ invoiceId }) => invoiceId));
  const known = new Map<R, KnownFacts>();
  for (const request of requests) {
    const account = accountOf.get(request.accountRecordId);
    const invoice = invoices.get(request.invoiceId);
    if (!account || !invoice) continue;
    const hold = holds.find(({ invoiceId }) => invoiceId === invoice.id) ?? null;
    const isHeldBack = heldBack.has(account.id);
    const { api, consulted } = request;
    const of = { account, invoice, isHeldBack, hold, ...(api && { api }), ...(consulted && { consulted }) };
    known.set(request, factsOf(of, stored));
  }
  return known;
}

async function loadPaymentsOf(
  reads: PaymentReads,
  invoiceIds: readonly Uuid[],
  requestedMethodIds: readonly Uuid[],
) {
  const requested = new Set(requestedMethodIds);
  const [rows, requestedMethods] = await allEnded([
    reads.findInvoicePaymentsByInvoices(invoiceIds),
    reads.findMethodsByIds([...requested]),
  ]);
  const paymentIds = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  const [payments, transactions] = await allEnded([
    reads.findByIds(paymentIds),
    reads.findTransactions(paymentIds),
  ]);
  const methodIds = new Set(payments.map(({ paymentMethodId }) => paymentMethodId));
  const [attempts, otherMethods] = await allEnded([
    reads.findAttemptsByPaymentKeys(payments.map(({ externalKey }) => externalKey)),
    reads.findMethodsByIds([...methodIds].filter((id) => !requested.has(id))),
  ]);
  return { rows, payments, transactions, attempts, methods: [...requestedMethods, ...otherMethods] };
}

async function loadKeyed(reads: PaymentReads, apis: readonly ApiPayment[]) {
  const transactionKeys = apis.flatMap(({ transactionKey }) => transactionKey ?? []);
  const paymentKeys = apis.flatMap(({ paymentKey }) => paymentKey ?? []);
  const [transactions, payments] = await allEnded([
    reads.findTransactionsByKeys(transactionKeys),
    reads.findByKeys(paymentKeys),
  ]);
  return { transactions, payments };
}

/** Returns the ids of accounts with a tag that holds automatic payments (§9.2 rule 6). */
async function findHeldAccountIds(
  session: WriteSession,
  accounts: readonly Account[],
): Promise<ReadonlySet<string>> {
  const ids = accounts.map(({ id }) => id);
  const tags = await effectsOnAccounts(session, ids);
  return new Set(ids.filter((id) => tags.has(id, TagEffect.HOLDS_PAYMENTS)));
}

/** Loads the data of payment views in a constant number of queries. */
export async function loadPayments(
  session: ReadSession,
  payments: readonly Payment[],
  options: { readonly withAttempts?: boolean; readonly withPluginInfo?: boolean },
): Promise<LoadedPayments> {
  const transactions = await session.payments.findTransactions(payments.map(({ id }) => id));
  const attempts = options.withAttempts
    ? await session.payments.findAttemptsByPaymentKeys(payments.map(({ externalKey }) => externalKey))
    : null;
  const pending = await session.notifications.findPending(retryKeysOf(attempts ?? []));
  const methodIds = options.withPluginInfo ? payments.map(({ paymentMethodId }) => paymentMethodId) : [];
  const methods = await session.payments.findMethodsByIds([...new Set(methodIds)]);
  return {
    payments,
    transactions: Map.groupBy(transactions, ({ paymentId }) => paymentId),
    attempts: attempts && Map.groupBy(attempts, ({ paymentExternalKey }) => paymentExternalKey),
    pending: new Map(pending.map((each) => [each.uniqueKey, each])),
    pluginNames: new Map(methods.map(({ id, pluginName }) => [id, pluginName])),
  };
}
