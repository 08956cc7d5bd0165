import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Bundle } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { SUBSCRIPTIONS_READ_AT_ONCE } from '../../values/limits.ts';
import { answerTooLarge, type RowBound } from '../views/answer-rows.ts';

export interface BundleFilter {
  readonly externalKey?: string | undefined;
  readonly bundleIds?: readonly Uuid[] | undefined;
}

/**
 * The account's bundles by original creation, all of them or those of the filter.
 * @throws BillingError ANSWER_TOO_LARGE (60020) where they alone are more than the rows of one answer.
 */
export async function findBundlesOfAccount(
  session: ReadSession,
  accountId: Uuid,
  options: RowBound & { readonly filter?: BundleFilter },
): Promise<readonly Bundle[]> {
  const { filter = {} } = options;
  const candidates = await candidatesOf(session, accountId, { ...options, filter });
  return candidates
    .filter((bundle) => bundle.accountId === accountId && matches(bundle, filter))
    .toSorted(byOriginalCreation);
}

/** Bundles that the filter names are looked up directly, however many the account has. */
async function candidatesOf(
  session: ReadSession,
  accountId: Uuid,
  { filter, ...bound }: RowBound & { readonly filter: BundleFilter },
): Promise<readonly Bundle[]> {
  const { bundleIds, externalKey } = filter;
  if (bundleIds !== undefined) return session.subscriptions.findBundlesByIds(bundleIds);
  if (externalKey !== undefined) return session.subscriptions.findBundlesByKeys([externalKey]);
  return allOfAccount(session, accountId, bound);
}

async function allOfAccount(
  session: ReadSession,
  accountId: Uuid,
  { maxRows, nextTurn }: RowBound,
): Promise<readonly Bundle[]> {
  const found: Bundle[] = [];
  for await (const bundles of bundlesInParts(session, accountId, nextTurn)) {
    for (const bundle of bundles) found.push(bundle);
    if (found.length > maxRows) throw answerTooLarge(accountId, maxRows);
  }
  return found;
}

/** All bundles of the account in creation order, a part at a time. */
export async function* bundlesInParts(
  session: ReadSession,
  accountId: Uuid,
  nextTurn: SystemClock['nextTurn'],
): AsyncGenerator<readonly Bundle[], undefined> {
  const limit = SUBSCRIPTIONS_READ_AT_ONCE;
  for (let offset = 0; ; offset += limit) {
    const { rows } = await session.subscriptions.pageBundlesOfAccount(accountId, { offset, limit });
    yield rows;
    if (rows.length < limit) return;
    await nextTurn();
  }
}

function matches(bundle: Bundle, filter: BundleFilter): boolean {
  if (filter.externalKey !== undefined && bundle.externalKey !== filter.externalKey) return false;
  return filter.bundleIds === undefined || filter.bundleIds.includes(bundle.id);
}

function byOriginalCreation(a: Bundle, b: Bundle): number {
  return a.originalCreatedDate - b.originalCreatedDate || a.recordId - b.recordId;
}
