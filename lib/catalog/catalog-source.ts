import type { Uuid } from '../ids/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Catalog } from './catalog.ts';

/** The catalogs that one operation uses from beginning to end, by account (catalog.md §13 rule 3, §15.6). */
export type CatalogOfAccount = (accountId: Uuid) => Catalog;

/**
 * Gives the catalogs of the tenant's accounts as the session sees them: one look at the catalog revision for any number
 * of accounts. The answer knows the accounts asked for, and no others.
 */
export type CatalogSource = (session: ReadSession, accountIds: readonly Uuid[]) => Promise<CatalogOfAccount>;
