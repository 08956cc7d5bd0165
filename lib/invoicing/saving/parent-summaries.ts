import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceStatus,
  itemTypes,
  type New,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { type Instant, localDateOf } from '../../values/time/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import {
  adjustSummary,
  type ChildInvoice,
  childTotals,
  contributionOf,
  effectsOnCommitted,
  joinSummary,
  parentCommitEntry,
  summaryItems,
} from '../invoices/parent-summary.ts';
import { changeInvoices } from './change-invoices.ts';

interface ChildChange {
  readonly invoiceId: Uuid;
  readonly isNew: boolean;
}

interface Tools {
  readonly ids: IdGenerator;
  /** The time at which a summary opened now will be committed automatically. */
  readonly commitAt: Instant;
}

/**
 * Updates the summary invoices of locked parents from their children's current invoices (§12 rules 1, 2, 4 and 6).
 * Idempotent. Takes a constant number of statements.
 * @returns the invoices whose decrease becomes credit of their own accounts, because the parent has paid (rule 5).
 */
export async function summariseChildren(
  session: WriteSession,
  { parents, changes }: { readonly parents: readonly Account[]; readonly changes: readonly ChildChange[] },
  tools: Tools,
): Promise<readonly Invoice[]> {
  const children = await loadChanged(session, parents, changes);
  if (children.length === 0) return [];
  const opened = await joinOpenSummaries(session, { parents, children }, tools);
  const linked = [
    ...opened.joined,
    ...children.map(({ invoice }) => invoice).filter(({ parentInvoiceId }) => parentInvoiceId !== null),
  ];
  const summaries = await session.invoices.findByIds(unique(linked.map(summaryOf)));
  const known = [...summaries, ...opened.created];
  const items = await session.invoices.findItems(summaries.map(({ id }) => id));
  const accounts = await session.accounts.findByIds(unique(linked.map(({ accountId }) => accountId)));
  const externalKeys = new Map(accounts.map(({ id, externalKey }) => [id, externalKey]));
  const facts: Facts = { parents, linked, items, externalKeys };
  const openDrafts = known.filter(({ status }) => status === InvoiceStatus.DRAFT);
  const drafts = await followDrafts(session, openDrafts, { ...facts, ids: tools.ids });
  const committed = followCommitted(summaries, facts, { session, tools });
  await session.invoices.setItemAmounts(drafts.itemAmounts);
  await session.invoices.setRepairable(committed.repairable);
  await session.invoices.setLinks([...drafts.links, ...committed.links]);
  await changeInvoices(session, { changes: [...drafts.changes, ...committed.changes] }, tools.ids);
  session.schedule(opened.created.map((summary) => parentCommitEntry(summary, tools.commitAt)));
  return committed.credited;
}

/** Loads the changed invoices that a parent pays, in creation order. */
async function loadChanged(
  session: WriteSession,
  parents: readonly Account[],
  changes: readonly ChildChange[],
) {
  const locked = new Set(parents.map(({ id }) => id));
  const found = await session.invoices.findByIds(unique(changes.map(({ invoiceId }) => invoiceId)));
  const invoices = found.filter(
    ({ contributedAmount, parentAccountId }) =>
      contributedAmount !== null && parentAccountId !== null && locked.has(parentAccountId),
  );
  const added = new Set(changes.filter(({ isNew }) => isNew).map(({ invoiceId }) => invoiceId));
  // Charges are needed only for invoices with a total of 0.
  const empty = invoices.filter((each) => each.parentInvoiceId === null && contributionOf(each).isZero());
  const items = await session.invoices.findItems(empty.map(({ id }) => id));
  const charges = items.filter(({ itemType }) => itemTypes[itemType].coversDays);
  const charged = new Set(charges.map(({ invoiceId }) => invoiceId));
  return invoices.map((invoice) => {
    return { invoice, isNew: added.has(invoice.id), hasCharge: charged.has(invoice.id) };
  });
}

/** A summary. A stored summary has a record id; a new one does not. */
type Summary = New<Invoice>;

async function joinOpenSummaries(
  session: WriteSession,
  { parents, children }: { readonly parents: readonly Account[]; readonly children: readonly ChildInvoice[] },
  { ids }: Tools,
) {
  const stored = await session.invoices.findOpenSummaries(parents.map(({ id }) => id));
  const openOf = new Map<Uuid, Summary>(stored.map((summary) => [summary.accountId, summary]));
  const created: Summary[] = [];
  const joined: Invoice[] = [];
  for (const parent of parents) {
    const own = children.filter(({ invoice }) => invoice.parentAccountId === parent.id);
    const { opens, joining } = joinSummary(own, openOf.get(parent.id) ?? null);
    if (opens) created.push(newSummary(parent, joining, { id: ids.next(), session }));
    const summary = openOf.get(parent.id) ?? created.find(({ accountId }) => accountId === parent.id);
    if (summary) joined.push(...joining.map((invoice) => ({ ...invoice, parentInvoiceId: summary.id })));
  }
  return { created, joined };
}

/** Returns a new summary in the parent's currency. If the parent has no currency, uses the children's currency. */
function newSummary(
  parent: Account,
  joining: readonly Invoice[],
  { id, session }: { readonly id: Uuid; readonly session: WriteSession },
): Summary {
  const account = { ...parent, currency: parent.currency ?? joining[0]?.currency ?? null };
  const now = session.authorship.createdDate;
  const empty = emptyInvoice({ id, account, targetDate: null, status: InvoiceStatus.DRAFT, now });
  return { ...empty, isParentInvoice: true };
}

interface Facts {
  readonly parents: readonly Account[];
  /** The changed invoices that are linked to a summary, with their new links. */
  readonly linked: readonly Invoice[];
  readonly items: readonly InvoiceItem[];
  readonly externalKeys: ReadonlyMap<Uuid, string>;
}

type Link = Parameters<WriteSession['invoices']['setLinks']>[0][number];

/** Sets the items of DRAFT summaries to the totals of the linked invoices of the children (§12 rule 2). */
async function followDrafts(
  session: WriteSession,
  drafts: readonly Summary[],
  { linked, items, externalKeys, ids }: Facts & Pick<Tools, 'ids'>,
) {
  const draftIds = new Set(drafts.map(({ id }) => id));
  const own = linked
    .filter((invoice) => draftIds.has(summaryOf(invoice)))
    .map((invoice) => ({ ...invoice, contributedAmount: contributionOf(invoice) }));
  const changed = new Set(own.map(({ id }) => id));
  const childIds = unique(own.map(({ accountId }) => accountId));
  const others = (await session.invoices.findLinked([...draftIds], childIds))
    .filter(({ id }) => !changed.has(id))
    .map((invoice) => ({ ...invoice, contributedAmount: invoice.contributedAmount ?? ZERO }));
  const bySummary = Map.groupBy([...own, ...others], summaryOf);
  const made = { nextId: () => ids.next(), externalKeyOf: (id: Uuid) => externalKeys.get(id) ?? id };
  const followed = drafts.map((draft) => {
    const stored = items.filter(({ invoiceId }) => invoiceId === draft.id);
    return { draft, ...summaryItems(childTotals(bySummary.get(draft.id) ?? []), stored, made) };
  });
  return {
    links: own.map(linkOf),
    itemAmounts: followed.flatMap(({ changed: amounts }) => amounts),
    changes: followed
      .filter(({ added, changed: amounts }) => added.length + amounts.length > 0)
      .map(({ draft, added, difference }) => draftChange(draft, added, difference)),
  };
}

function draftChange(draft: Summary, newItems: ChangedInvoice['newItems'], difference: Decimal) {
  const { amount, rawBalance } = draft;
  const after = { ...draft, amount: amount.plus(difference), rawBalance: rawBalance.plus(difference) };
  const before = 'recordId' in draft ? (draft as Invoice) : null;
  return { before, after, ...(newItems ? { newItems } : {}) };
}

/** Applies decreases of the children's invoices to COMMITTED summaries (§12 rules 4 and 5). */
function followCommitted(
  summaries: readonly Invoice[],
  { parents, linked, items, externalKeys }: Facts,
  { session, tools }: { readonly session: WriteSession; readonly tools: Tools },
) {
  const zoneOf = new Map(parents.map(({ id, timeZone }) => [id, timeZone]));
  const followed = summaries
    .filter(({ status }) => status === InvoiceStatus.COMMITTED)
    .map((summary) => {
      const own = linked.filter((invoice) => summaryOf(invoice) === summary.id);
      const { decreases, credited } = effectsOnCommitted(summary, own);
      const zone = zoneOf.get(summary.accountId);
      const adjusted = adjustSummary(
        zone === undefined ? [] : decreases,
        items.filter(({ invoiceId }) => invoiceId === summary.id),
        {
          nextId: () => tools.ids.next(),
          externalKeyOf: (id) => externalKeys.get(id) ?? id,
          today: zone === undefined ? summary.invoiceDate : localDateOf(session.authorship.createdDate, zone),
        },
      );
      return { summary, decreases, credited, ...adjusted };
    });
  return {
    links: followed.flatMap(({ decreases }) =>
      decreases.map(({ childInvoice }) =>
        linkOf({ ...childInvoice, contributedAmount: contributionOf(childInvoice) }),
      ),
    ),
    repairable: followed.flatMap(({ repairable }) => repairable),
    changes: followed
      .filter(({ added }) => added.length > 0)
      .map(({ summary: before, added: newItems }): ChangedInvoice => {
        return { before, after: { ...before, ...amountsAfterItems(before, newItems) }, newItems };
      }),
    credited: followed.flatMap(({ credited }) => credited),
  };
}

function linkOf({ id, parentInvoiceId, parentAccountId, contributedAmount }: Link): Link {
  return { id, parentInvoiceId, parentAccountId, contributedAmount };
}

/** Returns the id of the summary to which an invoice is linked. Returns the invoice's own id if it is not linked. */
function summaryOf({ id, parentInvoiceId }: Pick<Invoice, 'id' | 'parentInvoiceId'>): Uuid {
  return parentInvoiceId ?? id;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
