import type { HandlerBatch } from '../../runtime/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../cache/catalog-source.ts';

/**
 * The catalogs of a batch of due work, or null if they cannot be had. Then every entry of the batch has failed with that
 * error; if the batch as a whole failed, it would be run again entry by entry and ask for each of them.
 */
export async function catalogsOfBatch(
  source: CatalogProvider,
  batch: Pick<HandlerBatch, 'tenant' | 'entries' | 'failed'>,
  now: Instant,
): Promise<CatalogSource | null> {
  const recordIds = batch.entries.flatMap((entry) => entry.accountRecordId ?? []);
  const accounts: CatalogRequest['accounts'] = async (session) =>
    (await session.accounts.findByRecordIds(recordIds)).map((account) => account.id);
  try {
    return await source.open({ tenant: batch.tenant, now, accounts });
  } catch (error) {
    for (const entry of batch.entries) batch.failed(entry, error);
    return null;
  }
}
