import type { Invoice, InvoiceItem, InvoiceItemType, PluginProperty } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** An item as plugins see it. */
export type SeenInvoiceItem = Omit<InvoiceItem, 'recordId' | 'accountRecordId'>;

/**
 * An invoice as plugins see it: a frozen copy with its items. One that is not stored yet has number 0. Its items of
 * account credit (CBA_ADJ) are computed anew after the plugins were asked.
 */
export interface SeenInvoice extends Omit<Invoice, 'recordId' | 'accountRecordId'> {
  readonly items: readonly SeenInvoiceItem[];
}

/** What a call is about. */
export interface InvoicePluginContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** Date up to which a run invoices; null for operations of people. */
  readonly targetDate: LocalDate | null;
  /**
   * The invoice. null in `priorCall` of a run, and in `onSuccessCall` of one that found nothing to invoice. In
   * `onFailureCall` the invoice that was not stored, if there was one.
   */
  readonly invoice: SeenInvoice | null;
  /** The stored invoices of the account with their items, in creation order, as they are when they are read. */
  existingInvoices(): AsyncIterable<SeenInvoice>;
  /** True: nothing is stored. */
  readonly dryRun: boolean;
  /** True: the run comes at a date that a plugin has asked for. */
  readonly rescheduled: boolean;
  readonly userName: string;
  /** The same for all that one call causes. */
  readonly userToken: Uuid;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  /** Business instant of the call. */
  readonly now: Instant;
}

/** Properties that replace those of the next call; absent or null: they stay. */
export interface InvoicePluginAnswer {
  readonly properties?: readonly PluginProperty[] | null;
}

export interface PriorInvoiceAnswer extends InvoicePluginAnswer {
  /** True: nothing happens now. */
  readonly aborted?: boolean | null;
  /** Later than now: nothing happens now, and the account is run then. The earliest of several counts. Runs only. */
  readonly rescheduleDate?: Date | null;
}

/** What may be said of an item; absent and null members are the same. */
export interface AdditionalItemFields {
  /** Id of an item that the plugin sees, which is changed, or of a new one; absent: a new item with an id of its own. */
  readonly id?: Uuid | null;
  /**
   * An existing invoice of the account that a new item goes to; default the one at hand, for an ITEM_ADJ that of its
   * item.
   */
  readonly invoiceId?: Uuid | null;
  /** Required of a new item: EXTERNAL_CHARGE, TAX, CREDIT_ADJ or ITEM_ADJ. */
  readonly itemType?: InvoiceItemType | null;
  /** Required of a new item: charges and taxes at least 0, CREDIT_ADJ at most 0, ITEM_ADJ below 0. */
  readonly amount?: Decimal | null;
  /** The account's, or absent. */
  readonly currency?: string | null;
  readonly rate?: Decimal | null;
  readonly quantity?: Decimal | null;
  /** Up to 255 characters. */
  readonly description?: string | null;
  /** Free text, JSON by convention, up to 64 kB. */
  readonly itemDetails?: string | null;
  /** The item that an ITEM_ADJ takes off, or that another new item is about. */
  readonly linkedItemId?: Uuid | null;
  readonly startDate?: LocalDate | null;
  readonly endDate?: LocalDate | null;
  readonly bundleId?: Uuid | null;
  readonly subscriptionId?: Uuid | null;
  readonly productName?: string | null;
  readonly planName?: string | null;
  readonly phaseName?: string | null;
  readonly usageName?: string | null;
  readonly catalogEffectiveDate?: Instant | null;
}

/**
 * A new item, or changes of a known one: of these only description, amount, rate, quantity and item details are taken,
 * where they are not null; others are passed over with a warning, as are the rate of a RECURRING item and the details of
 * usage. An item as it was seen can be given back as it is.
 */
export type AdditionalItem = Given<AdditionalItemFields>;

export interface AdditionalItemsAnswer extends InvoicePluginAnswer {
  readonly items?: readonly AdditionalItem[] | null;
}

export interface InvoiceGroupingAnswer extends InvoicePluginAnswer {
  /** Each becomes an invoice; items that none names go to the first. Groups without items are passed over. */
  readonly groups?: readonly { readonly itemIds: readonly (Uuid | string)[] }[] | null;
}

/**
 * Has a say in the account's invoices before they are stored (invoicing §13): adds taxes and other items, splits an
 * invoice, numbers it, puts it off. Given to `Billing.open({ invoicePlugins: [...] })`; asked in the order of
 * `org.service.invoice.plugin`, unset: all, by name. Each member is optional.
 *
 * Called outside storage transactions and without a lock, each call within a time limit; for an operation `within` a host's
 * transaction, inside that one. What is stored afterwards is what
 * was seen: if the account has changed meanwhile, the plugin is asked again from `priorCall` on, so a call has to do no
 * harm when its invoice is never stored. A throw, no answer in time, or an answer of another shape: nothing is stored; an
 * automatic run parks the account, a caller gets UNEXPECTED (60000). `RetryLater` lets an automatic run come again. A
 * plugin may read through the engine; an operation of its own on the account makes the run start again. What it is given
 * is frozen: only its answers count.
 *
 * @example const tax: InvoicePlugin = {
 *   name: 'tax',
 *   getAdditionalInvoiceItems: async ({ items }) => ({
 *     items: items
 *       .filter(({ itemType }) => itemType === 'RECURRING')
 *       .map(({ id, amount }) => ({ itemType: 'TAX', linkedItemId: id, amount: amount.times('0.2').toFixed(2) })),
 *   }), }; await Billing.open({ …, invoicePlugins: [tax] });
 */
export interface InvoicePlugin extends PluginIdentity {
  /** Named in configuration, errors, explanations and the log; unique. */
  readonly name: string;
  /**
   * Before a run looks at anything, and before an operation of people changes anything. The first that aborts wins over
   * all that put off; operations are refused by either (4029).
   */
  priorCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<PriorInvoiceAnswer | null | undefined>;
  /** About each invoice that gets items; each plugin sees what the previous ones have added. */
  getAdditionalInvoiceItems?(
    invoice: SeenInvoice,
    dryRun: boolean,
    properties: readonly PluginProperty[],
    context: InvoicePluginContext,
  ): Promise<AdditionalItemsAnswer | null | undefined>;
  /**
   * How a new invoice of an automatic run, or of a call that may split, becomes several; the first answer with groups
   * counts. Adjustments stay with their items.
   */
  getInvoiceGrouping?(
    invoice: SeenInvoice,
    dryRun: boolean,
    properties: readonly PluginProperty[],
    context: InvoicePluginContext,
  ): Promise<InvoiceGroupingAnswer | null | undefined>;
  /** After the commit, once for each stored invoice. What it throws is logged. */
  onSuccessCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<InvoicePluginAnswer | null | undefined>;
  /** After a failure that came once the invoice was worked out; nothing of it is stored. What it throws is logged. */
  onFailureCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<InvoicePluginAnswer | null | undefined>;
}
