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
  /** When a summary that is opened now is committed by itself. */
  readonly commitAt: Instant;
}

/**
 * Brings the summary invoices of locked parents to what their children's invoices are now (§12 rules 1, 2, 4 and 6).
 * Doing it again changes nothing. A constant number of statements for any number of children.
 * @returns the invoices whose decrease becomes credit of their own accounts, since the parent has paid (rule 5).
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
  const externalKeys = await externalKeysOf(session, linked);
  const facts: Facts = { parents, linked, items, externalKeys };
  const drafts = await followDrafts(session, known.filter(isDraft), { ...facts, ids: tools.ids });
  const committed = followCommitted(summaries, facts, { session, tools });
  await session.invoices.setItemAmounts(drafts.itemAmounts);
  await session.invoices.setRepairable(committed.repairable);
  await session.invoices.setLinks([...drafts.links, ...committed.links]);
  await changeInvoices(session, { changes: [...drafts.changes, ...committed.changes] }, tools.ids);
  session.schedule(opened.created.map((summary) => parentCommitEntry(summary, tools.commitAt)));
  return committed.credited;
}

/** The changed invoices whose accounts let a parent pay, in the order of their creation. */
async function loadChanged(
  session: WriteSession,
  parents: readonly Account[],
  changes: readonly ChildChange[],
): Promise<readonly ChildInvoice[]> {
  const locked = new Set(parents.map(({ id }) => id));
  const invoices = (
    await session.invoices.findByIds(unique(changes.map(({ invoiceId }) => invoiceId)))
  ).filter(
    ({ contributedAmount, parentAccountId }) =>
      contributedAmount !== null && parentAccountId !== null && locked.has(parentAccountId),
  );
  const added = new Set(changes.filter(({ isNew }) => isNew).map(({ invoiceId }) => invoiceId));
  // What an invoice bills matters only if it comes to nothing.
  const empty = invoices.filter(
    (invoice) => invoice.parentInvoiceId === null && contributionOf(invoice).isZero(),
  );
  const items = await session.invoices.findItems(empty.map(({ id }) => id));
  const charged = new Set(items.filter(isCharge).map(({ invoiceId }) => invoiceId));
  return invoices.map((invoice) => ({
    invoice,
    isNew: added.has(invoice.id),
    hasCharge: charged.has(invoice.id),
  }));
}

interface Opened {
  readonly created: readonly Summary[];
  readonly joined: readonly Invoice[];
}

/** A summary that is stored (with a record id) or about to be. */
type Summary = New<Invoice>;

async function joinOpenSummaries(
  session: WriteSession,
  { parents, children }: { readonly parents: readonly Account[]; readonly children: readonly ChildInvoice[] },
  { ids }: Tools,
): Promise<Opened> {
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

/** In the parent's currency or, where the parent has none, in that of the children. */
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
  /** The changed invoices that are linked, with their new links. */
  readonly linked: readonly Invoice[];
  readonly items: readonly InvoiceItem[];
  readonly externalKeys: ReadonlyMap<Uuid, string>;
}

type Link = Parameters<WriteSession['invoices']['setLinks']>[0][number];

/** Rule 2. */
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
  const others = await session.invoices.findLinked(
    [...draftIds],
    unique(own.map(({ accountId }) => accountId)),
  );
  const all = [...own, ...others.filter(({ id }) => !changed.has(id)).map(contributed)];
  const bySummary = Map.groupBy(all, summaryOf);
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
  return { before: isStored(draft) ? draft : null, after, ...(newItems ? { newItems } : {}) };
}

/** Rules 4 and 5. */
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
      .map(
        ({ summary, added }): ChangedInvoice => ({
          before: summary,
          after: { ...summary, ...amountsAfterItems(summary, added) },
          newItems: added,
        }),
      ),
    credited: followed.flatMap(({ credited }) => credited),
  };
}

async function externalKeysOf(session: WriteSession, invoices: readonly Invoice[]) {
  const accounts = await session.accounts.findByIds(unique(invoices.map(({ accountId }) => accountId)));
  return new Map(accounts.map(({ id, externalKey }) => [id, externalKey]));
}

function linkOf({ id, parentInvoiceId, parentAccountId, contributedAmount }: Link): Link {
  return { id, parentInvoiceId, parentAccountId, contributedAmount };
}

function contributed(invoice: Invoice) {
  return { ...invoice, contributedAmount: invoice.contributedAmount ?? ZERO };
}

/** The summary that a linked invoice belongs to; the invoice's own id if it is not linked. */
function summaryOf({ id, parentInvoiceId }: Pick<Invoice, 'id' | 'parentInvoiceId'>): Uuid {
  return parentInvoiceId ?? id;
}

function isDraft({ status }: Pick<Invoice, 'status'>): boolean {
  return status === InvoiceStatus.DRAFT;
}

function isStored(summary: Summary): summary is Invoice {
  return 'recordId' in summary;
}

function isCharge({ itemType }: InvoiceItem): boolean {
  return itemTypes[itemType].coversDays;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
