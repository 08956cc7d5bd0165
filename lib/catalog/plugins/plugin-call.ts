import { BillingError, ErrorCode } from '../../errors/index.ts';
import { CATALOG_PLUGIN_TIMEOUT_MS } from '../../limits.ts';
import type { CatalogPlugin } from '../../ports/catalog-plugin.ts';
import type { SystemClock } from '../../ports/clock.ts';
import { atMost, TIME_OVER } from '../../wait/at-most.ts';

/**
 * One call of a plugin within its time limit (catalog.md §16 rule 5).
 * @throws BillingError UNEXPECTED (60000) that names the plugin; what it has thrown, such as `RetryLater`, is the cause.
 */
export async function callPlugin<T>(
  plugin: CatalogPlugin,
  systemClock: SystemClock,
  call: () => Promise<T>,
): Promise<T> {
  try {
    // A plugin that is no async function may throw at once.
    const result = await atMost(systemClock, CATALOG_PLUGIN_TIMEOUT_MS, Promise.resolve().then(call));
    if (result !== TIME_OVER) return result;
  } catch (cause) {
    throw failure(plugin, 'failed; the log of the server tells why', cause);
  }
  throw failure(plugin, `did not answer within ${CATALOG_PLUGIN_TIMEOUT_MS / 1_000} s`);
}

function failure(plugin: CatalogPlugin, what: string, cause?: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.UNEXPECTED,
    message: `The catalog plugin "${plugin.name}" ${what}`,
    facts: { pluginName: plugin.name },
    cause,
  });
}
