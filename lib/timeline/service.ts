import type { CatalogProvider } from '../catalog/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import { answerTooLarge, bundleViews, countRows } from '../subscriptions/index.ts';
import type { SettingsOf } from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { loadTimeline } from './load-timeline.ts';
import type { AccountTimeline, TimelineOperations } from './timeline-operations.ts';
import type { TimelineOutline } from './timeline-outline-operations.ts';

/** The timeline of accounts (accounts §10). */
export class TimelineService implements TimelineOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;
  readonly #catalogs: CatalogProvider;
  readonly #settingsOf: SettingsOf;
  readonly #maxRows: number;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
    catalogs: CatalogProvider,
    { settingsOf, maxRows }: { readonly settingsOf: SettingsOf; readonly maxRows: number },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#settingsOf = settingsOf;
    this.#maxRows = maxRows;
  }

  async timeline(context: CallContext, accountId: Uuid): Promise<AccountTimeline> {
    const { bundles, ...rest } = await this.outlineOfAccount(context, accountId);
    return { ...rest, bundles: await bundleViews(bundles.outlines, turnsOf(this.#ports)) };
  }

  async outlineOfAccount(context: CallContext, accountId: Uuid): Promise<TimelineOutline> {
    const { tenant, createdDate: now } = context;
    const bound = { maxRows: this.#maxRows, nextTurn: turnsOf(this.#ports) };
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    const loaded = await this.#ports.storage.read(tenant, (session) =>
      loadTimeline(session, { accountId, now, catalogsOf, settingsOf: this.#settingsOf, ...bound }),
    );
    const shown = await countRows(accountId, loaded.bundles.outlines, bound);
    if (shown + loaded.rows > bound.maxRows) throw answerTooLarge(accountId, bound.maxRows);
    return loaded;
  }
}
