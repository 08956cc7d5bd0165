import type { ReadSession } from '../ports/storage/index.ts';
import type { Account, Bundle, Invoice, Payment, Subscription } from '../records/index.ts';
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { formatDecimal } from '../values/money/index.ts';
import { isStorable } from '../values/text/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import { FoundKind, type FoundObject } from './report-operations.ts';

/** Maximum number of accounts that a search for part of a text returns. */
const MAX_ACCOUNTS = 20;

/** Minimum number of characters when searching for part of a text. Shorter texts would match most accounts. */
const MIN_PART = 3;

/** Maximum number of digits of an invoice number. */
const MAX_DIGITS = 15;

/** Objects that were found, best matches first. They do not contain the names of their accounts. */
interface Matches {
  readonly accounts: readonly Account[];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  readonly subscriptions: readonly Subscription[];
  readonly bundles: readonly Bundle[];
}

/**
 * Finds objects by id, number, key or part of an account's texts (§5). The number of statements is independent of the
 * number of results.
 */
export async function findObjects(session: ReadSession, text: string): Promise<readonly FoundObject[]> {
  if (text === '' || !isStorable(text)) return [];
  const lower = text.toLowerCase();
  const exact = isUuid(lower) ? await byId(session, lower) : await byKeyOrNumber(session, text);
  const parts = isUuid(lower) ? [] : await accountsWith(session, text);
  const known = new Set(exact.accounts.map(({ id }) => id));
  const [equal, others] = partition(
    parts.filter(({ id }) => !known.has(id)),
    (account) => hasText(account, lower),
  );
  const owners = await ownersOf(session, exact);
  const describeAccounts = (accounts: readonly Account[]) => accounts.map(accountFound);
  return [
    ...describeAccounts(exact.accounts),
    ...objectsOf(exact, owners),
    ...describeAccounts([...equal, ...others]),
  ];
}

async function byId(
  { accounts, invoices, payments, subscriptions }: ReadSession,
  id: Uuid,
): Promise<Matches> {
  const ids = [id];
  const [foundAccounts, foundInvoices, transactions, foundSubscriptions, bundles] = await Promise.all([
    accounts.findByIds(ids),
    invoices.findByIds(ids),
    payments.findTransactionsByIds(ids),
    subscriptions.findByIds(ids),
    subscriptions.findBundlesByIds(ids),
  ]);
  return {
    accounts: foundAccounts,
    invoices: foundInvoices,
    payments: await payments.findByIds([id, ...transactions.map(({ paymentId }) => paymentId)]),
    subscriptions: foundSubscriptions,
    bundles,
  };
}

async function byKeyOrNumber(session: ReadSession, text: string): Promise<Matches> {
  const { accounts, invoices, payments, subscriptions } = session;
  const keys = [text];
  const isNumber = /^\d+$/.test(text) && text.length <= MAX_DIGITS;
  const [foundAccounts, foundInvoices, ofKey, transactions, foundSubscriptions, bundles] = await Promise.all([
    accounts.findByKeys(keys),
    isNumber ? invoices.findByNumbers([Number(text)]) : [],
    payments.findByKeys(keys),
    payments.findTransactionsByKeys(keys),
    subscriptions.findByKeys(keys),
    subscriptions.findBundlesByPastKeys(keys),
  ]);
  const ids = new Set([...ofKey.map(({ id }) => id), ...transactions.map(({ paymentId }) => paymentId)]);
  return {
    accounts: foundAccounts,
    invoices: foundInvoices,
    payments: await payments.findByIds([...ids]),
    subscriptions: foundSubscriptions,
    bundles,
  };
}

async function accountsWith({ accounts }: ReadSession, text: string): Promise<readonly Account[]> {
  if (text.length < MIN_PART) {
    const found = await accounts.findExactly(text, null);
    return found === null ? [] : [found];
  }
  const page = { offset: 0, limit: MAX_ACCOUNTS };
  return (await accounts.search({ kind: 'text', id: null, text }, page)).rows;
}

function hasText({ name, email, company, externalKey }: Account, lower: string): boolean {
  return [name, email, company, externalKey].some((each) => each?.toLowerCase() === lower);
}

function partition<T>(
  all: readonly T[],
  isFirst: (each: T) => boolean,
): readonly [first: readonly T[], others: readonly T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

async function ownersOf(session: ReadSession, { invoices, payments, subscriptions, bundles }: Matches) {
  const owned = [...invoices, ...payments, ...subscriptions, ...bundles];
  const found = await session.accounts.findByIds([...new Set(owned.map(({ accountId }) => accountId))]);
  return new Map(found.map((account) => [account.id, account]));
}

function accountFound({ id, name, externalKey, email, company }: Account): FoundObject {
  const detail = [name === null ? null : externalKey, email, company].filter((each) => each !== null);
  return {
    kind: FoundKind.ACCOUNT,
    id,
    title: name ?? externalKey,
    accountId: id,
    accountName: name,
    detail: detail.join(' · '),
  };
}

function objectsOf(
  { invoices, payments, subscriptions, bundles }: Matches,
  owners: ReadonlyMap<Uuid, Account>,
): readonly FoundObject[] {
  const of = (
    kind: FoundKind,
    { id, accountId }: { readonly id: Uuid; readonly accountId: Uuid },
    shown: { readonly title: string; readonly detail: string },
  ): FoundObject => ({ kind, id, accountId, accountName: owners.get(accountId)?.name ?? null, ...shown });
  return [
    ...invoices.map((each) => of(FoundKind.INVOICE, each, invoiceTexts(each))),
    ...payments.map((each) => {
      const detail = [each.externalKey, each.stateName].filter((text) => text !== null).join(' · ');
      return of(FoundKind.PAYMENT, each, { title: String(each.paymentNumber), detail });
    }),
    ...subscriptions.map((each) =>
      of(FoundKind.SUBSCRIPTION, each, { title: each.externalKey, detail: each.category }),
    ),
    ...bundles.map((each) => of(FoundKind.BUNDLE, each, { title: each.externalKey, detail: '' })),
  ];
}

function invoiceTexts({ invoiceNumber, invoiceDate, amount, currency, status }: Invoice) {
  const detail = `${formatLocalDate(invoiceDate)} · ${formatDecimal(amount)} ${currency} · ${status}`;
  return { title: String(invoiceNumber), detail };
}
