import { loadAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, InvoiceItemType } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import { openEnds } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import { loadStreams } from '../loading/load-streams.ts';
import type { InvoicingConfigOf } from '../loading/tenant-invoicing-config.ts';
import type { RatedUsageRequest } from '../operations/usage-review-operations.ts';
import type { DryRunService } from './dry-run-service.ts';

/** When periods that are running now end, and the account's day. */
interface RunningPeriods {
  readonly accountId: Uuid;
  readonly today: LocalDate;
  readonly ends: readonly LocalDate[];
}

/** What usage costs while it happens (usage §3.3). */
export class RatedUsageService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #catalogs: CatalogProvider;
  readonly #configOf: InvoicingConfigOf;
  readonly #dryRuns: DryRunService;

  constructor(
    ports: Pick<Ports, 'storage'>,
    catalogs: CatalogProvider,
    { configOf, dryRuns }: { readonly configOf: InvoicingConfigOf; readonly dryRuns: DryRunService },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#configOf = configOf;
    this.#dryRuns = dryRuns;
  }

  async rated(
    context: CallContext,
    subscriptionId: Uuid,
    { targetDate: asked = null }: RatedUsageRequest = {},
  ): Promise<readonly InvoiceItemView[]> {
    const { accountId, today, ends } = await this.#running(context, subscriptionId);
    const dates = asked !== null ? [asked] : ends.length > 0 ? ends : [today];
    const invoices = await this.#dryRuns.upTo(context, { accountId, dates });
    return dates.flatMap((end, index) => {
      const items = (invoices[index]?.items ?? []).filter(
        (item) => item.itemType === InvoiceItemType.USAGE && item.subscriptionId === subscriptionId,
      );
      // Where periods of other lengths are running, each is looked at when it ends.
      return index === 0 ? items : items.filter((item) => isRunning(item, today, end));
    });
  }

  async #running(context: CallContext, subscriptionId: Uuid): Promise<RunningPeriods> {
    const { tenant, createdDate: now } = context;
    const { storage } = this.#ports;
    const { accountId } = await storage.read(tenant, (session) => loadSubscription(session, subscriptionId));
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    return storage.read(tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      const { timeZone: zone } = account;
      const today = localDateOf(now, zone);
      const { alignPriceChanges } = await this.#configOf(session);
      const { streams } = await loadStreams(session, {
        requests: [{ account, targetDate: today }],
        catalogOf: await catalogsOf(session, [accountId]),
        choice: 'all',
        alignPriceChanges,
      });
      const events = streams[0]?.bySubscription.get(subscriptionId) ?? [];
      return { accountId, today, ends: openEnds({ events, now, zone }) };
    });
  }
}

/** Sections whose periods end earlier have others by then, which are not running yet. */
function isRunning({ startDate, endDate }: InvoiceItemView, today: LocalDate, end: LocalDate): boolean {
  return startDate !== null && startDate <= today && endDate === end;
}
