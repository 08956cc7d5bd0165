import { noSuchAccount } from '../../accounts/index.ts';
import type { CatalogEntryChange, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type CatalogEntriesView,
  type CatalogEntry,
  EntryKind,
  type EntryScope,
  type PlanRow,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { withRows } from '../cache/entry-rows.ts';
import { latestOf, planNotFound } from '../formats/entries/change-plan.ts';
import { DEFAULT_CATALOG_NAME } from '../formats/entries/entry-catalog.ts';
import type { CatalogEntriesInput } from '../formats/entries/entry-input.ts';
import { invalidEntry, titleOf } from '../formats/entries/entry-problems.ts';
import {
  type EntriesAndRows,
  planView,
  productViews,
  xmlProductView,
} from '../formats/entries/entry-views.ts';
import type { KnownNames } from '../formats/entries/known-names.ts';
import { catalogChanged } from './catalog-event.ts';
import { overridePlanProblems } from './obtain-override-plan.ts';

/** Which entries a call is about: those of an account or, without one, those of the tenant. */
export interface EntryScopeOptions {
  readonly accountId?: Uuid | null;
}

export interface PlanOfScope {
  readonly entry: CatalogEntry;
  readonly rows: readonly PlanRow[];
}

export async function scopeOf(session: ReadSession, { accountId }: EntryScopeOptions): Promise<EntryScope> {
  if (!accountId) return { accountId: null, accountRecordId: null };
  const [account] = await session.accounts.findByIds([accountId]);
  if (!account) throw noSuchAccount(accountId);
  return { accountId, accountRecordId: account.recordId };
}

/** Writes the change and its bus event, unless there is nothing to change (§15.4 rule 10). */
export async function apply(session: WriteSession, change: CatalogEntryChange): Promise<void> {
  const [first] = [
    ...(change.addedEntries ?? []),
    ...(change.addedRows ?? []),
    ...(change.erasedEntries ?? []),
    ...(change.erasedRows ?? []),
  ];
  if (first === undefined) return;
  await session.catalogEntries.apply(change);
  session.publish([catalogChanged(first.id, await session.catalogs.revision())]);
}

/** What a request named, as it is stored now, in the order of the request. */
export async function storedView(
  session: ReadSession,
  request: CatalogEntriesInput,
  known: KnownNames,
): Promise<CatalogEntriesView> {
  const productNames = (request.products ?? []).flatMap(({ name }) => name ?? []);
  const planNames = (request.plans ?? []).flatMap(({ name }) => name ?? []);
  const entries = await session.catalogEntries.named([...productNames, ...planNames]);
  const named = (kind: EntryKind, name: string): CatalogEntry | undefined =>
    entries.find((entry) => entry.kind === kind && entry.name === name);
  const products = entries.filter((entry) => entry.kind === EntryKind.PRODUCT);
  const views = productViews(products, await plansOf(session, products));
  const { rows } = await withRows(session, entries);
  const rowsOf = Map.groupBy(rows, (row) => row.planName);
  return {
    catalogName: entries.find(({ kind }) => kind === EntryKind.CATALOG)?.name ?? DEFAULT_CATALOG_NAME,
    products: productNames.flatMap((name) => {
      const xml = known.xmlProduct(name);
      return views.find((view) => view.name === name) ?? (xml === undefined ? [] : xmlProductView(xml));
    }),
    plans: planNames.flatMap((name) => {
      const entry = named(EntryKind.PLAN, name);
      return entry === undefined ? [] : planView(entry, latestOf(rowsOf.get(name) ?? []));
    }),
  };
}

/** Plans of these products in all scopes. */
export async function plansOf(
  session: ReadSession,
  products: readonly CatalogEntry[],
): Promise<EntriesAndRows> {
  return withRows(session, await session.catalogEntries.childrenOf(products.map((product) => product.id)));
}

export async function findEntry(
  session: ReadSession,
  scope: EntryScope,
  { kind, name }: Pick<CatalogEntry, 'kind' | 'name'>,
): Promise<CatalogEntry | undefined> {
  const entries = await session.catalogEntries.named([name]);
  return entries.find(
    (entry) => entry.kind === kind && entry.name === name && entry.accountId === scope.accountId,
  );
}

/** @throws BillingError 61006. */
export async function findPlan(session: ReadSession, scope: EntryScope, name: string): Promise<PlanOfScope> {
  const entry = await findEntry(session, scope, { kind: EntryKind.PLAN, name });
  if (entry === undefined) throw planNotFound(name);
  return { entry, rows: await session.catalogEntries.rowsOf([name]) };
}

export function requireForce({ force }: { readonly force: boolean }, what: string): void {
  if (force) return;
  throw new BillingError({
    code: ErrorCode.CATALOG_ENTRY_FORCE_REQUIRED,
    message: `${what} is not deleted: force must be true, since a deletion cannot be undone`,
  });
}

/** @throws BillingError 61004 for a plan whose name an override plan has (§10 rule 7). */
export async function requireFreeNames(
  session: ReadSession,
  rows: readonly Pick<PlanRow, 'planName'>[],
): Promise<void> {
  const problems = await overridePlanProblems(
    session,
    rows.map((row) => row.planName),
  );
  if (problems.length > 0) throw invalidEntry(problems.map((problem) => problem.message));
}

/** @throws BillingError 61005, since running and ended subscriptions would lose their price. */
export async function requireUnused(session: ReadSession, planNames: readonly string[]): Promise<void> {
  const used = await session.catalogEntries.usedPlans(planNames);
  if (used.length === 0) return;
  throw new BillingError({
    code: ErrorCode.CATALOG_ENTRY_ENTRY_IN_USE,
    message: `Subscriptions use ${used.slice(0, 10).join(', ')}; retire the plan instead`,
    facts: { planNames: used },
  });
}

export function productNotFound(name: string): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND,
    message: `${titleOf('Product', name)} is not among the catalog entries of this scope`,
    facts: { productName: name },
  });
}

/** The error that a stored change would have no visible effect (§16 rule 6). */
export function servedByPlugin(pluginName: string): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    message: `Invalid catalog entry: the catalog plugin "${pluginName}" serves this tenant; change the catalog there`,
    facts: { pluginName },
  });
}
