import { BillingMode } from '../../../lib/catalog/index.ts';
import { BillingTransitionType } from '../../../lib/invoicing/billing-event.ts';
import type { ItemExplanation } from '../../../lib/invoicing/explanation.ts';
import {
  type BasisEvent,
  type ItemBasis,
  PeriodRule,
  RepairRule,
} from '../../../lib/invoicing/item-basis.ts';
import { InvoiceItemType } from '../../../lib/invoicing/model.ts';
import { BillingPeriod, formatInstant, formatLocalDate, type LocalDate } from '../../../lib/time/index.ts';
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
  event: field(ExplainedEvent, 'R', maybe),
  nextEvent: field(ExplainedEvent, 'R', maybe),
  rule: field(enumeration({ ...PeriodRule, ...RepairRule }), 'R', maybe),
  price: field(decimalNumber, 'R', maybe),
  quantity: field(int(), 'R', maybe),
  billingPeriod: field(enumeration(BillingPeriod), 'R', maybe),
  billingMode: field(enumeration(BillingMode), 'R', maybe),
  billCycleDayLocal: field(int(), 'R', maybe),
  isAccountAligned: field(bool, 'R', maybe),
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
  event: null,
  nextEvent: null,
  rule: null,
  price: null,
  quantity: null,
  billingPeriod: null,
  billingMode: null,
  billCycleDayLocal: null,
  isAccountAligned: null,
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
    ...NO_FACTS,
    ...(explanation.basis === null ? {} : factsJson(explanation.basis)),
    steps: explanation.steps,
  };
}

function factsJson(basis: ItemBasis) {
  switch (basis.kind) {
    case 'FIXED':
      return { event: eventJson(basis.event), price: basis.price, quantity: basis.quantity };
    case 'RECURRING':
      return {
        event: eventJson(basis.event),
        nextEvent: basis.nextEvent && eventJson(basis.nextEvent),
        rule: basis.rule,
        price: basis.price,
        quantity: basis.quantity,
        billingPeriod: basis.billingPeriod,
        billingMode: basis.billingMode,
        billCycleDayLocal: basis.billCycleDay,
        isAccountAligned: basis.isAccountAligned,
        periodStartDate: dateJson(basis.startDate),
        periodEndDate: dateJson(basis.endDate),
        prorationFixedDays: basis.prorationFixedDays,
      };
    case 'REPAIR':
      return {
        event: basis.event && eventJson(basis.event),
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

function dateJson(day: LocalDate | null): string | null {
  return day === null ? null : formatLocalDate(day);
}

function neverKind(basis: never): never {
  throw new Error(`Unknown basis ${JSON.stringify(basis)}`);
}
