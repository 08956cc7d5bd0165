import {
  type EventFacts,
  type ExplainedRule,
  ExplainedRuleName,
  type ItemExplanation,
} from '../../../lib/invoicing/index.ts';
import {
  type BasisDiscount,
  type BasisEvent,
  BillingActionPolicy,
  BillingMode,
  BillingTransitionType,
  InvoiceItemType,
  type ItemBasis,
  PeriodRule,
  RepairRule,
  TierBlockPolicy,
  type UsageBasis,
  type UsageLine,
  UsageType,
} from '../../../lib/records/index.ts';
import { DatedBy } from '../../../lib/subscriptions/index.ts';
import { BillingPeriod } from '../../../lib/values/time/index.ts';
import { alike, derivedField, maybe, model } from '../wire/model.ts';
import {
  bool,
  currency,
  date,
  decimalNumber,
  enumeration,
  int,
  text,
  timestamp,
  uuid,
} from '../wire/scalars.ts';
import { listOf, type WireType } from '../wire/wire-type.ts';

const datedEvent = {
  eventType: derivedField(enumeration(BillingTransitionType), ({ type }: BasisEvent) => type),
  effectiveDate: timestamp,
  effectiveLocalDate: derivedField(date, ({ localDate }: BasisEvent) => localDate),
};

const ExplainedEvent = model('ExplainedEvent', datedEvent);

const BlockingService = model('BlockingService', { service: text(), stateName: text() });

/** A lifecycle event that caused the item, or null if the event is missing from the subscription's history. */
const ExplainedLifecycleEvent = model('ExplainedLifecycleEvent', {
  ...datedEvent,
  isPriceChange: bool,
  datedBy: maybe(enumeration(DatedBy), ({ reason }: EventFacts) => reason?.datedBy ?? null),
  policy: maybe(enumeration(BillingActionPolicy), ({ reason }: EventFacts) => reason?.policy ?? null),
  phasesFrom: maybe(date, ({ phaseAnchor }: EventFacts) => phaseAnchor),
  blockedBy: listOf(BlockingService),
});

const RuleCondition = model('RuleCondition', { property: text(), value: text() });

/** A catalog rule, with the case that matched. */
const ExplainedRuleCase = model('ExplainedRuleCase', {
  rule: enumeration(ExplainedRuleName),
  result: text(),
  isDefault: derivedField(bool, ({ conditions }: ExplainedRule) => conditions === null),
  conditions: derivedField(listOf(RuleCondition), ({ conditions }: ExplainedRule) =>
    Object.entries(conditions ?? {}).map(([property, value]) => ({ property, value })),
  ),
  event: maybe(ExplainedEvent),
});

const operations = [
  'MULTIPLY',
  'PRORATE',
  'ROUND',
  'LIMIT',
  'REMAINDER',
  'NEGATE',
  'ADD',
  'SUBTRACT',
] as const;
const ExplainedStep = model('ExplainedStep', {
  operation: enumeration(operations),
  base: decimalNumber,
  factor: maybe(decimalNumber),
  ...alike(maybe(int()), 'days', 'totalDays'),
  ...alike(maybe(decimalNumber), 'ratio', 'unrounded'),
  result: decimalNumber,
});

type FactName<B = ItemBasis> = B extends ItemBasis ? Exclude<keyof B, 'kind'> & string : never;

/** Returns a field for a fact that explains the amount. It is null if the fact is missing. */
function fact<T>(type: WireType<T>, name: FactName) {
  return maybe(type, ({ basis }: ItemExplanation) => (basis && Reflect.get(basis, name)) ?? null);
}

/**
 * Returns a field that has a value only for one kind of amount. For all other kinds it is null, even if they have a
 * different fact with the same name.
 */
function factOf<K extends ItemBasis['kind'], T>(
  type: WireType<T>,
  kind: K,
  read: (basis: Extract<ItemBasis, { readonly kind: K }>) => unknown,
) {
  return maybe(type, ({ basis }: ItemExplanation) =>
    basis?.kind === kind ? read(basis as Extract<ItemBasis, { readonly kind: K }>) : null,
  );
}

const UsedUnit = model('UsedUnit', {
  unitType: derivedField(text(), ({ unit }: UsageBasis['used'][number]) => unit),
  quantity: decimalNumber,
});

/** The usage in a tier: its blocks or, for CAPACITY, a peak and its tier. */
const ExplainedUsageLine = model('ExplainedUsageLine', {
  tier: int(),
  unitType: derivedField(text(), ({ unit }: UsageLine) => unit),
  ...alike(decimalNumber, 'price', 'quantity'),
  ...alike(maybe(decimalNumber), 'blockSize', 'amount'),
});

/** A coupon that reduced the price, with the amount by which it reduced the price of the whole period. */
const ExplainedDiscount = model('ExplainedDiscount', {
  ...alike(text(), 'code', 'name'),
  ...alike(maybe(decimalNumber), 'percentOff', 'amountOff'),
  perQuantity: bool,
  amountTaken: derivedField(decimalNumber, ({ taken }: BasisDiscount) => taken),
  until: maybe(date),
});

function lifecycleEvent(name: keyof ItemExplanation['events']) {
  return maybe(ExplainedLifecycleEvent, ({ events }: ItemExplanation) => events[name]);
}

/** The explanation of an invoice item. Fields that do not apply to the item's type are null. */
export const InvoiceItemExplanation = model('InvoiceItemExplanation', {
  invoiceItemId: derivedField(uuid, ({ itemId }: ItemExplanation) => itemId),
  invoiceId: uuid,
  itemType: enumeration(InvoiceItemType),
  ...alike(decimalNumber, 'amount', 'computedAmount'),
  currency,
  text: text(),
  ...alike(maybe(text()), 'pluginName', 'planName', 'phaseName'),
  ...alike(maybe(date), 'startDate', 'endDate'),
  catalogEffectiveDate: maybe(timestamp),
  linkedInvoiceItemId: maybe(uuid, ({ linkedItemId }: ItemExplanation) => linkedItemId),
  event: lifecycleEvent('event'),
  nextEvent: lifecycleEvent('nextEvent'),
  planEvent: lifecycleEvent('planEvent'),
  rules: listOf(ExplainedRuleCase),
  rule: fact(enumeration({ ...PeriodRule, ...RepairRule }), 'rule'),
  price: fact(decimalNumber, 'price'),
  quantity: fact(int(), 'quantity'),
  discounts: fact(listOf(ExplainedDiscount), 'discounts'),
  billingPeriod: fact(enumeration(BillingPeriod), 'billingPeriod'),
  billingMode: fact(enumeration(BillingMode), 'billingMode'),
  billCycleDayLocal: fact(int(), 'billCycleDay'),
  isAccountAligned: fact(bool, 'isAccountAligned'),
  isRequestedBillCycleDay: fact(bool, 'isRequestedDay'),
  periodStartDate: fact(date, 'startDate'),
  periodEndDate: fact(date, 'endDate'),
  prorationFixedDays: fact(int(), 'prorationFixedDays'),
  amountInForce: factOf(decimalNumber, 'REPAIR', ({ amount }) => amount),
  repairable: fact(decimalNumber, 'repairable'),
  couponCodes: fact(listOf(text()), 'coupons'),
  invoiceBalance: fact(decimalNumber, 'balance'),
  accountCredit: factOf(decimalNumber, 'CREDIT', ({ credit }) => credit),
  usageName: fact(text(), 'usageName'),
  usageType: fact(enumeration(UsageType), 'usageType'),
  tierBlockPolicy: fact(enumeration(TierBlockPolicy), 'tierBlockPolicy'),
  usageStart: fact(timestamp, 'startInstant'),
  usageEnd: fact(timestamp, 'endInstant'),
  used: fact(listOf(UsedUnit), 'used'),
  usageLines: fact(listOf(ExplainedUsageLine), 'lines'),
  usageDue: fact(decimalNumber, 'due'),
  usageBilledBefore: fact(decimalNumber, 'billed'),
  creditDue: factOf(decimalNumber, 'USAGE', ({ credit }) => credit?.open ?? null),
  creditLeft: factOf(decimalNumber, 'USAGE', ({ credit }) => credit?.left ?? null),
  steps: listOf(ExplainedStep),
});
