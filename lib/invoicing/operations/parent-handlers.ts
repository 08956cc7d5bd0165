import type { IdGenerator, Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType, InvoiceStatus, QueueName } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { parentCommitTime } from '../invoices/parent-summary.ts';
import { changeInvoices } from '../saving/change-invoices.ts';
import { commitDrafts } from '../saving/commit-and-void.ts';
import { summariseChildren } from '../saving/parent-summaries.ts';

interface ChildEntry {
  readonly entry: ClaimedEntry;
  readonly invoiceId: Uuid;
  readonly isNew: boolean;
}

type ParentPorts = Pick<Ports, 'storage' | 'clock' | 'ids'>;

/**
 * Updates the parents' summaries after their children's invoices have changed (§12). First locks the parents. If a
 * parent has already paid, later locks the children. Never holds both kinds of locks at the same time (§17 rule 3).
 */
export function parentSummaryHandler(
  { storage, clock, ids }: ParentPorts,
  settingsOf: SettingsOf,
): QueueHandler {
  return {
    name: 'invoice-service:parent-summary',
    topics: [BusEventType.CHILD_INVOICE_CHANGE],
    handle: async (batch) => {
      const children = batch.entries.map(childEntry);
      const authorship = batchAuthorship(batch.entries, ActingComponent.PARENT_INVOICE, clock.now());
      const { busy, credited } = await storage.write(batch.tenant, authorship, async (session) => {
        const { 'invoice.parent.commit.local.utc.time': timeOfDay } = await settingsOf(session);
        const commitAt = parentCommitTime(session.authorship.createdDate, timeOfDay);
        return summarise(session, { batch, children }, { ids, commitAt });
      });
      batch.busy(busy);
      if (credited.length === 0) return;
      const left = await storage.write(batch.tenant, authorship, (session) =>
        credit(session, { batch, children: credited }, ids),
      );
      batch.busy(left);
    },
  };
}

interface ChildBatch {
  readonly batch: HandlerBatch;
  readonly children: readonly ChildEntry[];
}

/**
 * Returns the entries whose parents are busy, and the entries with a decrease of an amount that the parent has already
 * paid.
 */
async function summarise(
  session: WriteSession,
  { batch, children }: ChildBatch,
  tools: { readonly ids: IdGenerator; readonly commitAt: Instant },
) {
  const invoices = await session.invoices.findByIds(children.map(({ invoiceId }) => invoiceId));
  const parentOf = new Map(invoices.map(({ id, parentAccountId }) => [id, parentAccountId]));
  const parentIds = new Set([...parentOf.values()].flatMap((id) => id ?? []));
  const known = await session.accounts.findByIds([...parentIds]);
  const parents = await session.tryLockAccounts(known.map(({ recordId }) => recordId));
  const locked = new Set<Uuid | null>(parents.map(({ id }) => id));
  const isBusy = ({ invoiceId }: ChildEntry): boolean => {
    const parentId = parentOf.get(invoiceId) ?? null;
    return parentId !== null && !locked.has(parentId);
  };
  const ours = children.filter((child) => !isBusy(child));
  const decreased = await summariseChildren(session, { parents, changes: ours }, tools);
  const isCredited = new Set(decreased.map(({ id }) => id));
  await batch.finish(session, entriesOf(ours.filter(({ invoiceId }) => !isCredited.has(invoiceId))));
  return {
    busy: entriesOf(children.filter(isBusy)),
    credited: ours.filter(({ invoiceId }) => isCredited.has(invoiceId)),
  };
}

/**
 * Credits a decrease to the child if its parent has already paid (§12 rule 5). Returns the entries of busy accounts.
 */
async function credit(session: WriteSession, { batch, children }: ChildBatch, ids: IdGenerator) {
  const recordIds = children.flatMap(({ entry }) => entry.accountRecordId ?? []);
  const accounts = await session.tryLockAccounts(recordIds);
  const locked = new Set(accounts.map(({ recordId }) => recordId));
  const ours = children.filter(({ entry }) => locked.has(entry.accountRecordId ?? 0));
  const invoices = await session.invoices.findByIds(ours.map(({ invoiceId }) => invoiceId));
  const changes = invoices.map((invoice) => ({ before: invoice, after: invoice }));
  await changeInvoices(session, { changes, accounts }, ids);
  await batch.finish(session, entriesOf(ours));
  return entriesOf(children.filter((child) => !ours.includes(child)));
}

function entriesOf(children: readonly ChildEntry[]) {
  return children.map(({ entry }) => entry);
}

function childEntry(entry: ClaimedEntry): ChildEntry {
  const { invoiceId, isNew } = entry.payload;
  const isId = typeof invoiceId === 'string' && isUuid(invoiceId);
  assertInvariant(isId, 'An event of a child has no invoice id', { recordId: entry.recordId });
  return { entry, invoiceId, isNew: isNew === true };
}

/** Commits summary invoices at their time of day (§12 rule 3). Skips invoices that are no longer a DRAFT. */
export function parentCommitHandler({ storage, clock, ids }: ParentPorts): QueueHandler {
  return {
    name: 'invoice-service:parent-commit',
    topics: [QueueName.PARENT_INVOICE_COMMIT],
    handle: async (batch) => {
      const authorship = batchAuthorship(batch.entries, ActingComponent.PARENT_INVOICE, clock.now());
      const busy = await storage.write(batch.tenant, authorship, (session) => commitDue(session, batch, ids));
      batch.busy(busy);
    },
  };
}

async function commitDue(session: WriteSession, batch: HandlerBatch, ids: IdGenerator) {
  const recordIds = batch.entries.flatMap(({ accountRecordId }) => accountRecordId ?? []);
  const accounts = await session.tryLockAccounts(recordIds);
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const ours = batch.entries.filter(({ accountRecordId }) => accountOf.has(accountRecordId ?? 0));
  const invoices = await session.invoices.findByIds(ours.map(({ payload }) => payload.invoiceId as Uuid));
  const drafts = invoices.flatMap((invoice) => {
    const account = accountOf.get(invoice.accountRecordId);
    return account && invoice.status === InvoiceStatus.DRAFT ? [{ account, invoice }] : [];
  });
  if (drafts.length > 0) await commitDrafts(session, drafts, ids);
  await batch.finish(session, ours);
  return batch.entries.filter((entry) => !ours.includes(entry));
}
