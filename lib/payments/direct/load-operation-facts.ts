import { loadAccount } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { askedPayment } from '../planning/asked-payment.ts';
import type { OperationFacts } from '../planning/operation-facts.ts';
import type { OperationRequest } from '../planning/operation-request.ts';
import { badParameter } from '../state/payment-errors.ts';
import type { PaymentOperation } from '../state/payment-state.ts';

/**
 * What a request is decided on (§4.1 rules 2 and 3), in a constant number of queries; `locked` is the account if it is
 * known already.
 * @throws BillingError as `askedPayment`, ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
 */
export async function loadOperationFacts(
  session: ReadSession,
  request: OperationRequest,
  locked?: Account,
): Promise<OperationFacts> {
  const { payments: reads } = session;
  const { paymentId, paymentExternalKey, transactionExternalKey } = request;
  const keyTransactions =
    transactionExternalKey === null ? [] : await reads.findTransactionsByKeys([transactionExternalKey]);
  const ids = new Set<Uuid>(keyTransactions.map((each) => each.paymentId));
  if (paymentId !== null) ids.add(paymentId);
  const byIds = await reads.findByIds([...ids]);
  const byKeys = paymentExternalKey === null ? [] : await reads.findByKeys([paymentExternalKey]);
  const keyed = new Set<Uuid>(keyTransactions.map((each) => each.paymentId));
  const payment = askedPayment(request, {
    byId: byIds.find(({ id }) => id === paymentId),
    byKey: byKeys[0],
    transactions: keyTransactions,
    payments: byIds.filter(({ id }) => keyed.has(id)),
  });
  const accountId = payment?.accountId ?? request.accountId;
  if (accountId === null) throw badParameter('accountId', 'is needed for a new payment');
  const account = locked?.id === accountId ? locked : await loadAccount(session, accountId);
  const own = payment === null ? [] : [payment.id];
  const methodId = payment?.paymentMethodId ?? request.paymentMethodId ?? account.paymentMethodId;
  const [method = null] = await reads.findMethodsByIds(methodId === null ? [] : [methodId]);
  const rows = await reads.findInvoicePaymentsByPayments(own);
  return {
    account,
    payment,
    transactions: await reads.findTransactions(own),
    keyTransactions,
    rows,
    openInvoiceRefunds:
      rows.length > 0 && takesBack.has(request.operation)
        ? await reads.findOpenInvoiceRefunds([account.recordId])
        : [],
    method,
  };
}

const takesBack: ReadonlySet<PaymentOperation> = new Set<PaymentOperation>(['REFUND', 'CHARGEBACK']);
