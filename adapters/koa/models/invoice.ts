import { DryRunType, type InvoiceItemView, type InvoiceView } from '../../../lib/invoicing/index.ts';
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
import { type Field, field, model, type RequestOf, reading } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { date, decimalNumber, enumeration, int, text, uuid } from '../wire/scalars.ts';
import { byDialect, lazily, listOf, type WireType } from '../wire/wire-type.ts';
import { auditLogs } from './audit-log.ts';
import { PhasePrice } from './subscription.ts';

const childItems: Field<readonly unknown[], 'R'> = field(
  listOf(lazily({ $ref: '#/components/schemas/InvoiceItem' }, (): WireType<unknown> => InvoiceItem)),
  'R',
  { nullable: true, from: ({ childItems: items }: InvoiceItemView) => items ?? null },
);

const linkedInvoiceItemId = field(uuid, 'C', {
  nullable: true,
  from: ({ linkedItemId }: InvoiceItemView) => linkedItemId,
});
const {
  invoiceId,
  accountId,
  childAccountId,
  bundleId,
  subscriptionId,
  productName,
  planName,
  phaseName,
  usageName,
  linkedItemId: _linked,
  repairable: _repairable,
  ...charge
} = recordFields(invoiceItemFields);
const prettyName = field(text(), 'R', { nullable: true });

// Classes that clients generate take the properties in this order.
export const InvoiceItem = model('InvoiceItem', {
  invoiceItemId: field(uuid, 'R', { from: ({ id }: InvoiceItemView) => id }),
  invoiceId,
  linkedInvoiceItemId,
  accountId,
  childAccountId,
  bundleId,
  subscriptionId,
  productName,
  planName,
  phaseName,
  usageName,
  prettyProductName: prettyName,
  prettyPlanName: prettyName,
  prettyPhaseName: prettyName,
  prettyUsageName: prettyName,
  ...charge,
  childItems,
  auditLogs,
});

const { description, amount, currency, itemDetails, startDate, endDate, rate, quantity, itemType } = charge;
const manualFields = { invoiceId, accountId, description, amount, currency, itemDetails };

const addedFields = {
  ...manualFields,
  linkedInvoiceItemId,
  bundleId,
  subscriptionId,
  productName,
  planName,
  phaseName,
  startDate,
  endDate,
  rate,
  quantity,
};

/** An item as it is posted to be added: its type is that of the endpoint. */
export const ManualInvoiceItem = reading(InvoiceItem, addedFields);

/** An item as it is posted for an invoice that another system made. */
export const MigrationInvoiceItem = reading(InvoiceItem, {
  ...addedFields,
  itemType,
  usageName,
});

/** An item as it is posted to be adjusted. */
export const InvoiceItemAdjustment = reading(InvoiceItem, {
  ...manualFields,
  invoiceItemId: field(uuid, 'I'),
});

/**
 * An invoice as the model shows it: a dry run's has no number, an account's timeline tells more (json-models §7, accounts
 * §10).
 */
export interface ShownInvoice extends Omit<InvoiceView, 'invoiceNumber'> {
  readonly invoiceNumber: number | null;
  readonly bundleKeys?: string;
  readonly credits?: Iterable<unknown>;
}

export const Invoice = model('Invoice', {
  invoiceId: field(uuid, 'R', { from: ({ id }: ShownInvoice) => id }),
  ...recordFields(invoiceFields, [
    'accountId',
    'amount',
    'currency',
    'status',
    'creditAdj',
    'refundAdj',
    'invoiceDate',
    'targetDate',
  ]),
  // http-api §4 line 2
  invoiceNumber: field(byDialect<number | string>({ D: int(), K: text() }), 'R', {
    nullable: true,
    from: ({ invoiceNumber }: ShownInvoice, { dialect }) =>
      dialect === Dialect.D || invoiceNumber === null ? invoiceNumber : String(invoiceNumber),
  }),
  // Left out where the tenant has no pattern, so that clients see what they know.
  formattedNumber: field(text(), 'R', {
    absentable: true,
    from: ({ formattedNumber }: ShownInvoice) => formattedNumber ?? undefined,
  }),
  balance: field(decimalNumber, 'R'),
  bundleKeys: field(text(), 'R', {
    nullable: true,
    from: ({ bundleKeys }: ShownInvoice) => bundleKeys ?? null,
  }),
  credits: field(listOf(InvoiceItem), 'R', {
    nullable: true,
    from: ({ credits }: ShownInvoice) => credits ?? null,
  }),
  items: field(listOf(InvoiceItem), 'R'),
  trackingIds: field(listOf(text()), 'R'),
  ...recordFields(invoiceFields, ['isParentInvoice', 'parentInvoiceId', 'parentAccountId']),
  auditLogs,
});

export const InvoiceDryRun = model('InvoiceDryRun', {
  dryRunType: field(enumeration(DryRunType), 'I'),
  dryRunAction: field(enumeration(HypotheticalActionType), 'I'),
  phaseType: field(enumeration(PhaseType), 'I'),
  productName: field(text(), 'I'),
  productCategory: field(enumeration(ProductCategory), 'I'),
  billingPeriod: field(enumeration(BillingPeriod), 'I'),
  priceListName: field(text(), 'I'),
  subscriptionId: field(uuid, 'I'),
  // Older clients spell it so (json-models §7).
  subscriptiontId: field(uuid, 'I'),
  bundleId: field(uuid, 'I'),
  effectiveDate: field(date, 'I'),
  billingPolicy: field(enumeration(BillingActionPolicy), 'I'),
  priceOverrides: field(listOf(PhasePrice), 'I'),
  planName: field(text(), 'I'),
});

/** When an action takes effect that names neither date nor policy; null = by the catalog's policy, as in the call itself. */
const policyUnlessAsked: PerDialect<BillingActionPolicy | null> = {
  D: null,
  K: BillingActionPolicy.IMMEDIATE,
};

/** The dry run that a body asks for; without a body, the default. For an action without date or policy see http-api §4. */
export function dryRunOf(body: RequestOf<typeof InvoiceDryRun.fields> | null, dialect: Dialect) {
  const { subscriptiontId, effectiveDate, ...request } = body ?? {};
  return {
    ...request,
    billingPolicy: request.billingPolicy ?? policyUnlessAsked[dialect],
    subscriptionId: request.subscriptionId ?? subscriptiontId,
    effectiveDate: effectiveDate ? { date: effectiveDate } : null,
  };
}

/**
 * The invoice that a dry run answers: it has no number, and in dialect K its items have no names for people (http-api §4
 * line 19).
 */
export function shownDryRun(invoice: InvoiceView, dialect: Dialect): ShownInvoice {
  const shown = { ...invoice, invoiceNumber: null };
  return dialect === Dialect.D ? shown : { ...shown, items: invoice.items.map(withoutPrettyNames) };
}

function withoutPrettyNames(item: InvoiceItemView): InvoiceItemView {
  return {
    ...item,
    prettyProductName: null,
    prettyPlanName: null,
    prettyPhaseName: null,
    prettyUsageName: null,
  };
}

export function auditedIdsOfInvoice(invoice: InvoiceView): readonly Uuid[] {
  const children = invoice.items.flatMap(({ childItems }) => childItems ?? []);
  return [invoice.id, ...[...invoice.items, ...children].map((item) => item.id)];
}
