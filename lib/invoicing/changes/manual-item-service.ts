import { lockAccount, noSuchObject } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import {
  type CallContext,
  type Invoice,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal, roundToCurrency } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { withItems, withMoreItems } from '../credit/changed-invoice.ts';
import { type Draft, draftOf } from '../invoices/drafting.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import { adjustedAmount, afterAdjustment, itemAdjustment } from '../invoices/item-adjustment.ts';
import {
  checkCurrency,
  checkManualItems,
  checkTexts,
  type ManualItem,
  type ManualItemType,
  manualItem,
} from '../invoices/manual-items.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import { catalogsForNames } from '../loading/catalogs-for-names.ts';
import { loadInvoiceViews } from '../loading/load-invoice-views.ts';
import type { ItemAdjustmentRequest, ManualItemsRequest } from '../operations/invoice-operations.ts';
import { changeInvoices } from './change-invoices.ts';

/** Charges, taxes, credits and adjustments that people make (§9). */
export class ManualItemService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'logger'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  addCharges(context: CallContext, request: ManualItemsRequest): Promise<readonly InvoiceItemView[]> {
    return this.#add(context, InvoiceItemType.EXTERNAL_CHARGE, request);
  }

  addTaxes(context: CallContext, request: ManualItemsRequest): Promise<readonly InvoiceItemView[]> {
    return this.#add(context, InvoiceItemType.TAX, request);
  }

  addCredits(context: CallContext, request: ManualItemsRequest): Promise<readonly InvoiceItemView[]> {
    return this.#add(context, InvoiceItemType.CREDIT_ADJ, request);
  }

  async getCredit(context: CallContext, itemId: Uuid): Promise<InvoiceItemView> {
    const [item] = await this.#ports.storage.read(context.tenant, (session) =>
      session.invoices.findItemsByIds([itemId]),
    );
    if (item?.itemType === InvoiceItemType.CREDIT_ADJ) {
      const [view] = await this.#views(context, item.accountId, [item]);
      if (view) return view;
    }
    throw new BillingError({
      code: ErrorCode.INVOICE_NO_SUCH_CREDIT,
      message: `Credit does not exist for id ${itemId}`,
      facts: { creditId: itemId },
    });
  }

  async adjustItem(context: CallContext, request: ItemAdjustmentRequest): Promise<void> {
    checkTexts(request);
    if (request.amount?.lessThanOrEqualTo(0)) throw notPositive(request.amount);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, request.accountId);
      const invoice = await invoiceToAdjust(session, account, request);
      const items = await session.invoices.findItemsByIds([request.invoiceItemId]);
      const item = items.find(({ invoiceId }) => invoiceId === invoice.id);
      if (!item) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: request.invoiceItemId });
      const asked = request.amount == null ? null : roundToCurrency(request.amount, invoice.currency);
      if (asked?.isZero()) throw notPositive(asked);
      const amount = adjustedAmount(item, asked);
      if (amount.isZero()) throw nothingRemains(item.id);
      const adjustment = itemAdjustment(item, {
        id: this.#ports.ids.next(),
        amount,
        date: request.requestedDate ?? localDateOf(context.createdDate, account.timeZone),
        description: request.description ?? null,
        itemDetails: request.itemDetails ?? null,
      });
      await session.invoices.setRepairable([afterAdjustment(item, amount)]);
      const after = { ...invoice, ...amountsAfterItems(invoice, [adjustment]) };
      const changes = [{ before: invoice, after, newItems: [adjustment] }];
      await changeInvoices(session, { changes, accounts: [account] }, this.#ports.ids);
    });
  }

  async #add(
    context: CallContext,
    type: ManualItemType,
    request: ManualItemsRequest,
  ): Promise<readonly InvoiceItemView[]> {
    checkManualItems(type, request.items);
    const stored = await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, request.accountId);
      const currency = invoicingCurrency(account);
      for (const item of request.items) checkCurrency(item.currency, currency);
      const drafts = await draftsOf(session, account, request.items);
      const requestedDate = request.requestedDate ?? localDateOf(context.createdDate, account.timeZone);
      const added = request.items.map((item) => ({
        invoiceId: item.invoiceId ?? null,
        item: manualItem(type, item, { id: this.#ports.ids.next(), currency, requestedDate }),
      }));
      const own = added.flatMap(({ invoiceId, item }) => (invoiceId === null ? [item] : []));
      const invoice = emptyInvoice({
        id: this.#ports.ids.next(),
        account,
        targetDate: requestedDate,
        status: request.autoCommit === true ? InvoiceStatus.COMMITTED : InvoiceStatus.DRAFT,
        now: context.createdDate,
      });
      const changes = [
        ...(own.length > 0 ? [withItems(invoice, own)] : []),
        ...drafts.map((draft) =>
          withMoreItems(
            draft,
            added.flatMap((each) => (each.invoiceId === draft.invoice.id ? [each.item] : [])),
          ),
        ),
      ];
      await changeInvoices(session, { changes, accounts: [account] }, this.#ports.ids);
      return { accountId: account.id, ids: added.map(({ item }) => item.id) };
    });
    const items = await this.#ports.storage.read(context.tenant, (session) =>
      session.invoices.findItemsByIds(stored.ids),
    );
    const views = await this.#views(context, stored.accountId, items);
    return stored.ids.flatMap((id) => views.find((view) => view.id === id) ?? []);
  }

  /** These items with the names of what they bill. */
  async #views(
    context: CallContext,
    accountId: Uuid,
    items: readonly { readonly id: Uuid; readonly invoiceId: Uuid }[],
  ): Promise<readonly InvoiceItemView[]> {
    const catalogsOf = await catalogsForNames(this.#ports, this.#catalogs, {
      tenant: context.tenant,
      now: context.createdDate,
      accounts: [accountId],
    });
    const wanted = new Set(items.map(({ id }) => id));
    return this.#ports.storage.read(context.tenant, async (session) => {
      const invoices = await session.invoices.findByIds([
        ...new Set(items.map(({ invoiceId }) => invoiceId)),
      ]);
      const views = await loadInvoiceViews(session, invoices, catalogsOf);
      return views.flatMap((view) => view.items.filter(({ id }) => wanted.has(id)));
    });
  }
}

/** The drafts that items name, with their items. @throws BillingError 4006, 4024, 4023. */
async function draftsOf(
  session: WriteSession,
  account: Account,
  items: readonly ManualItem[],
): Promise<readonly Draft[]> {
  const ids = [...new Set(items.flatMap(({ invoiceId }) => invoiceId ?? []))];
  if (ids.length === 0) return [];
  const stored = new Map((await session.invoices.findByIds(ids)).map((invoice) => [invoice.id, invoice]));
  const drafts = ids.map((id) => draftOf(stored.get(id), { id, accountId: account.id }));
  const existing = Map.groupBy(await session.invoices.findItems(ids), ({ invoiceId }) => invoiceId);
  return drafts.map((invoice) => ({ invoice, items: existing.get(invoice.id) ?? [] }));
}

async function invoiceToAdjust(
  session: WriteSession,
  account: Account,
  { invoiceId, currency }: ItemAdjustmentRequest,
): Promise<Invoice> {
  const [invoice] = await session.invoices.findByIds([invoiceId]);
  if (invoice?.accountId !== account.id) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  if (invoice.status === InvoiceStatus.VOID) {
    throw new BillingError({
      code: ErrorCode.INVOICE_VOID_UPDATED,
      message: `Invoice ${invoiceId} is void: its items cannot be adjusted`,
      facts: { invoiceId },
    });
  }
  checkCurrency(currency, invoice.currency);
  if (!invoice.isMigration) return invoice;
  throw new BillingError({
    code: ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT,
    message: `Invoice ${invoiceId} was migrated: it is in no balance, so its items cannot be adjusted`,
    facts: { invoiceId },
  });
}

function notPositive(amount: Decimal): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE,
    message: `The amount of an adjustment cannot be ${formatDecimal(amount)}: it has to be more than 0`,
  });
}

function nothingRemains(invoiceItemId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_NOTHING_TO_DO,
    message: `Nothing remains to adjust of invoice item ${invoiceItemId}`,
    facts: { invoiceItemId },
  });
}
