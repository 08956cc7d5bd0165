import { type Currency, type Decimal, formatDecimal, minorUnits } from '../money/index.ts';
import {
  type BillingPeriod,
  formatInstant,
  formatLocalDate,
  isMonthBased,
  type LocalDate,
} from '../time/index.ts';
import type { CalculationStep } from './basis-calculation.ts';
import {
  type BasisEvent,
  type CreditBasis,
  type FixedBasis,
  type ItemBasis,
  PeriodRule,
  type RecurringBasis,
  type RepairBasis,
  RepairRule,
} from './item-basis.ts';
import { type InvoiceItem, InvoiceItemType } from './model.ts';

export interface ExplanationParts {
  readonly item: InvoiceItem;
  readonly linked: InvoiceItem | undefined;
  readonly basis: ItemBasis | null;
  readonly steps: readonly CalculationStep[];
  readonly computedAmount: Decimal;
}

/** The facts and the sum as one paragraph of English. */
export function explanationText(parts: ExplanationParts): string {
  const { item, basis, computedAmount } = parts;
  const sentences = basis === null ? withoutBasis(parts) : [...factsOf(basis, parts), `${sumOf(parts)}.`];
  const { description, currency } = item;
  const changed = computedAmount.equals(item.amount)
    ? []
    : [
        `The amount was changed to ${money(item.amount, currency)} later${description === null ? '' : `: ${description}`}.`,
      ];
  return [...sentences, ...changed].join(' ');
}

function factsOf(basis: ItemBasis, parts: ExplanationParts): readonly string[] {
  switch (basis.kind) {
    case 'FIXED':
      return [fixedFacts(basis, parts.item)];
    case 'RECURRING':
      return recurringFacts(basis, parts.item);
    case 'REPAIR':
      return repairFacts(basis, parts);
    case 'CREDIT':
      return [creditFacts(basis, parts.item.currency)];
    default:
      return neverKind(basis);
  }
}

function fixedFacts({ event, price }: FixedBasis, item: InvoiceItem): string {
  return `One-time price of ${planOf(item)}, charged on ${date(item.startDate)}: by ${versionOf(item)}, ${eventOf(event)} brings ${money(price, item.currency)}.`;
}

function recurringFacts(basis: RecurringBasis, item: InvoiceItem): readonly string[] {
  const { event, price, billingPeriod, billingMode, part } = basis;
  const mode = billingMode === 'IN_ADVANCE' ? 'in advance' : 'in arrear';
  const facts = [
    `${periodName(billingPeriod)} price of ${planOf(item)} for ${range(item)}, billed ${mode}: since ${eventOf(event)} it is ${money(price, item.currency)}, by ${versionOf(item)}.`,
    periodFact(basis),
  ];
  if (part !== null) facts.push(`Of these days ${range(item)} were not billed yet.`);
  if (basis.prorationFixedDays > 0 && (basis.share ?? part) !== null) {
    facts.push(`Every month counts for ${basis.prorationFixedDays} days.`);
  }
  return facts;
}

function periodFact(basis: RecurringBasis): string {
  const { rule, nextEvent, event } = basis;
  const days = range(basis);
  const end = nextEvent === null ? 'the end of what is billable' : eventOf(nextEvent);
  switch (rule) {
    case PeriodRule.WHOLE:
      return `The billing period ${days} is a whole one, by ${cycleOf(basis)}.`;
    case PeriodRule.LEADING:
      return `The first stretch, ${days}, goes from ${eventOf(event)} to the next date of ${cycleOf(basis)}.`;
    case PeriodRule.TRAILING:
      return `The last stretch, ${days}, goes from a date of ${cycleOf(basis)} to ${end}.`;
    case PeriodRule.BETWEEN_EVENTS:
      return `The stretch ${days} lies between ${eventOf(event)} and ${end}, before the first date of ${cycleOf(basis)}.`;
    default:
      return neverRule(rule);
  }
}

function cycleOf({ billCycleDay, isAccountAligned, billingPeriod }: RecurringBasis): string {
  if (!isMonthBased(billingPeriod)) return 'its cycle';
  return `bill cycle day ${billCycleDay}${isAccountAligned ? ' of the account' : ''}`;
}

function repairFacts(basis: RepairBasis, { item, linked }: ExplanationParts): readonly string[] {
  const charge = linked === undefined ? `item ${item.linkedItemId}` : `${planOf(linked)} of ${range(linked)}`;
  const facts = [
    `Credit for ${range(item)}, days of ${charge} that are no longer due${basis.event === null ? '' : ` after ${eventOf(basis.event)}`}.`,
    `Of that charge ${money(basis.amount, item.currency)} was in force for ${range(basis)}, and ${money(basis.repairable, item.currency)} was left to credit.`,
  ];
  if (basis.rule === RepairRule.LIMIT) facts.push('No more than that can be credited.');
  if (basis.rule === RepairRule.REMAINDER)
    facts.push('These are its last days in force, so all that is left is credited.');
  return facts;
}

function creditFacts({ balance, credit }: CreditBasis, currency: Currency): string {
  return balance.isNegative()
    ? `The balance of the invoice was ${money(balance, currency)}, so the customer got the difference as account credit.`
    : `The invoice owed ${money(balance, currency)} and the account had ${money(credit, currency)} of credit, which pays as much of it as it can.`;
}

/** The steps in a row: `29.95 USD × 17/31 days = 16.424193555, rounded half up to 16.42 USD`. */
function sumOf({ steps, item: { currency }, computedAmount }: ExplanationParts): string {
  const shown = steps.flatMap((step) => shownStep(step, currency));
  return shown.length === 0 ? money(computedAmount, currency) : capitalised(shown.join(', '));
}

function shownStep(step: CalculationStep, currency: Currency): readonly string[] {
  const { operation, base, factor, days, totalDays, unrounded, result } = step;
  const amount = (value: Decimal): string => money(value, currency);
  switch (operation) {
    case 'MULTIPLY':
      return [`${amount(base)} × ${formatDecimal(factor ?? result)} = ${amount(result)}`];
    case 'PRORATE': {
      const product = unrounded ?? result;
      const sum = `${amount(base)} × ${days}/${totalDays} days = ${formatDecimal(product)}`;
      return [product.equals(result) ? `${sum} ${currency}` : `${sum}, rounded half up to ${amount(result)}`];
    }
    case 'ROUND':
      return [base.equals(result) ? amount(result) : `${amount(base)}, rounded half up to ${amount(result)}`];
    case 'LIMIT':
      return [`the smaller of ${amount(base)} and ${amount(factor ?? result)} is ${amount(result)}`];
    case 'REMAINDER':
      return [`what is left is ${amount(result)}`];
    case 'NEGATE':
      return [`so the item is ${amount(result)}`];
    default:
      return neverOperation(operation);
  }
}

/** Amounts that people give are not computed; the facts of others were not always kept. */
function withoutBasis({ item, linked }: ExplanationParts): readonly string[] {
  const amount = money(item.amount, item.currency);
  switch (item.itemType) {
    case InvoiceItemType.EXTERNAL_CHARGE:
      return [`External charge of ${amount}, the amount that was asked for.`];
    case InvoiceItemType.TAX:
      return [`Tax of ${amount}, the amount that was given.`];
    case InvoiceItemType.CREDIT_ADJ:
      return [
        `Credit of ${money(item.amount.negated(), item.currency)} given to the account, so ${amount} on the invoice.`,
      ];
    case InvoiceItemType.ITEM_ADJ: {
      const of =
        linked === undefined
          ? ''
          : ` of the ${money(linked.amount, linked.currency)} charged for ${planOf(linked)}`;
      return [`Adjustment of ${amount}${of}, the amount that was asked for or all that was left of it.`];
    }
    case InvoiceItemType.PARENT_SUMMARY:
      return [
        `Summary of ${amount}: what the linked invoices of child account ${item.childAccountId} come to.`,
      ];
    default:
      return [`${amount}: the facts behind this amount were not kept when it was made.`];
  }
}

function planOf({ planName, phaseName, description }: InvoiceItem): string {
  if (planName === null) return description ?? 'the item';
  return phaseName === null ? `plan ${planName}` : `plan ${planName}, phase ${phaseName}`;
}

function versionOf({ catalogEffectiveDate }: InvoiceItem): string {
  return catalogEffectiveDate === null
    ? 'the catalog'
    : `the catalog in effect from ${formatInstant(catalogEffectiveDate)}`;
}

function eventOf({ type, localDate }: BasisEvent): string {
  return `${type} of ${formatLocalDate(localDate)}`;
}

function range({
  startDate,
  endDate,
}: {
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}): string {
  return endDate === null ? date(startDate) : `${date(startDate)} to ${date(endDate)}`;
}

function date(day: LocalDate | null): string {
  return day === null ? 'no date' : formatLocalDate(day);
}

/** With the digits of the currency, more where the value has more. */
function money(amount: Decimal, currency: Currency): string {
  const digits = Math.max(minorUnits(currency), amount.decimalPlaces());
  return `${amount.isZero() ? '0' : amount.toFixed(digits)} ${currency}`;
}

/** `MONTHLY` → `Monthly`, `THIRTY_DAYS` → `Thirty days`. */
function periodName(period: BillingPeriod): string {
  return capitalised(period.toLowerCase().replaceAll('_', ' '));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function neverKind(basis: never): never {
  throw new Error(`Unknown basis ${JSON.stringify(basis)}`);
}

function neverRule(rule: never): never {
  throw new Error(`Unknown period rule ${String(rule)}`);
}

function neverOperation(operation: never): never {
  throw new Error(`Unknown operation ${String(operation)}`);
}
