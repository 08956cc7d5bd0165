import {
  type EventFacts,
  type ExplainedRule,
  ExplainedRuleName,
  type ItemExplanation,
} from '../../../lib/invoicing/index.ts';
import {
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
import { field, model } from '../wire/model.ts';
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

const maybe = { nullable: true } as const;

const datedEvent = {
  eventType: field(enumeration(BillingTransitionType), 'R', { from: ({ type }: BasisEvent) => type }),
  effectiveDate: field(timestamp, 'R'),
  effectiveLocalDate: field(date, 'R', { from: ({ localDate }: BasisEvent) => localDate }),
};

const ExplainedEvent = model('ExplainedEvent', datedEvent);

const BlockingService = model('BlockingService', {
  service: field(text(), 'R'),
  stateName: field(text(), 'R'),
});

/** An event with what its subscription's history knows of it; null = nothing was kept. */
const ExplainedLifecycleEvent = model('ExplainedLifecycleEvent', {
  ...datedEvent,
  isPriceChange: field(bool, 'R'),
  datedBy: field(enumeration(DatedBy), 'R', {
    ...maybe,
    from: ({ reason }: EventFacts) => reason?.datedBy ?? null,
  }),
  policy: field(enumeration(BillingActionPolicy), 'R', {
    ...maybe,
    from: ({ reason }: EventFacts) => reason?.policy ?? null,
  }),
  phasesFrom: field(date, 'R', { ...maybe, from: ({ phaseAnchor }: EventFacts) => phaseAnchor }),
  blockedBy: field(listOf(BlockingService), 'R'),
});

const RuleCondition = model('RuleCondition', {
  property: field(text(), 'R'),
  value: field(text(), 'R'),
});

/** A rule of the catalog and the case of it that matched. */
const ExplainedRuleCase = model('ExplainedRuleCase', {
  rule: field(enumeration(ExplainedRuleName), 'R'),
  result: field(text(), 'R'),
  isDefault: field(bool, 'R', { from: ({ conditions }: ExplainedRule) => conditions === null }),
  conditions: field(listOf(RuleCondition), 'R', {
    from: ({ conditions }: ExplainedRule) =>
      Object.entries(conditions ?? {}).map(([property, value]) => ({ property, value })),
  }),
  event: field(ExplainedEvent, 'R', maybe),
});

const ExplainedStep = model('ExplainedStep', {
  operation: field(
    enumeration({
      MULTIPLY: 'MULTIPLY',
      PRORATE: 'PRORATE',
      ROUND: 'ROUND',
      LIMIT: 'LIMIT',
      REMAINDER: 'REMAINDER',
      NEGATE: 'NEGATE',
      ADD: 'ADD',
      SUBTRACT: 'SUBTRACT',
    }),
    'R',
  ),
  base: field(decimalNumber, 'R'),
  factor: field(decimalNumber, 'R', maybe),
  days: field(int(), 'R', maybe),
  totalDays: field(int(), 'R', maybe),
  ratio: field(decimalNumber, 'R', maybe),
  unrounded: field(decimalNumber, 'R', maybe),
  result: field(decimalNumber, 'R'),
});

/** Name of a fact behind some kind of amount. */
type FactName<B = ItemBasis> = B extends ItemBasis ? Exclude<keyof B, 'kind'> & string : never;

/** A fact behind the amount; null where there is none of that name. */
function fact<T>(type: WireType<T>, name: FactName) {
  return field(type, 'R', {
    ...maybe,
    from: ({ basis }: ItemExplanation) => (basis && Reflect.get(basis, name)) ?? null,
  });
}

/** A fact of one kind of amount, where another kind has something else of that name. */
function factOf<K extends ItemBasis['kind'], T>(
  type: WireType<T>,
  kind: K,
  read: (basis: Extract<ItemBasis, { readonly kind: K }>) => unknown,
) {
  return field(type, 'R', {
    ...maybe,
    from: ({ basis }: ItemExplanation) =>
      basis?.kind === kind ? read(basis as Extract<ItemBasis, { readonly kind: K }>) : null,
  });
}

const UsedUnit = model('UsedUnit', {
  unitType: field(text(), 'R', { from: ({ unit }: UsageBasis['used'][number]) => unit }),
  quantity: field(decimalNumber, 'R'),
});

/** Blocks of a tier or, of CAPACITY, a peak and the tier that it fits into. */
const ExplainedUsageLine = model('ExplainedUsageLine', {
  tier: field(int(), 'R'),
  unitType: field(text(), 'R', { from: ({ unit }: UsageLine) => unit }),
  price: field(decimalNumber, 'R'),
  quantity: field(decimalNumber, 'R'),
  blockSize: field(decimalNumber, 'R', maybe),
  amount: field(decimalNumber, 'R', maybe),
});

function lifecycleEvent(name: keyof ItemExplanation['events']) {
  return field(ExplainedLifecycleEvent, 'R', {
    ...maybe,
    from: ({ events }: ItemExplanation) => events[name],
  });
}

/** Why an invoice item has its amount. Fields that do not concern its type are null. */
export const InvoiceItemExplanation = model('InvoiceItemExplanation', {
  invoiceItemId: field(uuid, 'R', { from: ({ itemId }: ItemExplanation) => itemId }),
  invoiceId: field(uuid, 'R'),
  itemType: field(enumeration(InvoiceItemType), 'R'),
  amount: field(decimalNumber, 'R'),
  computedAmount: field(decimalNumber, 'R'),
  currency: field(currency, 'R'),
  text: field(text(), 'R'),
  pluginName: field(text(), 'R', maybe),
  planName: field(text(), 'R', maybe),
  phaseName: field(text(), 'R', maybe),
  startDate: field(date, 'R', maybe),
  endDate: field(date, 'R', maybe),
  catalogEffectiveDate: field(timestamp, 'R', maybe),
  linkedInvoiceItemId: field(uuid, 'R', {
    ...maybe,
    from: ({ linkedItemId }: ItemExplanation) => linkedItemId,
  }),
  event: lifecycleEvent('event'),
  nextEvent: lifecycleEvent('nextEvent'),
  planEvent: lifecycleEvent('planEvent'),
  rules: field(listOf(ExplainedRuleCase), 'R'),
  rule: fact(enumeration({ ...PeriodRule, ...RepairRule }), 'rule'),
  price: fact(decimalNumber, 'price'),
  quantity: fact(int(), 'quantity'),
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
  steps: field(listOf(ExplainedStep), 'R'),
});
