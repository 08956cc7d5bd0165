import type { Account } from '../accounts/model.ts';
import { noSuchAccount } from '../accounts/service.ts';
import type { CatalogProvider } from '../catalog/catalog-source.ts';
import type { CallContext } from '../context.ts';
import type { Uuid } from '../ids/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoicing/invoice-view.ts';
import { loadInvoiceViews } from '../invoicing/load-invoice-views.ts';
import { InvoiceItemType, InvoiceStatus } from '../invoicing/model.ts';
import {
  type InvoicePaymentView,
  loadPayments,
  viewPayments,
  withInvoices,
} from '../payments/payment-views.ts';
import type { Ports } from '../ports/index.ts';
import { loadBundleViews } from '../subscriptions/load-bundle-views.ts';
import type { BundleView } from '../subscriptions/views.ts';

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

export interface TimelineInvoice extends InvoiceView {
  /** External keys of the bundles that its items bill, each once, in the order of the items. */
  readonly bundleKeys: readonly string[];
}

/** The timeline of accounts (accounts.md §10). */
export class TimelineService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /**
   * Everything of the account from one snapshot, in a constant number of queries.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async ofAccount(context: CallContext, accountId: Uuid): Promise<AccountTimeline> {
    const { tenant, createdDate: now } = context;
    const catalogsOf = await this.#catalogs.open({ tenant, now, accounts: [accountId] });
    return this.#ports.storage.read(tenant, async (session) => {
      const [account] = await session.accounts.findByIds([accountId]);
      if (!account) throw noSuchAccount(accountId);
      const bundles = await session.subscriptions.findBundlesByAccounts([accountId]);
      const stored = await session.invoices.listOfAccount(accountId, {
        statuses: [InvoiceStatus.DRAFT, InvoiceStatus.COMMITTED],
        withMigration: false,
        unpaidOnly: false,
      });
      const inOrder = stored.toSorted((one, other) => one.recordId - other.recordId);
      const invoices = await loadInvoiceViews(session, inOrder, catalogsOf);
      const payments = await session.payments.findByAccounts([accountId]);
      const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
      const keys = new Map(bundles.map(({ id, externalKey }) => [id, externalKey]));
      return {
        account,
        bundles: await loadBundleViews(session, { accounts: [account], bundles, now, catalogsOf }),
        invoices: invoices.map((invoice) => ({ ...invoice, bundleKeys: bundleKeysOf(invoice, keys) })),
        payments: withInvoices(viewPayments(await loadPayments(session, payments, {}), new Map()), rows),
        credits: invoices
          .flatMap(({ items }) => items)
          .filter(({ itemType }) => itemType === InvoiceItemType.CREDIT_ADJ),
      };
    });
  }
}

function bundleKeysOf(invoice: InvoiceView, keys: ReadonlyMap<Uuid, string>): readonly string[] {
  const found = invoice.items.flatMap(({ bundleId }) => (bundleId && keys.get(bundleId)) ?? []);
  return [...new Set(found)];
}
