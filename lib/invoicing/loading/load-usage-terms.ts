import type { ReadSession } from '../../ports/storage/index.ts';
import { SystemKey } from '../../tenants/index.ts';
import { NO_TERMS, readUsageTerms, type UsageTerms } from '../../usage/index.ts';

/** The tenant's usage terms (usage §12); they were read when they were uploaded. One statement. */
export async function loadUsageTerms(session: ReadSession): Promise<UsageTerms> {
  const [stored] = await session.keyValues.find([SystemKey.USAGE_TERMS]);
  return stored === undefined ? NO_TERMS : readUsageTerms(stored.value, String(stored.recordId));
}
