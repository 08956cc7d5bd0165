import type { IdGenerator } from '../../ports/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { Draft } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';

/**
 * A run before plugins and credit change it. Plugins are consulted about this run, and only an equal run may be stored.
 */
export interface Proposal {
  readonly targetDate: LocalDate;
  readonly invoiceId: Uuid;
  readonly status: string;
  readonly draft: Draft | null;
  readonly items: readonly NewInvoiceItem[];
}

/** Returns true if the decisions of plugins about `seen` also apply to `now`. */
export function isSameProposal(seen: Proposal, now: Proposal): boolean {
  return textOf(seen) === textOf(now);
}

function textOf({ targetDate, invoiceId, status, draft, items }: Proposal): string {
  const before = draft && [draft.invoice.id, draft.items.map(listComparedFields)];
  return JSON.stringify([targetDate, invoiceId, status, before, items.map(listComparedFields)]);
}

/** Returns the fields of a new or stored item on which plugins base their decisions. */
export function listComparedFields(item: Omit<NewInvoiceItem, 'basis'>) {
  const { id, itemType, subscriptionId, linkedItemId, productName, planName, phaseName } = item;
  const { startDate, endDate, description, amount, repairable, rate } = item;
  const { quantity, taxRate, taxCategory, taxExemption } = item;
  const references = [id, itemType, subscriptionId, linkedItemId, productName, planName, phaseName];
  const taxFacts = [taxRate, taxCategory, taxExemption];
  return [...references, startDate, endDate, description, amount, repairable, rate, quantity, ...taxFacts];
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

/**
 * Returns an id source that first repeats the given ids in order and then returns new ids, so that an equal evaluation
 * creates equal items.
 */
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

/** Returns the error for an account that changes during every consultation of plugins (§17 rule 4). */
export function alwaysChanged(accountId: Uuid | undefined): BillingError {
  const message = `Account ${accountId} changed each time while invoice plugins were being called; try again`;
  return billingError(ErrorCode.BUSY, message, { accountId });
}
