import {
  catalogFeatureHandler,
  featureChangeHandler,
  featureChecks,
  featureOperations,
} from '../features/index.ts';
import type { FollowUpWork, ReadSession } from '../ports/storage/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on features and quotas, and the checks that changes of subscriptions require. */
export function featureArea({ ports, catalogs, settingsOf }: Foundation) {
  const planFeatureChecks: FollowUpWork = async (session, events) => {
    const checks = featureChecks(events, session.authorship.createdDate);
    return checks.length > 0 && (await declaresFeatures(session)) ? checks : [];
  };
  /**
   * Returns true if the tenant's catalog declares features. The operation has already loaded this catalog. With catalog
   * plugins, always returns true, because the exact answer would require a call to the plugins.
   */
  async function declaresFeatures(session: ReadSession): Promise<boolean> {
    if (catalogs.hasPlugins) return true;
    const { versions } = await catalogs.cache.catalogOf(session);
    return versions.some(({ features }) => features.length > 0);
  }
  return {
    planFeatureChecks,
    handlers: [featureChangeHandler(ports, catalogs), catalogFeatureHandler(ports, catalogs)],
    operations: { features: featureOperations(ports, catalogs, settingsOf) },
  };
}
