import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type CallContext, FeatureKind } from '../../records/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type FeatureAt, type FeaturesAt, featuresAt } from '../evaluation/features-at.ts';
import { type AccountFeatures, FeatureCache } from '../loading/feature-cache.ts';
import { loadFeatureFacts, loadUsedAmounts } from '../loading/load-features.ts';

/** Functions that read features. They use the cache if possible (§3). */
export type FeatureReading = ReturnType<typeof featureReading>;

export function featureReading(
  { storage, systemClock }: Pick<Ports, 'storage' | 'systemClock'>,
  catalogs: CatalogProvider,
  settingsOf: SettingsOf,
) {
  const cache = new FeatureCache(() => systemClock.nowMs());
  storage.onChange((change) => cache.drop(change));

  async function read(context: CallContext, accountId: Uuid, at: Instant): Promise<AccountFeatures> {
    const { tenant, createdDate: now } = context;
    const catalogsOf = await catalogs.open({ tenant, now, accounts: [accountId] });
    return storage.read(tenant, async (session: ReadSession) => {
      const facts = await loadFeatureFacts(session, accountId, catalogsOf);
      const features = featuresAt(facts, at);
      const used = await loadUsedAmounts(session, features.features.values());
      const { 'features.quotaThresholds': thresholds } = await settingsOf(session);
      return { account: facts.account, features, used, thresholds };
    });
  }

  return {
    cache,

    /** Returns the features at an instant without caching them. */
    at: read,

    /**
     * Returns the current features. In a host transaction, returns the state that this transaction sees.
     * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
     */
    current(context: CallContext, accountId: Uuid): AccountFeatures | Promise<AccountFeatures> {
      const { tenant, createdDate: at } = context;
      if (tenant.within !== undefined) return read(context, accountId, at);
      const cached = cache.find(tenant, accountId, at);
      return cached ?? cache.load(tenant, { accountId, at }, () => read(context, accountId, at));
    },
  };
}

/** Returns the feature. @throws BillingError FEATURE_NOT_FOUND (63001). */
export function featureOf(
  {
    account,
    features: { features },
  }: { readonly account: { readonly id: Uuid }; readonly features: FeaturesAt },
  name: string,
): FeatureAt {
  const feature = features.get(name);
  if (feature !== undefined) return feature;
  throw billingError(
    ErrorCode.FEATURE_NOT_FOUND,
    `The catalog of account ${account.id} does not declare the feature "${shortenText(name)}"`,
    { accountId: account.id, feature: name },
  );
}

/** Returns the quota. @throws BillingError FEATURE_NOT_FOUND (63001), FEATURE_NOT_A_QUOTA (63002). */
export function quotaOf(loaded: AccountFeatures, name: string): FeatureAt {
  const feature = featureOf(loaded, name);
  const { kind } = feature;
  if (kind === FeatureKind.QUOTA) return feature;
  throw billingError(
    ErrorCode.FEATURE_NOT_A_QUOTA,
    `Feature "${name}" is a ${kind}. Only a QUOTA can be consumed`,
    { feature: name, kind },
  );
}
