import type { IdGenerator } from '../../ports/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
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

/** True if what plugins have decided about the one holds for the other. */
export function isSameProposal(seen: Proposal, now: Proposal): boolean {
  return textOf(seen) === textOf(now);
}

function textOf({ targetDate, invoiceId, status, draft, items }: Proposal): string {
  const before = draft && [draft.invoice.id, draft.items.map(comparedOf)];
  return JSON.stringify([targetDate, invoiceId, status, before, items.map(comparedOf)]);
}

/** What plugins decide by, of an item that is new or stored. */
export function comparedOf(item: Omit<NewInvoiceItem, 'basis'>) {
  const { id, itemType, subscriptionId, linkedItemId, productName, planName, phaseName } = item;
  const { startDate, endDate, description, amount, repairable, rate } = item;
  const references = [id, itemType, subscriptionId, linkedItemId, productName, planName, phaseName];
  return [...references, startDate, endDate, description, amount, repairable, rate];
}

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
  return billingError(
    ErrorCode.BUSY,
    `Account ${accountId} has changed whenever invoice plugins had been asked about it; try again`,
    { accountId },
  );
}
