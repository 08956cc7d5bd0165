import type { Logger } from '../ports/index.ts';
import type { RunResult } from './run-accounts.ts';

/** Tells the operator of subscriptions that runs have left out (subscriptions §19.2 rule 2): the others were billed. */
export function warnOfSkipped(logger: Logger, results: readonly RunResult[]): void {
  for (const result of results) {
    if (result.kind === 'failed' || result.skipped.length === 0) continue;
    logger.warn(
      { accountId: result.account.id, subscriptionIds: result.skipped },
      'subscriptions whose events do not begin with their start are left out of the invoice run',
    );
  }
}
