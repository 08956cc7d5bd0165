import type { CatalogSource } from '../../catalog/index.ts';
import { EntitlementActionPolicy } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type Account, BillingActionPolicy, ProductCategory } from '../../records/index.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { hasEnded, planCancellation } from '../edits/cancellation.ts';
import { loadRunning } from '../storing/load-running.ts';
import { saveEdits } from '../storing/save-edits.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { billingEnd } from '../views/computed-fields.ts';

/**
 * Cancels every subscription of a closing account that has no end of billing yet: the service at once, billing at the end
 * of what is invoiced or, if that is earlier, of its term (§9 rule 9, accounts §9). Add-ons follow their base. A constant
 * number of statements.
 * @param of the account, under its lock.
 */
export async function cancelAll(
  session: WriteSession,
  of: { readonly account: Account; readonly catalogsOf: CatalogSource },
  tools: EditTools,
): Promise<void> {
  const bundles = await session.subscriptions.findBundlesByAccounts([of.account.id]);
  const all = await loadRunning(session, { ...of, bundles });
  const live = all.filter(
    (running) =>
      running.subscription.category !== ProductCategory.ADD_ON &&
      billingEnd(running.transitions) === null &&
      !hasEnded(running, tools.now),
  );
  const policies = {
    entitlementPolicy: EntitlementActionPolicy.IMMEDIATE,
    billingPolicy: BillingActionPolicy.END_OF_TERM,
    endsByExpiry: true,
  };
  const bundleOf = Map.groupBy(all, ({ bundle }) => bundle.id);
  const edits = live.flatMap((running) => {
    const { edit } = planCancellation(running, policies, tools);
    const bundle = bundleOf.get(running.bundle.id) ?? [];
    return [edit, ...followBase({ bundle, edit, plans: running.catalog, zone: of.account.timeZone }, tools)];
  });
  await saveEdits(session, edits, tools.now);
}
