import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType, InvoiceStatus, QueueName } from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch, type QueueHandler } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { parentCommitTime } from '../invoices/parent-summary.ts';
import { changeInvoices } from '../saving/change-invoices.ts';
import { commitDrafts } from '../saving/commit-drafts.ts';
import { summariseChildren } from '../saving/parent-summaries.ts';

interface ChildEntry {
  readonly entry: ClaimedEntry;
  readonly invoiceId: Uuid;
  readonly isNew: boolean;
}

/**
 * Makes the parents' summaries follow the invoices of their children (§12): first under the locks of the parents, then,
 * where a parent has already paid, under those of the children, never both at once (§17 rule 3).
 */
export class ParentSummaryHandler implements QueueHandler {
  readonly name = 'invoice-service:parent-summary';
  readonly topics: readonly string[] = [BusEventType.CHILD_INVOICE_CHANGE];
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'ids'>;
  readonly #settingsOf: SettingsOf;

  constructor(ports: Pick<Ports, 'storage' | 'clock' | 'ids'>, settingsOf: SettingsOf) {
    this.#ports = ports;
    this.#settingsOf = settingsOf;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const children = batch.entries.map(childEntry);
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(batch.entries, ActingComponent.PARENT_INVOICE, now);
    const { busy, credited } = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#summarise(session, batch, children),
    );
    batch.busy(busy);
    if (credited.length === 0) return;
    const left = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#credit(session, batch, credited),
    );
    batch.busy(left);
  }

  async #summarise(session: WriteSession, batch: HandlerBatch, children: readonly ChildEntry[]) {
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
    const { 'invoice.parent.commit.local.utc.time': timeOfDay } = await this.#settingsOf(session);
    const commitAt = parentCommitTime(session.authorship.createdDate, timeOfDay);
    const tools = { ids: this.#ports.ids, commitAt };
    const decreased = await summariseChildren(session, { parents, changes: ours }, tools);
    const ids = new Set(decreased.map(({ id }) => id));
    const credited = ours.filter(({ invoiceId }) => ids.has(invoiceId));
    const done = ours.filter(({ invoiceId }) => !ids.has(invoiceId));
    await batch.finish(
      session,
      done.map(({ entry }) => entry),
    );
    return { busy: children.filter(isBusy).map(({ entry }) => entry), credited };
  }

  /** §12 rule 5: where the parent has paid, a decrease is the child's credit. */
  async #credit(session: WriteSession, batch: HandlerBatch, credited: readonly ChildEntry[]) {
    const accounts = await session.tryLockAccounts(
      credited.flatMap(({ entry }) => entry.accountRecordId ?? []),
    );
    const locked = new Set(accounts.map(({ recordId }) => recordId));
    const ours = credited.filter(({ entry }) => locked.has(entry.accountRecordId ?? 0));
    const invoices = await session.invoices.findByIds(ours.map(({ invoiceId }) => invoiceId));
    const changes = invoices.map((invoice) => ({ before: invoice, after: invoice }));
    await changeInvoices(session, { changes, accounts }, this.#ports.ids);
    await batch.finish(
      session,
      ours.map(({ entry }) => entry),
    );
    return credited.filter((child) => !ours.includes(child)).map(({ entry }) => entry);
  }
}

function childEntry(entry: ClaimedEntry): ChildEntry {
  const { invoiceId, isNew } = entry.payload;
  assertInvariant(
    typeof invoiceId === 'string' && isUuid(invoiceId),
    'An event of a child names no invoice',
    {
      recordId: entry.recordId,
    },
  );
  return { entry, invoiceId, isNew: isNew === true };
}

/** Commits summary invoices at their time of day (§12 rule 3); one that is not a DRAFT any more stays as it is. */
export class ParentCommitHandler implements QueueHandler {
  readonly name = 'invoice-service:parent-commit';
  readonly topics: readonly string[] = [QueueName.PARENT_INVOICE_COMMIT];
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'clock' | 'ids'>) {
    this.#ports = ports;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(batch.entries, ActingComponent.PARENT_INVOICE, now);
    const busy = await this.#ports.storage.write(batch.tenant, authorship, (session) =>
      this.#commit(session, batch),
    );
    batch.busy(busy);
  }

  async #commit(session: WriteSession, batch: HandlerBatch): Promise<readonly ClaimedEntry[]> {
    const accounts = await session.tryLockAccounts(
      batch.entries.flatMap(({ accountRecordId }) => accountRecordId ?? []),
    );
    const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
    const ours = batch.entries.filter(({ accountRecordId }) => accountOf.has(accountRecordId ?? 0));
    const invoices = await session.invoices.findByIds(ours.map(({ payload }) => payload.invoiceId as Uuid));
    const drafts = invoices.flatMap((invoice) => {
      const account = accountOf.get(invoice.accountRecordId);
      return account && invoice.status === InvoiceStatus.DRAFT ? [{ account, invoice }] : [];
    });
    if (drafts.length > 0) await commitDrafts(session, drafts, this.#ports.ids);
    await batch.finish(session, ours);
    return batch.entries.filter((entry) => !ours.includes(entry));
  }
}
