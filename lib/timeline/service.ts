import { loadAccount } from '../accounts/index.ts';
import type { CatalogProvider, CatalogSource } from '../catalog/index.ts';
import { type InvoiceItemView, type InvoiceView, loadViewSources, viewInvoices } from '../invoicing/index.ts';
import { type InvoicePaymentView, loadPayments, viewPayments, withInvoices } from '../payments/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  type Leading,
  type WithContext,
} from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import {
  answerTooLarge,
  type BundleView,
  type BundleWindow,
  bundleViews,
  countRows,
  findBundlesOfAccount,
  loadOutlines,
  type RowBound,
} from '../subscriptions/index.ts';
import type { SettingsOf } from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { RECORDS_READ_AT_ONCE, ROWS_OF_TURN } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

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

/** An account with all that happened on it. */
export interface AccountTimeline {
  readonly account: Account;
  readonly bundles: readonly BundleView[];
  /** All except migrated and voided ones, in creation order, with their items. */
  readonly invoices: readonly TimelineInvoice[];
  readonly payments: readonly InvoicePaymentView[];
  /** The credits that were given on the account: all CREDIT_ADJ items. */
  readonly credits: readonly InvoiceItemView[];
}

export interface TimelineInvoice extends InvoiceView {
  /** External keys of the bundles that its items bill, each once, in the order of the items. */
  readonly bundleKeys: readonly string[];
}

/** What has happened to an account. */
export interface TimelineOperations<C extends Leading = []> {
  /** Everything that happened to the account, from one snapshot. @throws as `outlineOfAccount`. */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<AccountTimeline>;
}

/** The same with outlines of its bundles, whose rows are made while they are read. */
export interface TimelineOutline extends Omit<AccountTimeline, 'bundles'> {
  readonly bundles: BundleWindow;
}

/** The timeline of an account as an outline. */
export interface TimelineOutlineOperations<C extends Leading = []> {
  /**
   * The same, with outlines of the bundles.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) where it has more rows than
   * `server.limits.rows`.
   */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<TimelineOutline>;
}

interface LoadTimelineInput extends RowBound {
  readonly accountId: Uuid;
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly settingsOf: SettingsOf;
}

/** A timeline that has been read, with the number of its rows besides those of its bundles. */
interface LoadedTimeline extends TimelineOutline {
  readonly rows: number;
}

/**
 * Loads what the timeline shows, a part at a time so that nobody else is held up.
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) as soon as that is known.
 */
async function loadTimeline(session: ReadSession, input: LoadTimelineInput): Promise<LoadedTimeline> {
  const { accountId, maxRows } = input;
  const account = await loadAccount(session, accountId);
  const rows = new RowCount(input);
  const found = await findBundlesOfAccount(session, accountId, input);
  const bundles = found.toSorted((one, other) => one.recordId - other.recordId);
  const outlines = await loadOutlines(session, {
    ...input,
    bundles,
    accounts: [account],
    maxRecords: maxRows,
  });
  if (outlines.recordIds.length > maxRows) throw answerTooLarge(accountId, maxRows);
  const invoices = await invoicesOf(session, input, rows);
  const payments = await paymentsOf(session, input, rows);
  const credits = invoices
    .flatMap(({ items }) => items)
    .filter(({ itemType }) => itemType === InvoiceItemType.CREDIT_ADJ);
  // Every invoice shows all of the credits.
  rows.add(invoices.length * credits.length);
  const keys = new Map(bundles.map(({ id, externalKey }) => [id, externalKey]));
  return {
    account,
    bundles: outlines,
    invoices: invoices.map((invoice) => ({ ...invoice, bundleKeys: bundleKeysOf(invoice, keys) })),
    payments,
    credits,
    rows: rows.total,
  };
}

/** Counts rows, up to the number that an answer may have. */
class RowCount {
  total = 0;
  readonly #of: Pick<LoadTimelineInput, 'accountId' | 'maxRows'>;

  constructor(of: Pick<LoadTimelineInput, 'accountId' | 'maxRows'>) {
    this.#of = of;
  }

  /** @throws BillingError ANSWER_TOO_LARGE (60020). */
  add(rows: number): void {
    const { accountId, maxRows } = this.#of;
    this.total += rows;
    if (this.total > maxRows) throw answerTooLarge(accountId, maxRows);
  }
}

async function invoicesOf(
  session: ReadSession,
  { accountId, catalogsOf, settingsOf, nextTurn }: LoadTimelineInput,
  rows: RowCount,
): Promise<readonly InvoiceView[]> {
  const found = await shownInvoicesOf(session, { accountId, nextTurn, rows });
  if (found.length === 0) return [];
  const items = await itemsOf(session, found, { nextTurn, rows });
  const sources = await loadViewSources(session, { invoices: found, items, catalogsOf, settingsOf });
  const itemsOfInvoice = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const views: InvoiceView[] = [];
  let made = 0;
  for (const invoice of found) {
    const own = itemsOfInvoice.get(invoice.id) ?? [];
    views.push(...viewInvoices([invoice], own, sources));
    made += 1 + own.length;
    if (made < ROWS_OF_TURN) continue;
    made = 0;
    await nextTurn();
  }
  return views;
}

type Counting = Pick<LoadTimelineInput, 'nextTurn'> & { readonly rows: RowCount };

/** All but migration and voided ones, in creation order. */
async function shownInvoicesOf(
  session: ReadSession,
  { accountId, nextTurn, rows }: Counting & Pick<LoadTimelineInput, 'accountId'>,
): Promise<readonly Invoice[]> {
  const limit = RECORDS_READ_AT_ONCE;
  const found: Invoice[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await session.invoices.pageOfAccount(accountId, { offset, limit });
    const shown = page.rows.filter(
      ({ isMigration, status }) => !isMigration && status !== InvoiceStatus.VOID,
    );
    rows.add(shown.length);
    for (const invoice of shown) found.push(invoice);
    if (page.rows.length < limit) return found;
    await nextTurn();
  }
}

async function itemsOf(session: ReadSession, invoices: readonly Invoice[], { nextTurn, rows }: Counting) {
  const limit = RECORDS_READ_AT_ONCE;
  const ids = invoices.map(({ id }) => id);
  const found: InvoiceItem[] = [];
  for (;;) {
    const afterRecordId = found.at(-1)?.recordId ?? 0;
    const page = await session.invoices.pageItems(ids, { afterRecordId, limit });
    rows.add(page.length);
    for (const item of page) found.push(item);
    if (page.length < limit) return found;
    await nextTurn();
  }
}

async function paymentsOf(session: ReadSession, { accountId, nextTurn }: LoadTimelineInput, rows: RowCount) {
  const limit = ROWS_OF_TURN;
  const views: InvoicePaymentView[] = [];
  for (;;) {
    const page = await session.payments.pageOfAccount(accountId, { offset: views.length, limit });
    const loaded = await loadPayments(session, page.rows, {});
    const ofInvoices = await session.payments.findInvoicePaymentsByPayments(page.rows.map(({ id }) => id));
    for (const view of withInvoices(viewPayments(loaded, new Map()), ofInvoices)) {
      rows.add(1 + view.transactions.length);
      views.push(view);
    }
    if (page.rows.length < limit) return views;
    await nextTurn();
  }
}

function bundleKeysOf(invoice: InvoiceView, keys: ReadonlyMap<Uuid, string>): readonly string[] {
  const found = invoice.items.flatMap(({ bundleId }) => (bundleId && keys.get(bundleId)) ?? []);
  return [...new Set(found)];
}
