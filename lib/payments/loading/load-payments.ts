import type { ReadSession } from '../../ports/storage/index.ts';
import type { Payment } from '../../records/index.ts';
import { type LoadedPayments, retryKeysOf } from '../state/payment-view.ts';

/** Loads what views of the payments show, in a constant number of queries. */
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
