import { loadAccount } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, Payment, PaymentTransaction } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { askedPayment, type OperationFacts, type OperationRequest } from '../planning/operation-facts.ts';
import { badParameter } from '../state/payment-errors.ts';
import { isFirstOperation, type PaymentOperation } from '../state/payment-state.ts';

/** The payment that a request means, null for a new one, and what its keys lead to. */
interface Asked {
  readonly payment: Payment | null;
  readonly accountId: Uuid;
  /** Of the tenant, with the key that is asked for. */
  readonly keyTransactions: readonly PaymentTransaction[];
}

/**
 * What a request is decided on (§4.1 rules 2 and 3), in a constant number of queries, of which those that do not depend
 * on each other go together; `locked` is the account if it is known already.
 * @throws BillingError as `loadAsked`, ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
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
    loadAsked(session, request),
    // That of a new payment, which most are that have no id.
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
    rows.length > 0 && takesBack.has(request.operation)
      ? await reads.findOpenInvoiceRefunds([account.recordId])
      : [];
  return { account, payment, transactions, keyTransactions, rows, openInvoiceRefunds, method };
}

/**
 * The payment that is meant, and whose it is.
 * @throws BillingError as `askedPayment`, PAYMENT_INVALID_PARAMETER (7031) for a new payment without an account.
 */
export async function loadAsked({ payments: reads }: ReadSession, request: OperationRequest): Promise<Asked> {
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
  const payment = askedPayment(request, found);
  const accountId = payment?.accountId ?? request.accountId;
  if (accountId === null) throw badParameter('accountId', 'is needed for a new payment');
  return { payment, accountId, keyTransactions };
}

/** Completions come as CAPTURE, whatever they complete; what pays an invoice has no captures of its own. */
const takesBack: ReadonlySet<PaymentOperation> = new Set<PaymentOperation>([
  'REFUND',
  'CHARGEBACK',
  'CAPTURE',
]);
