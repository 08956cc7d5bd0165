import type { LoadBilling } from '../../coupons/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';
import { loadStreams } from './load-streams.ts';

/** Returns a function that loads the billing events of accounts, for coupon redemptions (coupons §2). */
export function loadAccountBilling(configOf: InvoicingConfigOf): LoadBilling {
  return async (session, { accounts, catalogOf, now }) => {
    const requests = accounts.map((account) => ({ account, targetDate: localDateOf(now, account.timeZone) }));
    const config = await configOf(session);
    const input = { requests, catalogOf, config, choice: 'all', includesNotInvoiced: true } as const;
    const { streams, failures } = await loadStreams(session, input);
    for (const { error } of failures) throw error;
    return new Map(
      streams.map(({ request, bySubscription, ends }) => [
        request.account.id,
        { account: request.account, eventsOf: bySubscription, ends },
      ]),
    );
  };
}
