import { loadAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { BillingEvent, CallContext } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import {
  type Bounds,
  boundsIn,
  LateMode,
  piecesNeeded,
  type RequestedBounds,
  type UnbilledUsage,
  unbilledUsage,
} from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf, maxDate, minDate, type TimeZone } from '../../values/time/index.ts';
import { freedPoints } from '../evaluation/stored-intervals.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import { loadBilled, loadUsageTerms } from '../loading/load-billing-state.ts';
import { loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfigOf } from '../proposals/invoicing-config.ts';

/** Creates the operations on recorded usage that is not on any invoice (usage §3.3). */
export function unbilledUsageOperations(
  ports: Pick<Ports, 'storage'>,
  catalogs: CatalogProvider,
  configOf: InvoicingConfigOf,
) {
  return {
    unbilled: async (
      context: CallContext,
      subscriptionId: Uuid,
      request: RequestedBounds,
    ): Promise<readonly UnbilledUsage[]> => {
      const { tenant, createdDate: now } = context;
      const { storage } = ports;
      const load = (session: ReadSession) => loadSubscription(session, subscriptionId);
      const { accountId } = await storage.read(tenant, load);
      const catalogsOf = await catalogs.open({ tenant, now, accounts: [accountId] });
      return storage.read(tenant, async (session) => {
        const { recordId: subscriptionRecordId } = await load(session);
        const account = await loadAccount(session, accountId);
        const { timeZone: zone } = account;
        const bounds = boundsIn(zone, request);
        const today = localDateOf(now, zone);
        const config = await configOf(session);
        const { usage } = config;
        const currency = invoicingCurrency(account);
        const { streams, failures } = await loadStreams(session, {
          requests: [{ account, targetDate: today }],
          catalogOf: await catalogsOf(session, [accountId]),
          config,
          choice: 'all',
        });
        for (const { error } of failures) throw error;
        const events = streams[0]?.bySubscription.get(subscriptionId) ?? null;
        const asked = { subscriptionId, subscriptionRecordId, zone, bounds, events: events ?? [] };
        const found = await loadAround(session, asked, usage.lateMode === LateMode.IGNORE);
        const terms = await loadUsageTerms(session);
        return unbilledUsage({ ...bounds, events, ...found, zone, today, currency, config: usage, terms });
      });
    },
  };
}

interface UnbilledRequest {
  readonly subscriptionId: Uuid;
  readonly subscriptionRecordId: number;
  readonly zone: TimeZone;
  readonly bounds: Bounds;
  readonly events: readonly BillingEvent[];
}

/**
 * Loads all billed usage of the subscription, the days with recorded usage between the bounds, and the days of billed
 * intervals that extend across a bound.
 */
async function loadAround(
  session: ReadSession,
  { subscriptionId, subscriptionRecordId, zone, bounds, events }: UnbilledRequest,
  ignoresLate: boolean,
) {
  const cuts = [bounds.start, bounds.end].map((at) => ({ at, date: localDateOf(at, zone) }));
  const [first, last] = cuts.map(({ date }) => date) as [LocalDate, LocalDate];
  const windows = [{ subscriptionId, from: null }];
  const stored = await session.usage.intervals(windows);
  const freed = ignoresLate ? freedPoints(await session.usage.voidIntervals(windows)) : [];
  const within = stored.filter(({ start, end }) => start.date <= last && end.date >= first);
  const from = minDate(first, ...within.map(({ start }) => start.date));
  const dates = within.flatMap(({ consumed }) => consumed.map(({ localDate }) => localDate));
  const [billedOf, [days = []]] = await Promise.all([
    loadBilled(session, stored),
    session.usage.days([{ subscriptionRecordId, from, dates }]),
  ]);
  const billed = billedOf(stored);
  const latest = maxDate(last, ...within.map(({ end }) => end.date));
  const recorded = days.filter(({ localDate }) => localDate <= latest);
  const needed = piecesNeeded({ days: recorded, events, zone, billed: [...billed, ...freed], cuts });
  const split = needed.split.map((request) => ({ ...request, subscriptionRecordId }));
  return { billed, freed, pieces: [...needed.whole, ...(await session.usage.pieces(split)).flat()] };
}
