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

/**
 * Creates the operations that return timelines of accounts (accounts §10). `timeline` keeps all rows in memory, and
 * `outline` creates bundle rows only when they are read.
 */
export function timelineOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
  catalogs: CatalogProvider,
  { settingsOf, maxRows }: { readonly settingsOf: SettingsOf; readonly maxRows: number },
) {
  async function outline(context: CallContext, accountId: Uuid): Promise<TimelineOutline> {
    const { tenant, createdDate: now } = context;
    const bound = { maxRows, nextTurn: turnsOf(ports) };
    const catalogsOf = await catalogs.open({ tenant, now, accounts: [accountId] });
    const { rows, ...timeline } = await ports.storage.read(tenant, (session) =>
      loadTimeline(session, { accountId, now, catalogsOf, settingsOf, ...bound }),
    );
    const shown = await countRows(accountId, timeline.bundles.outlines, bound);
    if (shown + rows > maxRows) throw answerTooLarge(accountId, maxRows);
    return timeline;
  }

  return {
    outline,

    async timeline(context: CallContext, accountId: Uuid): Promise<AccountTimeline> {
      const { bundles, ...rest } = await outline(context, accountId);
      return { ...rest, bundles: await bundleViews(bundles.outlines, turnsOf(ports)) };
    },
  };
}

/** An account with its history. */
export interface AccountTimeline {
  readonly account: Account;
  readonly bundles: readonly BundleView[];
  /** The account's invoices with their items, oldest first. Migrated and VOID invoices are not included. */
  readonly invoices: readonly TimelineInvoice[];
  readonly payments: readonly InvoicePaymentView[];
  /** All CREDIT_ADJ items of the account. */
  readonly credits: readonly InvoiceItemView[];
}

export interface TimelineInvoice extends InvoiceView {
  /** The distinct external keys of the bundles on the invoice, in the order of the items. */
  readonly bundleKeys: readonly string[];
}

/** Histories of accounts. */
export interface TimelineOperations<C extends Leading = []> {
  /**
   * Returns the history of the account from one snapshot.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) above `server.limits.rows`
   * rows.
   */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<AccountTimeline>;
}

/** A timeline of an account whose bundle rows are created only when they are read. */
export interface TimelineOutline extends Omit<AccountTimeline, 'bundles'> {
  readonly bundles: BundleWindow;
}

/** Operations that return timelines whose bundle rows are created only when they are read. */
export interface TimelineOutlineOperations<C extends Leading = []> {
  /** Returns the timeline, with outlines of the bundles. */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<TimelineOutline>;
}

interface LoadTimelineInput extends RowBound {
  readonly accountId: Uuid;
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly settingsOf: SettingsOf;
}

/** Loads a timeline in batches. The result contains the timeline and the number of its rows outside bundles. */
async function loadTimeline(session: ReadSession, input: LoadTimelineInput) {
  const { accountId, maxRows } = input;
  const account = await loadAccount(session, accountId);
  let rows = 0;
  const count = (more: number) => {
    rows += more;
    if (rows > maxRows) throw answerTooLarge(accountId, maxRows);
  };
  const found = await findBundlesOfAccount(session, accountId, input);
  const bundles = found.toSorted((one, other) => one.recordId - other.recordId);
  const outlines = await loadOutlines(session, {
    ...input,
    bundles,
    accounts: [account],
    maxRecords: maxRows,
  });
  if (outlines.recordIds.length > maxRows) throw answerTooLarge(accountId, maxRows);
  const invoices = await invoicesOf(session, input, count);
  const payments = await paymentsOf(session, input, count);
  const credits = invoices
    .flatMap(({ items }) => items)
    .filter(({ itemType }) => itemType === InvoiceItemType.CREDIT_ADJ);
  // Every invoice shows all of the credits.
  count(invoices.length * credits.length);
  const keys = new Map(bundles.map(({ id, externalKey }) => [id, externalKey]));
  const keysOf = ({ items }: InvoiceView) =>
    items.flatMap(({ bundleId }) => (bundleId && keys.get(bundleId)) ?? []);
  return {
    account,
    bundles: outlines,
    invoices: invoices.map((invoice) => ({ ...invoice, bundleKeys: [...new Set(keysOf(invoice))] })),
    payments,
    credits,
    rows,
  };
}

/** Adds rows to the count. @throws BillingError ANSWER_TOO_LARGE (60020) if there are too many rows. */
type CountRows = (more: number) => void;

async function invoicesOf(
  session: ReadSession,
  { accountId, catalogsOf, settingsOf, nextTurn }: LoadTimelineInput,
  count: CountRows,
): Promise<readonly InvoiceView[]> {
  const found = await shownInvoicesOf(session, { accountId, nextTurn, count });
  if (found.length === 0) return [];
  const items = await itemsOf(session, found, { nextTurn, count });
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

type Counting = Pick<LoadTimelineInput, 'nextTurn'> & { readonly count: CountRows };

/** Returns the invoices that the timeline contains, oldest first. Migrated and VOID invoices are not included. */
async function shownInvoicesOf(
  session: ReadSession,
  { accountId, nextTurn, count }: Counting & Pick<LoadTimelineInput, 'accountId'>,
): Promise<readonly Invoice[]> {
  const limit = RECORDS_READ_AT_ONCE;
  const found: Invoice[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await session.invoices.pageOfAccount(accountId, { offset, limit });
    const shown = page.rows.filter(
      ({ isMigration, status }) => !isMigration && status !== InvoiceStatus.VOID,
    );
    count(shown.length);
    for (const invoice of shown) found.push(invoice);
    if (page.rows.length < limit) return found;
    await nextTurn();
  }
}

async function itemsOf(session: ReadSession, invoices: readonly Invoice[], { nextTurn, count }: Counting) {
  const limit = RECORDS_READ_AT_ONCE;
  const ids = invoices.map(({ id }) => id);
  const found: InvoiceItem[] = [];
  for (;;) {
    const afterRecordId = found.at(-1)?.recordId ?? 0;
    const page = await session.invoices.pageItems(ids, { afterRecordId, limit });
    count(page.length);
    for (const item of page) found.push(item);
    if (page.length < limit) return found;
    await nextTurn();
  }
}

async function paymentsOf(
  session: ReadSession,
  { accountId, nextTurn }: LoadTimelineInput,
  count: CountRows,
) {
  const limit = ROWS_OF_TURN;
  const views: InvoicePaymentView[] = [];
  for (;;) {
    const page = await session.payments.pageOfAccount(accountId, { offset: views.length, limit });
    const loaded = await loadPayments(session, page.rows, {});
    const ofInvoices = await session.payments.findInvoicePaymentsByPayments(page.rows.map(({ id }) => id));
    for (const view of withInvoices(viewPayments(loaded, new Map()), ofInvoices)) {
      count(1 + view.transactions.length);
      views.push(view);
    }
    if (page.rows.length < limit) return views;
    await nextTurn();
  }
}
