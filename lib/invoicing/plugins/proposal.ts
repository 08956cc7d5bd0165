import type { IdGenerator } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { Draft } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';

/** What a run would do before any plugin and credit: plugins are asked about it, and only it may be stored then. */
export interface Proposal {
  readonly targetDate: LocalDate;
  readonly invoiceId: Uuid;
  readonly status: string;
  readonly draft: Draft | null;
  readonly items: readonly NewInvoiceItem[];
}

/** True if what plugins have said about the one holds for the other. */
export function isSameProposal(seen: Proposal, now: Proposal): boolean {
  return (
    seen.targetDate === now.targetDate &&
    seen.invoiceId === now.invoiceId &&
    seen.status === now.status &&
    isSameDraft(seen.draft, now.draft) &&
    isSame(seen.items, now.items, isSameItem)
  );
}

function isSameDraft(seen: Draft | null, now: Draft | null): boolean {
  if (seen === null || now === null) return seen === now;
  return seen.invoice.id === now.invoice.id && isSame(seen.items, now.items, isSameItem);
}

/** True if both lists have as many members, each the same as its counterpart. */
export function isSame<T>(
  seen: readonly T[],
  now: readonly T[],
  same: (one: T, other: T) => boolean,
): boolean {
  return (
    seen.length === now.length &&
    seen.every((one, index) => {
      const other = now[index];
      return other !== undefined && same(one, other);
    })
  );
}

type ComparedItem = Omit<NewInvoiceItem, 'basis'>;

/** True if plugins see no difference. */
export function isSameItem(seen: ComparedItem, now: ComparedItem): boolean {
  return (
    PLAIN.every((member) => seen[member] === now[member]) &&
    DECIMALS.every((member) => isSameDecimal(seen[member], now[member]))
  );
}

const PLAIN = [
  'id',
  'itemType',
  'subscriptionId',
  'productName',
  'planName',
  'phaseName',
  'startDate',
  'endDate',
  'linkedItemId',
  'description',
] as const;
const DECIMALS = ['amount', 'repairable', 'rate'] as const;

function isSameDecimal(seen: Decimal | null, now: Decimal | null): boolean {
  return seen === null || now === null ? seen === now : seen.equals(now);
}

/** Hands out ids and remembers them. */
export function recordedIds(ids: IdGenerator): IdGenerator & { readonly taken: readonly Uuid[] } {
  const taken: Uuid[] = [];
  return {
    taken,
    next: () => {
      const id = ids.next();
      taken.push(id);
      return id;
    },
  };
}

/** Hands out these ids again, in their order, and then new ones: the same evaluation makes the same items of them. */
export function replayedIds(taken: readonly Uuid[], ids: IdGenerator): IdGenerator {
  let used = 0;
  return {
    next: () => {
      const id = taken[used] ?? ids.next();
      used += 1;
      return id;
    },
  };
}

/** For an account that is another one whenever plugins have been asked about it (§17 rule 4). */
export function alwaysChanged(accountId: Uuid | undefined): BillingError {
  return new BillingError({
    code: ErrorCode.BUSY,
    message: `Account ${accountId} has changed whenever invoice plugins had been asked about it; try again`,
    facts: { accountId },
  });
}
