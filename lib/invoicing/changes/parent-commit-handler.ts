import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import { ActingComponent, InvoiceStatus, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import { batchAuthorship } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { commitDrafts } from './commit-drafts.ts';

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
