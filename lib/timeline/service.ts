import type { CatalogProvider } from '../catalog/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoicing/invoice-view.ts';
import type { InvoicePaymentView } from '../payments/reading/payment-views.ts';
import type { Ports } from '../ports/index.ts';
import type { Account, CallContext } from '../records/index.ts';
import { answerTooLarge, countRows } from '../subscriptions/views/answer-rows.ts';
import type { BundleView } from '../subscriptions/views/bundle-view.ts';
import type { BundleWindow } from '../subscriptions/views/outline-page.ts';
import { bundleViews } from '../subscriptions/views/views-in-turns.ts';
import type { Uuid } from '../values/ids/index.ts';
import { loadTimeline } from './load-timeline.ts';

/** An account with all that happened on it. */
export interface AccountTimeline {
  readonly account: Account;
  readonly bundles: readonly BundleView[];
  /** All but migration and voided ones, in creation order, with their items. */
  readonly invoices: readonly TimelineInvoice[];
  readonly payments: readonly InvoicePaymentView[];
  /** The credits that were given on the account: all CREDIT_ADJ items. */
  readonly credits: readonly InvoiceItemView[];
}

/** The same with outlines of its bundles, whose rows are made while they are gone through. */
export interface TimelineOutline extends Omit<AccountTimeline, 'bundles'> {
  readonly bundles: BundleWindow;
}

export interface TimelineInvoice extends InvoiceView {
  /** External keys of the bundles that its items bill, each once, in the order of the items. */
  readonly bundleKeys: readonly string[];
}

/** The timeline of accounts (accounts §10). */
export class TimelineService {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock'>;
  readonly #catalogs: CatalogProvider;
  readonly #maxRows: number;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock'>, catalogs: CatalogProvider, maxRows: number) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#maxRows = maxRows;
  }

  /**
   * Everything of the account from one snapshot.
   * @throws as `outlineOfAccount`.
   */
  async ofAccount(context: CallContext, accountId: Uuid): Promise<AccountTimeline> {
    const { bundles, ...timeline } = await this.outlineOfAccount(context, accountId);
    return { ...timeline, bundles: await bundleViews(bundles.outlines, this.#ports.systemClock) };
  }

  /**
   * The same, with outlines of the bundles.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) where it has more rows than
   * `server.limits.rows`.
   */
  async outlineOfAccount(context: CallContext, accountId: Uuid): Promise<TimelineOutline> {
    const { tenant, createdDate: now } = context;
    const { systemClock } = this.#ports;
    const bound = { maxRows: this.#maxRows, nextTurn: systemClock.nextTurn.bind(systemClock) };
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    const loaded = await this.#ports.storage.read(tenant, (session) =>
      loadTimeline(session, { accountId, now, catalogsOf, ...bound }),
    );
    const shown = await countRows(accountId, loaded.bundles.outlines, bound);
    if (shown + loaded.rows > bound.maxRows) throw answerTooLarge(accountId, bound.maxRows);
    return loaded;
  }
}
