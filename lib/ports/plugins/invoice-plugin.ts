import type {
  Invoice,
  InvoiceItem,
  InvoiceItemType,
  PluginProperty,
  TaxCategory,
} from '../../records/index.ts';
import type { HostInput, Plain } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

export type InvoiceItemForPlugins = Plain<Omit<InvoiceItem, 'recordId' | 'accountRecordId'>>;

/**
 * A frozen copy of an invoice with its items. An unstored invoice has number 0. Its account credit items (CBA_ADJ) are
 * computed again after the plugin calls.
 */
export interface InvoiceForPlugins extends Plain<Omit<Invoice, 'recordId' | 'accountRecordId'>> {
  readonly items: readonly InvoiceItemForPlugins[];
}

export interface InvoicePluginContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** The target date of the run, such as `2024-01-31`. The value is null for user operations. */
  readonly targetDate: string | null;
  /**
   * The invoice, or null in `priorCall` of a run, and in `onSuccessCall` of a run without an invoice. In
   * `onFailureCall`, this is the invoice that was not stored, if there is one.
   */
  readonly invoice: InvoiceForPlugins | null;
  /** Returns the account's stored invoices with their items, in creation order. The invoices are read on demand. */
  existingInvoices(): AsyncIterable<InvoiceForPlugins>;
  readonly dryRun: boolean;
  /** True if a plugin has requested this run with a reschedule date. */
  readonly rescheduled: boolean;
  readonly userName: string;
  /** User token. It is the same for everything that results from one call. */
  readonly userToken: Uuid;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  /** Business instant of the call. */
  readonly now: Date;
}

/** Properties for the next call. If they are absent or null, the current properties are kept. */
export interface InvoicePluginAnswer {
  readonly properties?: readonly PluginProperty[] | null;
}

export interface PriorInvoiceAnswer extends InvoicePluginAnswer {
  /** True cancels the call. */
  readonly aborted?: boolean | null;
  /**
   * A later time to which the run is postponed, as a `Date` or ISO text. If several plugins return a date, the earliest
   * date is used. Applies to runs only.
   */
  readonly rescheduleDate?: Date | string | null;
}

/** Fields of an item that a plugin returns. Absent and null fields are equivalent. */
export interface AdditionalItemFields {
  /** Id of a visible item to change, or of a new item. Without an id, the item is new and gets a generated id. */
  readonly id?: Uuid | null;
  /**
   * Id of an existing invoice of the account to which the new item is added. Defaults to the current invoice or, for an
   * ITEM_ADJ, to the invoice of the adjusted item.
   */
  readonly invoiceId?: Uuid | null;
  /** Item type. Required for a new item: EXTERNAL_CHARGE, TAX, CREDIT_ADJ or ITEM_ADJ. */
  readonly itemType?: InvoiceItemType | null;
  /**
   * Amount. Required for a new item. It must be at least 0 for charges and taxes, at most 0 for CREDIT_ADJ, and below 0
   * for ITEM_ADJ.
   */
  readonly amount?: Decimal | null;
  /** The account's currency, or absent. */
  readonly currency?: string | null;
  readonly rate?: Decimal | null;
  readonly quantity?: Decimal | null;
  /** Description of up to 255 characters. */
  readonly description?: string | null;
  /** Free text, JSON by convention, up to 64 kB. */
  readonly itemDetails?: string | null;
  /** The item that an ITEM_ADJ reduces, or to which any other new item refers. */
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
  /** Tax rate in percent from 0 to 100, such as 19. Only TAX items may have a tax rate, category and exemption. */
  readonly taxRate?: Decimal | null;
  /**
   * Tax category of EN 16931. S requires a rate above 0. The others (Z, E, AE, K, G, O) require the amount 0, and
   * either the rate 0 or no rate.
   */
  readonly taxCategory?: TaxCategory | null;
  /** The reason for a tax exemption, as shown on documents. Up to 255 characters. */
  readonly taxExemption?: string | null;
}

/**
 * A new item, or changes to a known item. For a known item, only the description, amount, rate, quantity, item details
 * and, for a TAX item, tax facts are used, and only if they are not null. Other members are ignored with a warning, as
 * are the rate of a RECURRING item and the details of usage. A visible item may be returned unchanged.
 */
export type AdditionalItem = HostInput<AdditionalItemFields>;

export interface AdditionalItemsAnswer extends InvoicePluginAnswer {
  readonly items?: readonly AdditionalItem[] | null;
  /**
   * Text for the reader of the invoice, up to 2,000 characters. If the text is absent or null, the note does not
   * change. An empty string removes the note. If several plugins return a note, the last note is used. For a committed
   * invoice, the note is ignored with a warning.
   */
  readonly note?: string | null;
}

export interface InvoiceGroupingAnswer extends InvoicePluginAnswer {
  /**
   * Groups of items. Each group becomes an invoice. Items that are in no group are added to the first group. Groups
   * without items are skipped.
   */
  readonly groups?: readonly { readonly itemIds: readonly (Uuid | string)[] }[] | null;
}

/**
 * Changes the account's invoices before they are stored (invoicing §13): adds taxes and other items, splits, numbers or
 * postpones an invoice. Pass it to `Billing.open({ invoicePlugins: [...] })`. Plugins are called in the order of
 * `org.service.invoice.plugin`; by default, all are called by name. Every method is optional. ⏎ Called outside storage
 * transactions and without a lock, each call with a time limit; for an operation `within` a host's transaction, inside
 * that one. If the account changes in the meantime, the plugin is called again from `priorCall` on, so a call must be
 * harmless if its invoice is never stored. After a throw, a timeout or a result of another shape, nothing is stored; an
 * automatic run parks the account and a caller gets UNEXPECTED (60000). `RetryLater` repeats an automatic run. A plugin
 * may read through the engine; its own operation on the account restarts the run. Its arguments are frozen: only its
 * results have an effect.
 * @example const tax: InvoicePlugin = { name: 'tax', getAdditionalInvoiceItems: async ({ items }) => ({ items: items
 * ⏎.filter(({ itemType }) => itemType === 'RECURRING') ⏎.map(({ id, amount }) => ({ itemType: 'TAX', linkedItemId: id,
 * amount: amount.times('0.2').toFixed(2) })), }), }; await Billing.open({ …, invoicePlugins: [tax] });
 */
export interface InvoicePlugin extends PluginIdentity {
  /** Unique name. It is used in the configuration, errors, explanations and the log. */
  readonly name: string;
  /**
   * Called before a run reads anything, and before a manual operation changes anything. An abort takes precedence over
   * all reschedules. An abort or a reschedule rejects a manual operation (4029).
   */
  priorCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<PriorInvoiceAnswer | null | undefined>;
  /** Called for each invoice with items. Each plugin sees the items that the previous plugins added. */
  getAdditionalInvoiceItems?(
    invoice: InvoiceForPlugins,
    dryRun: boolean,
    properties: readonly PluginProperty[],
    context: InvoicePluginContext,
  ): Promise<AdditionalItemsAnswer | null | undefined>;
  /**
   * Splits a new invoice of an automatic run, or of a call that allows this. The first result with groups is used.
   * Adjustments stay with their items.
   */
  getInvoiceGrouping?(
    invoice: InvoiceForPlugins,
    dryRun: boolean,
    properties: readonly PluginProperty[],
    context: InvoicePluginContext,
  ): Promise<InvoiceGroupingAnswer | null | undefined>;
  /** Called after the commit, once per stored invoice. Errors are logged. */
  onSuccessCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<InvoicePluginAnswer | null | undefined>;
  /** Called if a computed invoice could not be stored. Errors are logged. */
  onFailureCall?(
    context: InvoicePluginContext,
    properties: readonly PluginProperty[],
  ): Promise<InvoicePluginAnswer | null | undefined>;
}
