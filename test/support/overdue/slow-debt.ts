import { Temporal } from 'temporal-polyfill';
import type { Span } from './overdue-documents.ts';

export interface DebtAccount {
  readonly zone: string;
  readonly referenceMs: number;
  readonly parentId: string | null;
  readonly paysForItself: boolean;
}

export interface DebtInvoice {
  readonly id: string;
  readonly accountId: string;
  /** Whether anything is unpaid (overdue §3.1), regardless of the target date. */
  readonly isOwed: boolean;
  readonly cents: bigint;
  /** The day from which it ages: its own, or that of its commit if it was a draft. */
  readonly ages: string;
  readonly targetDate: string | null;
}

export interface DebtBooks {
  readonly accounts: ReadonlyMap<string, DebtAccount>;
  readonly invoices: readonly DebtInvoice[];
  /** Failed purchases in order. */
  readonly failures: readonly { readonly invoiceId: string; readonly response: string }[];
  /** Names of active control tags by object. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The debt as overdue sees it, recalculated from every invoice. */
export interface Debt {
  readonly unpaid: readonly DebtInvoice[];
  readonly cents: bigint;
  /** Start of the oldest debt. */
  readonly since: string | null;
  /** The first day on which another invoice counts. */
  readonly nextDay: string | null;
  /** Null if no payment of the unpaid invoices has failed. */
  readonly response: string | null;
  readonly tags: ReadonlySet<string>;
  readonly isExempt: boolean;
}

/** @param today null counts every invoice regardless of its target date. */
export function debtOf(books: DebtBooks, accountId: string, today: string | null): Debt {
  const payerId = payerOf(books, accountId);
  const owed = books.invoices.filter((invoice) => invoice.accountId === payerId && invoice.isOwed);
  const isAhead = ({ targetDate }: DebtInvoice) =>
    today !== null && targetDate !== null && targetDate > today;
  const unpaid = owed.filter((invoice) => !isAhead(invoice));
  const ahead = owed.filter(isAhead).map(({ targetDate }) => targetDate ?? '');
  const ids = new Set(unpaid.map(({ id }) => id));
  const failures = books.failures.filter(({ invoiceId }) => ids.has(invoiceId));
  const tagsOf = (id: string): ReadonlySet<string> => books.tags.get(id) ?? new Set();
  return {
    unpaid,
    cents: unpaid.reduce((sum, { cents }) => sum + cents, 0n),
    since: smallest(unpaid.map(({ ages }) => ages)),
    nextDay: smallest(ahead),
    response: failures.at(-1)?.response ?? null,
    tags: tagsOf(accountId),
    isExempt: [accountId, payerId].some((id) => tagsOf(id).has('OVERDUE_ENFORCEMENT_OFF')),
  };
}

export function payerOf(books: DebtBooks, accountId: string): string {
  const account = accountOf(books, accountId);
  return account.paysForItself ? accountId : (account.parentId ?? accountId);
}

export function placeOf(books: DebtBooks, accountId: string): Place {
  return accountOf(books, accountId);
}

function accountOf(books: DebtBooks, accountId: string): DebtAccount {
  const account = books.accounts.get(accountId);
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  return account;
}

export function smallest(days: readonly string[]): string | null {
  return days.toSorted()[0] ?? null;
}

/** Time zone and creation time of an account, which convert its dates to instants. */
export interface Place {
  readonly zone: string;
  readonly referenceMs: number;
}

export function dayAt(ms: number, { zone }: Place): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** That day at the account's reference time (subscriptions §2 rule 2). */
export function instantOf(day: string, place: Place): number {
  const born = Temporal.Instant.fromEpochMilliseconds(place.referenceMs).toZonedDateTimeISO(place.zone);
  const wall = Temporal.PlainDate.from(day).toPlainDateTime(born.toPlainTime());
  const earlier = wall.toZonedDateTime(place.zone, { disambiguation: 'earlier' });
  const later = wall.toZonedDateTime(place.zone, { disambiguation: 'later' });
  const isGap = !earlier.toPlainDateTime().equals(wall);
  if (!isGap) return earlier.epochMilliseconds;
  // In a clock change gap: the first instant after the gap, or the last second before it if the day differs.
  const jump = later.getTimeZoneTransition('previous') ?? later;
  if (jump.toPlainDate().toString() === day) return jump.epochMilliseconds;
  return jump.epochMilliseconds - 1_000;
}

/** The day after that span; null if the span is unlimited. */
export function dayAfter(day: string, span: Span): string | null {
  const { unit, number } = typeof span === 'number' ? { unit: 'DAYS', number: span } : span;
  const units: Readonly<Record<string, 'days' | 'weeks' | 'months' | 'years'>> = {
    DAYS: 'days',
    WEEKS: 'weeks',
    MONTHS: 'months',
    YEARS: 'years',
  };
  const name = units[unit];
  if (name === undefined) return null;
  return Temporal.PlainDate.from(day)
    .add({ [name]: number })
    .toString();
}

/** Returns true if an interval means no check (overdue §1.1 rule 2). */
export function isNone(span: Span | undefined): boolean {
  if (span === undefined) return true;
  return typeof span === 'number' ? span === 0 : span.unit === 'UNLIMITED' || span.number === 0;
}
