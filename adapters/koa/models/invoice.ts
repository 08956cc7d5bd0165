import {
  checkDryRun,
  DryRunType,
  type InvoiceItemView,
  type InvoiceView,
  type ItemExplanation,
  missingIdError,
  type UsedUnit,
} from '../../../lib/invoicing/index.ts';
import {
  BillingActionPolicy,
  invoiceFields,
  invoiceItemFields,
  PhaseType,
  ProductCategory,
} from '../../../lib/records/index.ts';
import { HypotheticalActionType } from '../../../lib/subscriptions/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { BillingPeriod } from '../../../lib/values/time/index.ts';
import { Dialect, type PerDialect } from '../dialect.ts';
import {
  alike,
  derivedField,
  type Field,
  field,
  maybe,
  model,
  modelWith,
  type RequestOf,
  replaceRequestFields,
} from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { date, decimalNumber, enumeration, int, text, uuid } from '../wire/scalars.ts';
import { byDialect, ignoreInK, lazily, listOf, type Rendering, type WireType } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';
import { InvoiceItemExplanation } from './item-explanation.ts';
import { PhasePrice } from './subscription.ts';

const childItems: Field<readonly unknown[], 'R'> = maybe(
  listOf(lazily({ $ref: '#/components/schemas/InvoiceItem' }, (): WireType<unknown> => InvoiceItem)),
  ({ childItems: items }: InvoiceItemView) => items ?? null,
);

const linkedInvoiceItemId = field(uuid, 'C', {
  nullable: true,
  from: (item: InvoiceItemView) => item.linkedItemId,
});
const { linkedItemId: _linked, repairable: _repairable, ...described } = recordFields(invoiceItemFields);
/** Returns the quantity of an item. Kill Bill shows no quantity for items created by runs (invoicing §1.3). */
const quantityOf = ({ itemType, quantity }: InvoiceItemView, { dialect }: Rendering) =>
  dialect === Dialect.K && (itemType === 'RECURRING' || itemType === 'FIXED') ? null : quantity;
const itemFields = { ...described, quantity: { ...described.quantity, from: quantityOf } };
const { invoiceId, accountId, childAccountId, ...others } = itemFields;
const { bundleId, subscriptionId, productName, planName, phaseName, usageName, ...charge } = others;
const names = { productName, planName, phaseName };

/** The blocks of a unit in a tier or, for CAPACITY, the peak and its tier. */
const BilledTier = model('BilledTier', {
  tier: int(),
  price: decimalNumber,
  blockSize: maybe(decimalNumber),
  quantity: decimalNumber,
  amount: maybe(decimalNumber),
});

const BilledUnit = model('BilledUnit', {
  unitType: derivedField(text(), ({ name }: UsedUnit) => name),
  prettyUnitName: derivedField(text(), ({ unit }: UsedUnit) => unit),
  quantity: decimalNumber,
  tiers: listOf(BilledTier),
});

const ours = { onlyD: true } as const;

/** The discount of a coupon on an item. */
const ItemDiscount = model('ItemDiscount', { ...alike(text(), 'code', 'name'), amount: decimalNumber });

// Generated client classes list their properties in this order.
export const InvoiceItem = model('InvoiceItem', {
  invoiceItemId: derivedField(uuid, ({ id }: InvoiceItemView) => id),
  invoiceId,
  linkedInvoiceItemId,
  accountId,
  childAccountId,
  bundleId,
  subscriptionId,
  ...names,
  usageName,
  ...alike(maybe(text()), 'prettyProductName', 'prettyPlanName', 'prettyPhaseName', 'prettyUsageName'),
  ...charge,
  discounts: field(listOf(ItemDiscount), 'R', { ...ours, nullable: true }),
  unitPrice: field(decimalNumber, 'R', { ...ours, nullable: true }),
  usage: field(listOf(BilledUnit), 'R', ours),
  childItems,
  // Only dry runs explain their items.
  explanation: field(InvoiceItemExplanation, 'R', {
    onlyD: true,
    absentable: true,
    from: (item: { readonly explanation?: ItemExplanation }) => item.explanation,
  }),
  auditLogs,
});

const { description, amount, currency, itemDetails, startDate, endDate, rate, quantity, itemType } = charge;
const { taxRate, taxCategory, taxExemption } = charge;
const manualFields = { invoiceId, accountId, description, amount, currency, itemDetails };

const place = { linkedInvoiceItemId, bundleId, subscriptionId, ...names };
const taxFacts = { taxRate, taxCategory, taxExemption };
const addedFields = { ...manualFields, ...place, startDate, endDate, rate, quantity, ...taxFacts };

/** An item in a request. Its type depends on the endpoint. */
export const ManualInvoiceItem = replaceRequestFields(InvoiceItem, addedFields);

/** An item of an invoice that was created in another system. */
export const MigrationInvoiceItem = replaceRequestFields(InvoiceItem, {
  ...addedFields,
  itemType,
  usageName,
});

export const InvoiceItemAdjustment = replaceRequestFields(InvoiceItem, {
  ...manualFields,
  invoiceItemId: field(uuid, 'I'),
});

/**
 * An invoice in a response. An invoice of a dry run has no number. An account timeline adds keys and credits
 * (json-models §7, accounts §10).
 */
export interface ShownInvoice extends Omit<InvoiceView, 'invoiceNumber'> {
  readonly invoiceNumber: number | null;
  readonly bundleKeys?: string;
  readonly credits?: Iterable<unknown>;
}

/** The number, formatted by the tenant's number pattern. The field is absent if the tenant has no pattern. */
export const formattedNumber = field(text(), 'R', {
  absentable: true,
  from: (view: { readonly formattedNumber?: string | null }) => view.formattedNumber ?? undefined,
});

export const Invoice = model('Invoice', {
  invoiceId: derivedField(uuid, ({ id }: ShownInvoice) => id),
  ...recordFields(invoiceFields, ['accountId', 'amount', 'currency', 'status', 'creditAdj', 'refundAdj']),
  ...recordFields(invoiceFields, ['invoiceDate', 'targetDate']),
  // This is the date that documents show as the issue date. The exact instant of the commit is not sent (invoicing
  // §1.1).
  issuedDate: field(date, 'R', {
    ...ours,
    nullable: true,
    from: ({ commitDate }: ShownInvoice) => commitDate,
  }),
  // http-api §4 line 2
  invoiceNumber: maybe(
    byDialect<number | string>({ D: int(), K: text() }),
    ({ invoiceNumber }: ShownInvoice, { dialect }) =>
      dialect === Dialect.D || invoiceNumber === null ? invoiceNumber : String(invoiceNumber),
  ),
  formattedNumber,
  balance: decimalNumber,
  bundleKeys: maybe(text(), ({ bundleKeys }: ShownInvoice) => bundleKeys ?? null),
  credits: maybe(listOf(InvoiceItem), ({ credits }: ShownInvoice) => credits ?? null),
  items: listOf(InvoiceItem),
  trackingIds: listOf(text()),
  ...recordFields(invoiceFields, ['isParentInvoice', 'parentInvoiceId', 'parentAccountId', 'note']),
  auditLogs,
});

export const InvoiceNote = modelWith('I', 'InvoiceNote', { note: text() });

export const InvoiceDryRun = modelWith('I', 'InvoiceDryRun', {
  dryRunType: enumeration(DryRunType),
  dryRunAction: enumeration(HypotheticalActionType),
  phaseType: enumeration(PhaseType),
  productName: text(),
  productCategory: enumeration(ProductCategory),
  billingPeriod: enumeration(BillingPeriod),
  priceListName: text(),
  subscriptionId: uuid,
  // Older clients use this spelling (json-models §7).
  subscriptiontId: field(uuid, 'I'),
  bundleId: uuid,
  effectiveDate: date,
  billingPolicy: enumeration(BillingActionPolicy),
  priceOverrides: listOf(PhasePrice),
  planName: text(),
  quantity: ignoreInK(int()),
  coupons: field(listOf(text()), 'I', { ...ours, absentable: true }),
});

/**
 * Policy for a simulated action without a date or policy. Null means the policy of the catalog, as for a real action.
 */
const defaultPolicy: PerDialect<BillingActionPolicy | null> = {
  D: null,
  K: BillingActionPolicy.IMMEDIATE,
};

/**
 * Returns the options of a dry run. Without a body, they are the defaults. For an action without a date or policy, see
 * http-api §4.
 */
export function dryRunOf(body: RequestOf<typeof InvoiceDryRun.fields> | null, dialect: Dialect) {
  const { subscriptiontId, effectiveDate, quantity, ...request } = body ?? {};
  return {
    ...request,
    ...(dialect === Dialect.D ? { quantity } : {}),
    billingPolicy: request.billingPolicy ?? defaultPolicy[dialect],
    subscriptionId: request.subscriptionId ?? subscriptiontId,
    effectiveDate: effectiveDate ? { date: effectiveDate } : null,
  };
}

/**
 * Rejects an action on a subscription in dialect K if the request does not contain the bundle. All other checks run
 * first.
 */
export function checkBundleNamed(request: Parameters<typeof checkDryRun>[0]): void {
  const checked = checkDryRun(request);
  if (checked.type !== DryRunType.SUBSCRIPTION_ACTION || !('of' in checked.action)) return;
  if (checked.action.of.bundleId === null) throw missingIdError('bundleId', 'bundleID');
}

/**
 * Returns the invoice of a dry run as shown in responses. In dialect K, its items have no pretty names (http-api §4
 * line 19).
 */
export function shownDryRun(invoice: InvoiceView, dialect: Dialect): ShownInvoice {
  const shown = { ...invoice, invoiceNumber: null };
  return dialect === Dialect.D ? shown : { ...shown, items: invoice.items.map(withoutPrettyNames) };
}

function withoutPrettyNames(item: InvoiceItemView): InvoiceItemView {
  const withoutNames = { prettyProductName: null, prettyPlanName: null, prettyPhaseName: null };
  return { ...item, ...withoutNames, prettyUsageName: null };
}

export function auditedIdsOfInvoice(invoice: InvoiceView): readonly Uuid[] {
  const children = invoice.items.flatMap(({ childItems }) => childItems ?? []);
  return [invoice.id, ...[...invoice.items, ...children].map((item) => item.id)];
}
