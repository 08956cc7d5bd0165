import type { CatalogSource } from '../../catalog/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { cancellationOfAll, type EndOfAll } from '../edits/cancellation-of-all.ts';
import { loadRunningOf } from '../storing/load-running.ts';
import { saveEdits } from '../storing/save-edits.ts';
import type { EditTools } from '../timeline/edit-tools.ts';

/** An account, under its lock, all of whose subscriptions end. */
export interface AccountToEnd extends EndOfAll {
  readonly account: Account;
}

/** What ends, and the catalogs of these accounts. */
export interface CancelAllInput {
  /** Each at most once. */
  readonly accounts: readonly AccountToEnd[];
  readonly catalogsOf: CatalogSource;
}

/**
 * Cancels every base and standalone subscription of accounts, each account by its own date and policy; add-ons follow
 * their base (§9 rule 9). What has ended, or ends by then already, stays as it is, and nothing is refused. A constant
 * number of statements for any number of accounts.
 */
export async function cancelAll(
  session: WriteSession,
  { accounts, catalogsOf }: CancelAllInput,
  tools: EditTools,
): Promise<void> {
  if (accounts.length === 0) return;
  const ends = new Map(accounts.map((each) => [each.account.id, each]));
  const bundles = await session.subscriptions.findBundlesByAccounts([...ends.keys()]);
  const all = await loadRunningOf(session, {
    accounts: accounts.map(({ account }) => account),
    bundles,
    catalogsOf,
  });
  const bundleOf = Map.groupBy(all, ({ bundle }) => bundle.id);
  const edits = all.flatMap((running) => {
    const { account, catalog: plans } = running;
    const end = ends.get(account.id);
    const edit = end === undefined ? null : cancellationOfAll(running, end, tools);
    if (edit === null) return [];
    const bundle = bundleOf.get(running.bundle.id) ?? [];
    return [edit, ...followBase({ bundle, edit, plans, zone: account.timeZone }, tools)];
  });
  if (edits.length > 0) await saveEdits(session, edits, tools.now);
}
