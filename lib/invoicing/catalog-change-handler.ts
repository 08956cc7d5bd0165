import type { Account } from '../accounts/model.ts';
import { isCatalogChange } from '../catalog/catalog-event.ts';
import type { CatalogProvider, CatalogSource } from '../catalog/catalog-source.ts';
import { ActingComponent, type TenantRef } from '../context.ts';
import { ACCOUNTS_PER_CATALOG_CHANGE_PAGE } from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import type { AccountsBehind, ReadSession, WriteSession } from '../ports/storage/index.ts';
import { batchAuthorship } from '../queue/batch-authorship.ts';
import type { HandlerBatch, QueueHandler } from '../queue/handler.ts';
import { BusEventType, type NewNotification } from '../queue/model.ts';
import { type LocalDate, localDateOf, minDate } from '../time/index.ts';
import { dueEntry } from './due-entry.ts';
import { type AccountStream, loadStreams, type StreamRequest } from './load-streams.ts';
import type { InvoicingConfigOf } from './tenant-invoicing-config.ts';

/**
 * When the catalog has changed, gives each account that it bills differently a due entry for the first such date: the
 * date may come before any that the account is waiting for, or lie in the past (invoicing.md §7.1). The run itself finds
 * out what is different. A page of accounts at a time, without their locks: nothing of theirs is written.
 */
export class CatalogChangeHandler implements QueueHandler {
  readonly name = 'invoice-service:catalog-change';
  readonly topics = [BusEventType.TENANT_CONFIG_CHANGE];
  readonly #ports: Pick<Ports, 'storage' | 'clock'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock'>,
    catalogs: CatalogProvider,
    configOf: InvoicingConfigOf,
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const entries = batch.entries.filter((entry) => isCatalogChange(entry.payload));
    if (entries.length === 0) return;
    const now = this.#ports.clock.now();
    const authorship = batchAuthorship(entries, ActingComponent.NEXT_BILLING_DATE, now);
    for await (const accounts of this.#accountsBehind(batch.tenant)) {
      const request = { tenant: batch.tenant, now, accounts: accounts.map((account) => account.id) };
      const catalogsOf = await this.#catalogs.open(request);
      await this.#ports.storage.write(batch.tenant, authorship, (session) =>
        this.#schedule(session, accounts, catalogsOf),
      );
    }
  }

  /** Accounts with subscriptions that were last evaluated under an earlier catalog, by pages. */
  async *#accountsBehind(tenant: TenantRef): AsyncGenerator<readonly Account[]> {
    const limit = ACCOUNTS_PER_CATALOG_CHANGE_PAGE;
    for (let afterRecordId: number | undefined = 0; afterRecordId !== undefined; ) {
      const page: PageBehind = { afterRecordId, limit };
      const { recordIds, accounts } = await this.#ports.storage.read(tenant, (session) =>
        pageBehind(session, page),
      );
      if (accounts.length > 0) yield accounts;
      afterRecordId = recordIds.length < limit ? undefined : recordIds.at(-1);
    }
  }

  async #schedule(
    session: WriteSession,
    accounts: readonly Account[],
    catalogsOf: CatalogSource,
  ): Promise<void> {
    const requests = accounts.map((account) => ({
      account,
      targetDate: localDateOf(session.authorship.createdDate, account.timeZone),
    }));
    const catalogOf = await catalogsOf(
      session,
      accounts.map((account) => account.id),
    );
    const { alignPriceChanges } = await this.#configOf(session);
    // An account whose events cannot be built is told about by its own next run.
    const { streams } = await loadStreams(session, {
      requests,
      catalogOf,
      choice: 'all',
      alignPriceChanges,
    });
    const due = streams.flatMap(dueEntryOf);
    if (due.length > 0) session.schedule(due);
  }
}

type PageBehind = Omit<AccountsBehind, 'catalogRevision'>;

async function pageBehind(session: ReadSession, page: PageBehind) {
  const catalogRevision = await session.catalogs.revision();
  const recordIds = await session.invoices.accountsBehind({ ...page, catalogRevision });
  return { recordIds, accounts: await session.accounts.findByRecordIds(recordIds) };
}

function dueEntryOf({ request, changes }: AccountStream<StreamRequest>): readonly NewNotification[] {
  const dates: readonly LocalDate[] = [...changes.values()];
  if (dates.length === 0) return [];
  return [
    dueEntry(
      request.account,
      dates.reduce((first, date) => minDate(first, date)),
    ),
  ];
}
