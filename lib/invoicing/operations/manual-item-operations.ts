import { noSuchObject } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  itemTypes,
  type ManualItemType,
  ObjectType,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  belowMinorUnit,
  type Currency,
  type Decimal,
  formatDecimal,
  statedAmount,
  ZERO,
} from '../../values/money/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import { followingTaxes } from '../invoices/following-taxes.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { InvoiceItemView, InvoiceReader, InvoiceView } from '../invoices/invoice-view.ts';
import {
  checkCurrency,
  checkManualItems,
  checkMigrationItems,
  checkTexts,
  type ManualItem,
  manualItem,
  migrationItem,
  statedItemAmount,
} from '../invoices/manual-items.ts';
import { draftOf, emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import {
  adjustedAmount,
  afterAdjustment,
  itemAdjustment,
  type NewInvoiceItem,
} from '../invoices/new-item.ts';
import type {
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
} from '../invoices/requests.ts';
import { declaredTaxProblem, type TaxedItem } from '../invoices/tax-facts.ts';
import { catalogsForNames, loadInvoiceViews } from '../loading/load-invoice-views.ts';
import type { ProposedInvoice } from '../plugins/approved-change.ts';
import {
  type ConsultedOperations,
  onAccount,
  type Planning,
  saveDecided,
} from '../plugins/consult-about-operations.ts';
import { changeInvoices } from '../saving/change-invoices.ts';

/** Creates the operations for charges, taxes, credits and adjustments that users add (§9). */
export function manualItemOperations(
  ports: Pick<Ports, 'storage' | 'logger'>,
  catalogs: CatalogProvider,
  operations: ConsultedOperations,
) {
  const { storage } = ports;
  async function viewsOf(
    { tenant, createdDate: now }: CallContext,
    accountId: Uuid,
    items: readonly InvoiceItem[],
  ): Promise<readonly InvoiceItemView[]> {
    const catalogsOf = await catalogsForNames(ports, catalogs, { tenant, now, accounts: [accountId] });
    const wanted = new Set(items.map(({ id }) => id));
    const ids = [...new Set(items.map(({ invoiceId }) => invoiceId))];
    return storage.read(tenant, async (session) => {
      const viewed = { invoices: session.invoices.findByIds(ids), selection: ids };
      const views = await loadInvoiceViews(session, viewed, { catalogsOf, settingsOf: null });
      return views.flatMap((view) => view.items.filter(({ id }) => wanted.has(id)));
    });
  }

  const add =
    (type: ManualItemType) =>
    async (context: CallContext, request: ManualItemsRequest): Promise<readonly InvoiceItemView[]> => {
      checkManualItems(type, request.items);
      const { accountId, ids } = await operations.run(context, {
        ...onAccount(request.accountId),
        takesItems: true,
        plan: (session, account, { ids }) => planItems(session, { account, context, type, request, ids }),
        apply: async (session, { account, itemIds }, decided) => {
          await saveDecided(session, decided, account);
          return { accountId: account.id, ids: itemIds };
        },
      });
      const items = await storage.read(context.tenant, ({ invoices }) => invoices.findItemsByIds(ids));
      const views = await viewsOf(context, accountId, items);
      return ids.flatMap((id) => views.find((view) => view.id === id) ?? []);
    };

  return {
    addCharges: add(InvoiceItemType.EXTERNAL_CHARGE),
    addTaxes: add(InvoiceItemType.TAX),
    addCredits: add(InvoiceItemType.CREDIT_ADJ),

    getCredit: async (context: CallContext, itemId: Uuid): Promise<InvoiceItemView> => {
      const [item] = await storage.read(context.tenant, ({ invoices }) => invoices.findItemsByIds([itemId]));
      const isCredit = item?.itemType === InvoiceItemType.CREDIT_ADJ;
      const [view] = isCredit ? await viewsOf(context, item.accountId, [item]) : [];
      if (view) return view;
      const message = `Credit does not exist for id ${itemId}`;
      throw billingError(ErrorCode.INVOICE_NO_SUCH_CREDIT, message, { creditId: itemId });
    },

    adjustItem: async (context: CallContext, request: ItemAdjustmentRequest): Promise<void> => {
      checkTexts(request);
      if (request.amount?.lessThanOrEqualTo(0)) throw notPositive(request.amount);
      await operations.run(context, {
        ...onAccount(request.accountId),
        takesItems: true,
        plan: (session, account, planning) =>
          planAdjustment(session, { account, context, request, ...planning }),
        apply: (session, { account }, decided) => saveDecided(session, decided, account),
      });
    },
  };
}

async function planAdjustment(
  session: ReadSession,
  { ids, isConsulted, ...asked }: Planning & Omit<Adjusting, 'invoice' | 'id'>,
) {
  const { account, request } = asked;
  const invoice = await invoiceToAdjust(session, account, request);
  const { invoiceItemId } = request;
  const stored = isConsulted ? await session.invoices.findItems([invoice.id]) : null;
  const items = stored ?? (await session.invoices.findItemsByIds([invoiceItemId]));
  const item = items.find(({ id, invoiceId }) => id === invoiceItemId && invoiceId === invoice.id);
  if (!item) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: invoiceItemId });
  const { adjustment, remains, date } = adjustmentOf(item, { ...asked, invoice, id: ids.next() });
  const existing = stored?.map((each) => (each === item ? { ...each, ...remains } : each)) ?? null;
  const linked = stored ?? (isTaxable(item) ? await session.invoices.findItemsLinkedTo([item.id]) : []);
  const followingTaxes = taxAdjustments({ ...item, ...remains }, linked, { ids, date });
  const changed = { existing, newItems: [adjustment], remains: [remains], followingTaxes };
  return { accounts: [account], account, invoices: [{ before: invoice, invoice, ...changed }] };
}

/** Returns the adjustments of the taxes when a charge is adjusted (§9 rule 4). */
function taxAdjustments(
  charge: InvoiceItem,
  items: readonly InvoiceItem[],
  { ids, date }: Pick<Planning, 'ids'> & { readonly date: LocalDate },
) {
  return followingTaxes(charge, items).map(({ tax, amount }) => ({
    adjustment: itemAdjustment(tax, { id: ids.next(), amount, date }),
    remains: afterAdjustment(tax, amount),
  }));
}

async function planItems(
  session: ReadSession,
  {
    account,
    context,
    type,
    request,
    ids,
  }: Omit<Migrating, 'request'> & {
    readonly account: Account;
    readonly type: ManualItemType;
    readonly request: ManualItemsRequest;
  },
) {
  const currency = invoicingCurrency(account);
  for (const item of request.items) checkCurrency(item.currency, currency);
  const isTax = type === InvoiceItemType.TAX;
  const taxed = isTax ? await taxedItems(session, account, request.items) : new Map<Uuid, InvoiceItem>();
  const drafts = await draftsOf(session, account, request.items);
  const requestedDate = request.requestedDate ?? localDateOf(context.createdDate, account.timeZone);
  const added = request.items.map((item) => {
    const amount = statedItemAmount(item, currency, context);
    const made = manualItem(type, { ...item, amount }, { id: ids.next(), requestedDate });
    return { invoiceId: item.invoiceId ?? null, item: made };
  });
  checkDeclaredTaxes(
    added.map(({ item }) => item),
    taxed,
    currency,
  );
  const itemsOf = (id: Uuid | null) =>
    added.flatMap(({ invoiceId, item }) => (invoiceId === id ? [item] : []));
  const invoice = emptyInvoice({
    id: ids.next(),
    account,
    targetDate: requestedDate,
    status: request.autoCommit === true ? InvoiceStatus.COMMITTED : InvoiceStatus.DRAFT,
    now: context.createdDate,
  });
  const own = itemsOf(null);
  const invoices: readonly ProposedInvoice[] = [
    ...(own.length > 0 ? [{ before: null, invoice, existing: [], newItems: own }] : []),
    ...drafts.map(({ invoice: draft, items: existing }) => {
      return { before: draft, invoice: draft, existing, newItems: itemsOf(draft.id) };
    }),
  ];
  return { accounts: [account], account, invoices, itemIds: added.map(({ item }) => item.id) };
}

/**
 * Returns the items to which the taxes refer, by id.
 * @throws BillingError INVOICE_ITEM_NOT_FOUND (4011), MISSING_OR_INVALID_FIELD (60003) for an item that is not a
 * charge.
 */
async function taxedItems(session: ReadSession, account: Account, taxes: readonly ManualItem[]) {
  const ids = [...new Set(taxes.flatMap(({ linkedItemId }) => linkedItemId ?? []))];
  if (ids.length === 0) return new Map<Uuid, InvoiceItem>();
  const stored = new Map((await session.invoices.findItemsByIds(ids)).map((item) => [item.id, item]));
  for (const id of ids) {
    const item = stored.get(id);
    if (item?.accountId !== account.id) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id });
    if (isTaxable(item)) continue;
    throw invalidField(`Invoice item ${id} is a ${item.itemType}, which cannot be taxed: only a charge can`);
  }
  return stored;
}

/**
 * Compares the amounts of new taxes with their rates (§14 rule 9).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if they differ.
 */
function checkDeclaredTaxes(
  items: readonly NewInvoiceItem[],
  taxed: ReadonlyMap<Uuid, InvoiceItem>,
  currency: Currency,
): void {
  const findTaxedItem = (id: Uuid): TaxedItem | undefined => {
    const item = taxed.get(id);
    return item && { amount: item.amount, left: item.repairable };
  };
  const problem = declaredTaxProblem(items, findTaxedItem, { currency });
  if (problem !== null) throw invalidField(`Invoice item ${problem}`);
}

function isTaxable({ itemType }: InvoiceItem): boolean {
  return itemTypes[itemType].kind === 'CHARGE' && itemType !== InvoiceItemType.TAX;
}

interface Adjusting {
  readonly request: ItemAdjustmentRequest;
  readonly context: CallContext;
  readonly account: Account;
  readonly invoice: Invoice;
  readonly id: Uuid;
}

function adjustmentOf(item: InvoiceItem, { request, context, account, invoice, id }: Adjusting) {
  const asked =
    request.amount == null ? null : checkAdjustmentAmount(request.amount, item, { invoice, context });
  if (asked?.isZero()) throw notPositive(asked);
  const amount = adjustedAmount(item, asked);
  if (amount.isZero()) {
    const message = `Invoice item ${item.id} has no amount left to adjust`;
    throw billingError(ErrorCode.INVOICE_NOTHING_TO_DO, message, { invoiceItemId: item.id });
  }
  const date = request.requestedDate ?? localDateOf(context.createdDate, account.timeZone);
  const adjustment = itemAdjustment(item, {
    id,
    amount,
    date,
    description: request.description ?? null,
    itemDetails: request.itemDetails ?? null,
  });
  return { adjustment, remains: afterAdjustment(item, amount), date };
}

/**
 * Returns the requested amount. Two amounts may have any precision: the remaining amount of the item, and a fraction of
 * a minor unit in the invoice's balance that results from older data (§9 rule 4).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for any other amount finer than the currency's minor unit.
 */
function checkAdjustmentAmount(
  amount: Decimal,
  item: InvoiceItem,
  { invoice: { currency, rawBalance }, context }: Pick<Adjusting, 'invoice' | 'context'>,
): Decimal {
  if (amount.equals(belowMinorUnit(rawBalance, currency))) return amount;
  const { roundsFloatNoise } = context;
  return statedAmount(amount, { currency, roundsFloatNoise, rest: item.repairable });
}

/** Loads the specified drafts with their items. @throws BillingError 4006, 4024, 4023. */
async function draftsOf(session: ReadSession, account: Account, items: readonly ManualItem[]) {
  const ids = [...new Set(items.flatMap(({ invoiceId }) => invoiceId ?? []))];
  if (ids.length === 0) return [];
  const stored = new Map((await session.invoices.findByIds(ids)).map((invoice) => [invoice.id, invoice]));
  const drafts = ids.map((id) => draftOf(stored.get(id), { id, accountId: account.id }));
  const existing = Map.groupBy(await session.invoices.findItems(ids), ({ invoiceId }) => invoiceId);
  return drafts.map((invoice) => ({ invoice, items: existing.get(invoice.id) ?? [] }));
}

async function invoiceToAdjust(
  session: ReadSession,
  account: Account,
  { invoiceId, currency }: ItemAdjustmentRequest,
): Promise<Invoice> {
  const [invoice] = await session.invoices.findByIds([invoiceId]);
  if (invoice?.accountId !== account.id) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  if (invoice.status === InvoiceStatus.VOID) {
    const message = `Invoice ${invoiceId} is void: its items cannot be adjusted`;
    throw billingError(ErrorCode.INVOICE_VOID_UPDATED, message, { invoiceId });
  }
  checkCurrency(currency, invoice.currency);
  if (!invoice.isMigration) return invoice;
  const message = `Invoice ${invoiceId} was migrated and is not part of a balance, so its items cannot be adjusted`;
  throw billingError(ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT, message, { invoiceId });
}

function notPositive(amount: Decimal): BillingError {
  return billingError(
    ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE,
    `The amount of an adjustment cannot be ${formatDecimal(amount)}: it must be more than 0`,
  );
}

/** Operations on past invoices from other systems (§9 rule 5). */
export function migrationOperations(invoices: InvoiceReader, operations: ConsultedOperations) {
  return {
    createMigrationInvoice: async (
      context: CallContext,
      request: MigrationInvoiceRequest,
    ): Promise<InvoiceView> => {
      checkMigrationItems(request.items);
      const invoiceId = await operations.run(context, {
        ...onAccount(request.accountId),
        // Plugins cannot add items, because items of migrated invoices are stored as given.
        takesItems: false,
        plan: async (_session, account, { ids }) => {
          const { invoice, newItems } = buildMigrationInvoice(account, { request, context, ids });
          const proposed = { before: null, invoice, existing: [], newItems };
          return { accounts: [account], invoices: [proposed], proposed };
        },
        apply: async (session, { proposed: { invoice: after, newItems } }, { numbers, ids }) => {
          await changeInvoices(session, { changes: [{ before: null, after, newItems }], numbers }, ids);
          return after.id;
        },
      });
      return invoices.get(context, invoiceId);
    },
  };
}

interface Migrating {
  readonly request: MigrationInvoiceRequest;
  readonly context: CallContext;
  readonly ids: IdGenerator;
}

function buildMigrationInvoice(account: Account, { request, context, ids }: Migrating) {
  const currency = invoicingCurrency(account);
  for (const item of request.items) checkCurrency(item.currency, currency);
  const newItems = request.items.map((item) => {
    const amount = statedItemAmount(item, currency, context);
    return migrationItem(ids.next(), { ...item, amount });
  });
  const empty = emptyInvoice({
    id: ids.next(),
    account,
    targetDate: request.targetDate ?? localDateOf(context.createdDate, account.timeZone),
    status: InvoiceStatus.COMMITTED,
    now: context.createdDate,
  });
  const invoice = {
    ...empty,
    ...invoiceAmounts(newItems),
    rawBalance: ZERO,
    isMigration: true,
    parentAccountId: null,
    contributedAmount: null,
  };
  return { invoice, newItems };
}
