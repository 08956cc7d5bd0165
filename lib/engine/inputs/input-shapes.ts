import { DryRunType } from '../../invoicing/index.ts';
import { BcdTransfer, EntitlementActionPolicy } from '../../ports/index.ts';
import {
  accountFields,
  CouponScope,
  CustomFieldObjectType,
  invoiceItemFields,
  ObjectType,
  PhaseType,
  ProductCategory,
  QueueKind,
  sellerFields,
} from '../../records/index.ts';
import { HypotheticalActionType } from '../../subscriptions/index.ts';
import { inputShapeOf } from '../../values/fields/index.ts';
import { type Currency, currencyCodes } from '../../values/money/index.ts';
import { BillingPeriod } from '../../values/time/index.ts';

/** Accepts the values of an enumeration. */
export function oneOf<T extends string>(values: Readonly<Record<string, T>>): ReadonlySet<T> {
  return new Set(Object.values(values));
}

/** Requires a value. */
export function must<const S>(shape: S): readonly ['!', S] {
  return ['!', shape];
}

/** Accepts null instead of an absent value. */
export function orNull<const S>(shape: S): readonly ['?', S] {
  return ['?', shape];
}

/** Rejects unknown members. */
export function exactly<const S>(shape: S): readonly ['=', S] {
  return ['=', shape];
}

const id = must('uuid');
const texts = [must('text')] as const;

export const account = ['accountId', 'uuid'] as const;
export const bundle = ['bundleId', 'uuid'] as const;
export const subscription = ['subscriptionId', 'uuid'] as const;
export const invoice = ['invoiceId', 'uuid'] as const;
export const item = ['itemId', 'uuid'] as const;
export const key = ['key', 'text'] as const;
export const externalKey = ['externalKey', 'text'] as const;
export const ofAccount = [account] as const;
export const ofInvoice = [invoice] as const;

export const pageBounds = { limit: must('integer'), offset: must('count') } as const;
export const page = ['request', pageBounds] as const;
export const fieldPage = ['request', { ...pageBounds, withoutCoupons: 'flag' }] as const;
export const pageOfAccount = [account, page] as const;
export const search = [key, page] as const;

export const bundleFilter = ['filter?', { bundleIds: orNull([id]), externalKey: orNull('text') }] as const;
export const requestedDate = { requestedDate: 'requestedDate' } as const;
export const plugins = {
  controlPlugins: texts,
  properties: [must({ key: must('text'), value: 'text', isUpdatable: 'flag' })],
} as const;

const sellerTexts = Object.entries(sellerFields).flatMap(([name, { kind, set }]) =>
  kind === 'text' && set === 'update' ? [[name, 'text' as const]] : [],
);
export const seller = {
  ...(Object.fromEntries(sellerTexts) as Readonly<Record<string, 'text'>>),
  paymentTermsDays: 'integer',
  notes: 'any',
  logo: { mediaType: must('text'), bytes: must('any') },
} as const;

export const accountInput = inputShapeOf(accountFields);
export const scope = ['options?', { accountId: 'uuid' }] as const;
export const withChildrenItems = ['options?', { withChildrenItems: 'flag' }] as const;
export const document = ['document', 'document'] as const;

const prices = [must({ currency: 'text', value: 'amount' })] as const;
const blocks = [must({ prices })] as const;
const usages = [must({ tiers: [must({ blocks })] })] as const;
export const planTerms = {
  effectiveDate: 'instant',
  effectiveDateForExistingSubscriptions: 'instant',
  phases: [must({ fixedPrices: prices, recurringPrices: { prices }, usages })],
} as const;

const blockPrices = [must({ max: 'amount', price: 'amount', size: 'amount', unitName: 'text' })] as const;
const tierPrices = [must({ blockPrices, recurringPrice: 'amount' })] as const;
const phasePrice = {
  fixedPrice: 'amount',
  phaseName: 'text',
  phaseType: 'text',
  planName: 'text',
  recurringPrice: 'amount',
  usagePrices: [must({ tierPrices, usageName: 'text' })],
} as const;

/** A plan and its terms. */
const chosenPlan = {
  billingPeriod: oneOf(BillingPeriod),
  phaseType: oneOf(PhaseType),
  planName: 'text',
  priceOverrides: [must(phasePrice)],
  coupons: texts,
  productName: 'text',
  quantity: 'number',
} as const;
const listedPlan = { ...chosenPlan, billCycleDayLocal: 'number', priceList: 'text' } as const;
const policies = { billingPolicy: 'text' } as const;

export const creation = {
  ...listedPlan,
  accountId: 'uuid',
  bundleExternalKey: 'text',
  bundleId: 'uuid',
  externalKey: 'text',
  productCategory: oneOf(ProductCategory),
} as const;
export const creationDates = {
  billingDate: 'requestedDate',
  entitlementDate: 'requestedDate',
  migrated: 'flag',
  renameKeyIfExistsAndUnused: 'flag',
} as const;
export const cancellation = {
  ...requestedDate,
  ...policies,
  entitlementPolicy: oneOf(EntitlementActionPolicy),
  useRequestedDateForBilling: 'flag',
} as const;
export const cancellationDefault = { defaultEntitlementPolicy: oneOf(EntitlementActionPolicy) } as const;
export const planChange = { ...requestedDate, ...policies, ...listedPlan } as const;
export const quantityChange = {
  allowPastDate: 'flag',
  billCycleDayLocal: 'number',
  effectiveFromDate: 'requestedDate',
  quantity: 'number',
} as const;
export const transfer = {
  ...requestedDate,
  ...policies,
  accountId: 'uuid',
  bcdTransfer: oneOf(BcdTransfer),
  subscriptions: [must({ externalKey: 'text', subscriptionId: 'uuid' })],
} as const;
const dryRunMembers = {
  ...chosenPlan,
  ...policies,
  accountId: 'uuid',
  bundleId: 'uuid',
  dryRunAction: oneOf(HypotheticalActionType),
  dryRunType: oneOf(DryRunType),
  effectiveDate: 'requestedDate',
  explain: 'flag',
  priceListName: 'text',
  productCategory: oneOf(ProductCategory),
  subscriptionId: 'uuid',
  targetDate: 'date',
} as const;
export const dryRun = ['request', exactly(dryRunMembers)] as const;

export const couponMembers = {
  amountOff: Object.fromEntries(currencyCodes.map((currency) => [currency, 'amount'])) as Readonly<
    Record<Currency, 'amount'>
  >,
  appliesTo: oneOf(CouponScope),
  code: 'text',
  duration: 'any',
  isActive: 'flag',
  maxRedemptions: 'number',
  name: 'text',
  oncePerAccount: 'flag',
  percentOff: 'amount',
  perQuantity: 'flag',
  plans: texts,
  products: texts,
  redeemBy: 'instant',
} as const;
export const usageBounds = {
  endDate: must('requestedDate'),
  startDate: must('requestedDate'),
  unitType: 'text',
} as const;

const { PAYMENT_METHOD, ...taggedTypes } = {
  ACCOUNT: ObjectType.ACCOUNT,
  BUNDLE: ObjectType.BUNDLE,
  SUBSCRIPTION: ObjectType.SUBSCRIPTION,
  INVOICE: ObjectType.INVOICE,
  INVOICE_ITEM: ObjectType.INVOICE_ITEM,
  PAYMENT: ObjectType.PAYMENT,
  TRANSACTION: ObjectType.TRANSACTION,
  PAYMENT_METHOD: ObjectType.PAYMENT_METHOD,
} as const;
export const tagged = ['object', { id, type: must(oneOf(taggedTypes)) }] as const;
const { COUPON } = CustomFieldObjectType;
export const fielded = [
  'object',
  { id, type: must(oneOf({ ...taggedTypes, PAYMENT_METHOD, COUPON })) },
] as const;
export const anyObject = ['object', { id, type: must(oneOf(ObjectType)) }] as const;
export const objectType = { objectType: oneOf(ObjectType) } as const;

const { accountId: _, invoiceId, ...migrationItem } = inputShapeOf(invoiceItemFields);
export const migrationItems = [must(migrationItem)] as const;
export const manualItems = [
  'request',
  {
    accountId: id,
    autoCommit: 'flag',
    items: must([must({ ...migrationItem, invoiceId })]),
    requestedDate: 'date',
  },
] as const;

export const ofPayment = {
  ...plugins,
  effectiveDate: 'instant',
  externalKey: 'text',
  paymentId: 'uuid',
  transactionExternalKey: 'text',
} as const;
export const paymentAmount = { ...ofPayment, amount: 'amount', currency: 'text' } as const;
export const completion = [
  ['input', { ...paymentAmount, transactionId: 'uuid', transactionType: 'text' }],
] as const;
export const comboParties = {
  ...plugins,
  account: must({ ...accountInput, accountId: 'uuid' }),
  mayCreate: { account: 'flag', paymentMethod: 'flag' },
  paymentMethod: {
    details: { externalPaymentMethodId: 'text', properties: plugins.properties },
    externalKey: 'text',
    paymentMethodId: 'uuid',
    pluginName: 'text',
  },
  paymentMethodProperties: plugins.properties,
} as const;
export const paymentRead = [
  'options?',
  {
    includeDeleted: 'flag',
    properties: plugins.properties,
    withAttempts: 'flag',
    withPluginInfo: 'flag',
  },
] as const;
export const paymentPage = ['request', { ...pageBounds, ...paymentRead[1], pluginName: 'text' }] as const;
export const paymentMethod = { ...comboParties.paymentMethod, ...plugins, accountId: id } as const;
export const pluginCall = plugins;

export const queueLook = { accountId: orNull('uuid'), kind: oneOf(QueueKind), limit: 'number' } as const;
export const chosenEntries = [
  'request',
  { kind: must(oneOf(QueueKind)), recordIds: must([must('number')]) },
] as const;
export { id, texts };
