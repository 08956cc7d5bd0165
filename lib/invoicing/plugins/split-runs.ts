import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type InvoiceItem, InvoiceItemType } from '../../records/index.ts';
import { MalformedAnswer } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type ChangedInvoice, withItems } from '../credit/changed-invoice.ts';
import { type EvaluatedRun, reusedDraft } from '../evaluation/run-invoice.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { changeInvoices } from '../saving/change-invoices.ts';
import { resetChargedBefore, saveRunFacts, scheduleDueEntries } from '../saving/save-runs.ts';

/** A run that becomes several invoices, or changes others. */
export interface SplitRun extends EvaluatedRun {
  /** The new invoices, or the draft that takes the items. */
  readonly invoices: readonly { readonly id: Uuid; readonly items: readonly NewInvoiceItem[] }[];
  /** Items of the draft that plugins have rewritten, and what remains of items that they have adjusted. */
  readonly rewritten: readonly InvoiceItem[];
  readonly remains: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
  readonly elsewhere: readonly ChangedInvoice[];
}

/**
 * Saves runs that become several invoices, or change others, in the session's transaction: their credit is applied over all
 * of these invoices in order (§8.2 steps 12 and 13). A constant number of statements.
 */
export async function saveSplitRuns(
  session: WriteSession,
  runs: readonly SplitRun[],
  { ids, numbers }: { readonly ids: IdGenerator; readonly numbers: ReadonlyMap<Uuid, number> },
): Promise<void> {
  if (runs.length === 0) return;
  await saveRunFacts(session, runs);
  scheduleDueEntries(session, runs);
  await session.invoices.rewriteItems(runs.flatMap(({ rewritten }) => rewritten));
  await session.invoices.setRepairable(runs.flatMap(({ remains }) => remains));
  const changesOf = runs.map((run) => ({ run, own: ownChanges(run, session) }));
  const reused = changesOf.flatMap(({ own }) =>
    own.flatMap(({ before, after }) => (before === null ? [] : [{ ...before, ...after }])),
  );
  await session.invoices.setStanding(reused);
  await session.invoices.setLinks(reused.filter(({ contributedAmount }) => contributedAmount !== null));
  await changeInvoices(
    session,
    {
      changes: changesOf.flatMap(({ run, own }) => [...own, ...run.elsewhere]),
      maxTargetDates: new Map(runs.map(({ billing, run }) => [billing.account.id, run.state.maxTargetDate])),
      numbers,
    },
    ids,
  );
  await resetChargedBefore(session, runs);
}

/** The invoices that the run makes, all of one group; or the draft that it adds to. */
function ownChanges(split: SplitRun, session: WriteSession): readonly ChangedInvoice[] {
  const { billing, run, invoices, rewritten, remains } = split;
  const now = session.authorship.createdDate;
  const { account, targetDate } = billing;
  const { status, draft } = run.invoice;
  const [first] = invoices;
  if (draft !== null) {
    const changed = new Map<Uuid, Partial<InvoiceItem>>(remains.map((left) => [left.id, left]));
    for (const item of rewritten) changed.set(item.id, item);
    const existing = draft.items.map((item) => ({ ...item, ...changed.get(item.id) }));
    const newItems = first?.items ?? [];
    const { invoice } = reusedDraft(draft, { account, targetDate, run, now });
    return [{ before: draft.invoice, after: invoice, newItems, allItems: [...existing, ...newItems] }];
  }
  return invoices.map(({ id, items }) => {
    const empty = emptyInvoice({ id, account, targetDate, status, now });
    return withItems({ ...empty, groupId: first?.id ?? id }, items);
  });
}

/**
 * The items of one run as several invoices (§8.2 step 12). Items that no group names go to the first, empty groups are
 * dropped, and an adjustment stays with its item, whatever group names it.
 * @param creditIds items of account credit: they are computed for each invoice anew, so naming them says nothing.
 * @throws MalformedAnswer for an id that the invoice does not have, or that two groups name.
 */
export function groupedItems(
  items: readonly NewInvoiceItem[],
  groups: readonly (readonly Uuid[])[],
  creditIds: ReadonlySet<Uuid> = new Set(),
): readonly (readonly NewInvoiceItem[])[] {
  const groupOf = new Map<Uuid, number>();
  const known = new Map(items.map((item) => [item.id, item]));
  for (const [index, ids] of groups.entries()) {
    for (const id of ids) {
      if (creditIds.has(id)) continue;
      if (!known.has(id)) throw new MalformedAnswer(`grouped item ${id}, which the invoice does not have`);
      if (groupOf.has(id)) throw new MalformedAnswer(`put item ${id} into groups twice`);
      groupOf.set(id, index);
    }
  }
  const named = [...groupOf.values()].sort((a, b) => a - b);
  const first = named[0] ?? 0;
  const homeOf = ({ id, itemType, linkedItemId }: NewInvoiceItem): number => {
    const adjusted =
      itemType === InvoiceItemType.ITEM_ADJ && linkedItemId !== null ? known.get(linkedItemId) : undefined;
    return adjusted === undefined ? (groupOf.get(id) ?? first) : homeOf(adjusted);
  };
  const homes = Map.groupBy(items, homeOf);
  return [...homes.keys()].sort((a, b) => a - b).map((home) => homes.get(home) ?? []);
}
