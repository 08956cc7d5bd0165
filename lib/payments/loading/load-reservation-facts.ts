import { effectsOnAccounts, TagEffect } from '../../control-tags/index.ts';
import type { PaymentReads, WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import {
  type ApiPayment,
  factsOf,
  type KeyedRecords,
  type KnownFacts,
  type StoredPayments,
} from '../planning/reservation-facts.ts';

/** The facts on which requests of the locked accounts are decided; a constant number of queries. */
export async function loadFacts<R extends PaymentRequest>(
  session: WriteSession,
  requests: readonly R[],
  accounts: readonly Account[],
): Promise<ReadonlyMap<R, KnownFacts>> {
  const invoiceIds = [...new Set(requests.map(({ invoiceId }) => invoiceId))];
  const invoices = new Map(
    (await session.invoices.findByIds(invoiceIds)).map((invoice) => [invoice.id, invoice]),
  );
  const apis = requests.flatMap(({ api }) => api ?? []);
  const apiMethodIds = apis.flatMap(({ methodId }) => methodId ?? []);
  const loaded = await loadPayments(session.payments, invoiceIds, [
    ...accounts.flatMap(({ paymentMethodId }) => paymentMethodId ?? []),
    ...apiMethodIds,
    ...requests.flatMap(({ consulted }) => consulted?.paymentMethodId ?? []),
  ]);
  const stored = { ...loaded, keyed: await loadKeyed(session.payments, apis) };
  const heldBack = await heldBackIds(session, accounts);
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

async function loadPayments(
  reads: PaymentReads,
  invoiceIds: readonly Uuid[],
  askedMethodIds: readonly Uuid[],
): Promise<Omit<StoredPayments, 'keyed'>> {
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

/** What has the keys that API payments give. */
async function loadKeyed(reads: PaymentReads, apis: readonly ApiPayment[]): Promise<KeyedRecords> {
  const transactionKeys = apis.flatMap(({ transactionKey }) => transactionKey ?? []);
  const paymentKeys = apis.flatMap(({ paymentKey }) => paymentKey ?? []);
  return {
    transactions: transactionKeys.length > 0 ? await reads.findTransactionsByKeys(transactionKeys) : [],
    payments: paymentKeys.length > 0 ? await reads.findByKeys(paymentKeys) : [],
  };
}

/** The accounts whose tags hold automatic payments back (§9.2 rule 6). */
async function heldBackIds(
  session: WriteSession,
  accounts: readonly Account[],
): Promise<ReadonlySet<string>> {
  const ids = accounts.map(({ id }) => id);
  const tags = await effectsOnAccounts(session, ids);
  return new Set(ids.filter((id) => tags.has(id, TagEffect.HOLDS_PAYMENTS)));
}
