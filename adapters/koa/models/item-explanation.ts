import type { EventFacts, ItemExplanation } from '../../../lib/invoicing/index.ts';
import { type ExplainedRule, ExplainedRuleName } from '../../../lib/invoicing/index.ts';
import {
  type BasisEvent,
  BillingActionPolicy,
  BillingMode,
  BillingTransitionType,
  InvoiceItemType,
  type ItemBasis,
  PeriodRule,
  RepairRule,
} from '../../../lib/records/index.ts';
import { DatedBy } from '../../../lib/subscriptions/index.ts';
import {
  BillingPeriod,
  formatInstant,
  formatLocalDate,
  type LocalDate,
} from '../../../lib/values/time/index.ts';
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
import { listOf } from '../wire/wire-type.ts';

const maybe = { nullable: true } as const;

const ExplainedEvent = model('ExplainedEvent', {
  eventType: field(enumeration(BillingTransitionType), 'R'),
  effectiveDate: field(timestamp, 'R'),
  effectiveLocalDate: field(date, 'R'),
});

const BlockingService = model('BlockingService', {
  service: field(text(), 'R'),
  stateName: field(text(), 'R'),
});

/** An event with what its subscription's history knows of it; null = nothing is kept. */
const ExplainedLifecycleEvent = model('ExplainedLifecycleEvent', {
  eventType: field(enumeration(BillingTransitionType), 'R'),
  effectiveDate: field(timestamp, 'R'),
  effectiveLocalDate: field(date, 'R'),
  isPriceChange: field(bool, 'R'),
  datedBy: field(enumeration(DatedBy), 'R', maybe),
  policy: field(enumeration(BillingActionPolicy), 'R', maybe),
  phasesFrom: field(date, 'R', maybe),
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
  isDefault: field(bool, 'R'),
  conditions: field(listOf(RuleCondition), 'R'),
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

/** Why an invoice item has its amount. What does not concern its type is null. */
export const InvoiceItemExplanation = model('InvoiceItemExplanation', {
  invoiceItemId: field(uuid, 'R'),
  invoiceId: field(uuid, 'R'),
  itemType: field(enumeration(InvoiceItemType), 'R'),
  amount: field(decimalNumber, 'R'),
  computedAmount: field(decimalNumber, 'R'),
  currency: field(currency, 'R'),
  text: field(text(), 'R'),
  planName: field(text(), 'R', maybe),
  phaseName: field(text(), 'R', maybe),
  startDate: field(date, 'R', maybe),
  endDate: field(date, 'R', maybe),
  catalogEffectiveDate: field(timestamp, 'R', maybe),
  linkedInvoiceItemId: field(uuid, 'R', maybe),
  event: field(ExplainedLifecycleEvent, 'R', maybe),
  nextEvent: field(ExplainedLifecycleEvent, 'R', maybe),
  planEvent: field(ExplainedLifecycleEvent, 'R', maybe),
  rules: field(listOf(ExplainedRuleCase), 'R'),
  rule: field(enumeration({ ...PeriodRule, ...RepairRule }), 'R', maybe),
  price: field(decimalNumber, 'R', maybe),
  quantity: field(int(), 'R', maybe),
  billingPeriod: field(enumeration(BillingPeriod), 'R', maybe),
  billingMode: field(enumeration(BillingMode), 'R', maybe),
  billCycleDayLocal: field(int(), 'R', maybe),
  isAccountAligned: field(bool, 'R', maybe),
  isRequestedBillCycleDay: field(bool, 'R', maybe),
  periodStartDate: field(date, 'R', maybe),
  periodEndDate: field(date, 'R', maybe),
  prorationFixedDays: field(int(), 'R', maybe),
  amountInForce: field(decimalNumber, 'R', maybe),
  repairable: field(decimalNumber, 'R', maybe),
  invoiceBalance: field(decimalNumber, 'R', maybe),
  accountCredit: field(decimalNumber, 'R', maybe),
  steps: field(listOf(ExplainedStep), 'R'),
});

const NO_FACTS = {
  rule: null,
  price: null,
  quantity: null,
  billingPeriod: null,
  billingMode: null,
  billCycleDayLocal: null,
  isAccountAligned: null,
  isRequestedBillCycleDay: null,
  periodStartDate: null,
  periodEndDate: null,
  prorationFixedDays: null,
  amountInForce: null,
  repairable: null,
  invoiceBalance: null,
  accountCredit: null,
} as const;

export function explanationJson(explanation: ItemExplanation) {
  const { catalogEffectiveDate } = explanation;
  return {
    invoiceItemId: explanation.itemId,
    invoiceId: explanation.invoiceId,
    itemType: explanation.itemType,
    amount: explanation.amount,
    computedAmount: explanation.computedAmount,
    currency: explanation.currency,
    text: explanation.text,
    planName: explanation.planName,
    phaseName: explanation.phaseName,
    startDate: dateJson(explanation.startDate),
    endDate: dateJson(explanation.endDate),
    catalogEffectiveDate: catalogEffectiveDate === null ? null : formatInstant(catalogEffectiveDate),
    linkedInvoiceItemId: explanation.linkedItemId,
    event: factsOfEvent(explanation.events.event),
    nextEvent: factsOfEvent(explanation.events.nextEvent),
    planEvent: factsOfEvent(explanation.events.planEvent),
    rules: explanation.rules.map(ruleJson),
    ...NO_FACTS,
    ...(explanation.basis === null ? {} : factsJson(explanation.basis)),
    steps: explanation.steps,
  };
}

function factsJson(basis: ItemBasis) {
  switch (basis.kind) {
    case 'FIXED':
      return { price: basis.price, quantity: basis.quantity };
    case 'RECURRING':
      return {
        rule: basis.rule,
        price: basis.price,
        quantity: basis.quantity,
        billingPeriod: basis.billingPeriod,
        billingMode: basis.billingMode,
        billCycleDayLocal: basis.billCycleDay,
        isAccountAligned: basis.isAccountAligned,
        isRequestedBillCycleDay: basis.isRequestedDay,
        periodStartDate: dateJson(basis.startDate),
        periodEndDate: dateJson(basis.endDate),
        prorationFixedDays: basis.prorationFixedDays,
      };
    case 'REPAIR':
      return {
        rule: basis.rule,
        periodStartDate: dateJson(basis.startDate),
        periodEndDate: dateJson(basis.endDate),
        amountInForce: basis.amount,
        repairable: basis.repairable,
      };
    case 'CREDIT':
      return { invoiceBalance: basis.balance, accountCredit: basis.credit };
    default:
      return neverKind(basis);
  }
}

function eventJson({ type, effectiveDate, localDate }: BasisEvent) {
  return {
    eventType: type,
    effectiveDate: formatInstant(effectiveDate),
    effectiveLocalDate: formatLocalDate(localDate),
  };
}

function factsOfEvent(facts: EventFacts | null) {
  if (facts === null) return null;
  const { isPriceChange, reason, phaseAnchor, blockedBy } = facts;
  const { datedBy = null, policy = null } = reason ?? {};
  const phasesFrom = dateJson(phaseAnchor);
  return { ...eventJson(facts), isPriceChange, datedBy, policy, phasesFrom, blockedBy };
}

function ruleJson({ rule, result, conditions, event }: ExplainedRule) {
  return {
    rule,
    result,
    isDefault: conditions === null,
    conditions: Object.entries(conditions ?? {}).map(([property, value]) => ({ property, value })),
    event: event && eventJson(event),
  };
}

function dateJson(day: LocalDate | null): string | null {
  return day === null ? null : formatLocalDate(day);
}

function neverKind(basis: never): never {
  throw new Error(`Unknown basis ${JSON.stringify(basis)}`);
}
