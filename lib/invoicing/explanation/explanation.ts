import {
  type BasisDiscount,
  type ComputedBasis,
  type CreditBasis,
  type FixedBasis,
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  type ItemDiscount,
  PeriodRule,
  type RecurringBasis,
  type RepairBasis,
  RepairRule,
  type UsageBasis,
  type UsageLine,
} from '../../records/index.ts';
import { TermLine } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, formatDecimal, moneyText } from '../../values/money/index.ts';
import { plural } from '../../values/text/index.ts';
import { isMonthBased } from '../../values/time/index.ts';
import { type CalculationStep, stepsOf } from './basis-calculation.ts';
import {
  type ExplainedRule,
  endingEvent,
  eventsOfBasis,
  type ItemEvents,
  NO_EVENTS,
  rulesOfBasis,
  type SubscriptionPast,
} from './event-facts.ts';
import {
  capitalize,
  cycleSentence,
  dateSentence,
  dateText,
  eventName,
  eventText,
  formatRangeWithDays,
  instantText,
  periodName,
  phaseSentence,
  planOf,
  range,
} from './explanation-words.ts';

/**
 * Fields of the explained item. `catalogEffectiveDate` is the date of the catalog version that contains the price or,
 * for an override plan, the date of the plan's event.
 */
export type ExplainedFields = Pick<
  InvoiceItem,
  | 'invoiceId'
  | 'itemType'
  | 'amount'
  | 'currency'
  | 'planName'
  | 'phaseName'
  | 'startDate'
  | 'endDate'
  | 'catalogEffectiveDate'
  | 'linkedItemId'
>;

/** The explanation of an item's amount, with its facts as data and as text. */
export interface ItemExplanation extends ExplainedFields {
  readonly itemId: Uuid;
  /** The facts from which the amount was calculated, or null if the amount was given or its facts were not stored. */
  readonly basis: ComputedBasis | null;
  /**
   * The invoice plugin that added the item or, if `basis` is set, changed its amount. The value is null if no plugin
   * did either.
   */
  readonly pluginName: string | null;
  /** The events of the basis, each with the reason for its date. */
  readonly events: ItemEvents;
  /** The catalog rules that determined the dates and the bill cycle day, each with the matching case. */
  readonly rules: readonly ExplainedRule[];
  /** The steps from the facts to the amount. The list is empty if there are no facts. */
  readonly steps: readonly CalculationStep[];
  /** The result of the steps, or the given amount. It differs from `amount` only after a later change. */
  readonly computedAmount: Decimal;
  /** An English paragraph that explains the calculation. */
  readonly text: string;
}

interface ExplainedItem {
  readonly item: InvoiceItem;
  /** The repaired or adjusted item. */
  readonly linked: InvoiceItem | undefined;
  readonly basis: ItemBasis | null;
  /** History of the item's subscription. For a repair, the history of the repaired item's subscription. */
  readonly past: SubscriptionPast;
  readonly hasOwnPrices: boolean;
  readonly isMigrated: boolean;
}
export function explainItem(explained: ExplainedItem): ItemExplanation {
  const { item, past } = explained;
  const basis = computedBasis(explained.basis);
  const plugin = explained.basis?.kind === 'PLUGIN' ? explained.basis : null;
  const steps = basis === null ? [] : stepsOf(basis, item.currency);
  const events = basis === null ? NO_EVENTS : eventsOfBasis(basis, item, past);
  const found = {
    basis,
    pluginName: plugin?.pluginName ?? null,
    events,
    steps,
    computedAmount: steps.at(-1)?.result ?? plugin?.given ?? item.amount,
  };
  const { itemType, amount, currency, planName, phaseName, startDate, endDate } = item;
  const { id: itemId, invoiceId, catalogEffectiveDate, linkedItemId } = item;
  return {
    itemId,
    invoiceId,
    itemType,
    amount,
    currency,
    planName,
    phaseName,
    startDate,
    endDate,
    catalogEffectiveDate,
    linkedItemId,
    ...found,
    rules: basis === null ? [] : rulesOfBasis(basis, events),
    text: explanationText({ ...explained, ...found, isPluginValue: plugin?.given != null }),
  };
}

/** Returns the facts of the computed amount before a plugin changed the amount. */
export function computedBasis(basis: ItemBasis | null): ComputedBasis | null {
  return basis?.kind === 'PLUGIN' ? basis.changed : basis;
}

interface ExplanationParts
  extends Omit<ExplainedItem, 'basis' | 'past'>,
    Pick<ItemExplanation, 'basis' | 'pluginName' | 'events' | 'steps' | 'computedAmount'> {
  /** True if a plugin changed an amount that a person gave. In this case, `computedAmount` is the given amount. */
  readonly isPluginValue: boolean;
}

function explanationText(parts: ExplanationParts): string {
  const { item, basis, pluginName, computedAmount } = parts;
  const { currency } = item;
  const sentences = basis === null ? withoutBasis(parts) : factsOf(basis, parts);
  const by = pluginName === null ? 'later' : `by the invoice plugin "${pluginName}"`;
  const changed = computedAmount.equals(item.amount)
    ? []
    : [`The amount was changed to ${moneyText(item.amount, currency)} ${by}${reasonOf(item)}.`];
  return [...sentences, ...changed].filter((sentence) => sentence !== '').join(' ');
}

function factsOf(basis: ComputedBasis, parts: ExplanationParts): readonly string[] {
  switch (basis.kind) {
    case 'FIXED':
      return fixedFacts(basis, parts);
    case 'RECURRING':
      return [...recurringFacts(basis, parts), `${sumOf(parts)}.`];
    case 'REPAIR':
      return [...repairFacts(basis, parts), `${sumOf(parts)}.`];
    case 'USAGE':
      return [
        ...usageFacts(basis, parts),
        dateSentence(endingEvent(basis, parts.events)),
        `${sumOf(parts)}.`,
      ];
    case 'CREDIT':
      return [creditFacts(basis, parts)];
  }
}

function fixedFacts({ price, quantity, discounts }: FixedBasis, parts: ExplanationParts) {
  const { item, events } = parts;
  const { event } = events;
  const came =
    event === null ? '' : ` with ${event.localDate === item.startDate ? eventName(event) : eventText(event)}`;
  const isPlain = quantity === 1 && price.equals(item.amount);
  return [
    `One-time ${priceName(discounts)} of ${planOf(item)}, charged on ${dateText(item.startDate)}${came}: ${priceText(price, quantity, item.currency)}, ${versionOf(parts)}.`,
    ...discountSentences(discounts ?? [], quantity, item.currency),
    ...startSentences(events, item),
    isPlain ? '' : `${sumOf(parts)}.`,
  ];
}

function recurringFacts(basis: RecurringBasis, parts: ExplanationParts) {
  const { item, events } = parts;
  const { price, quantity, discounts, billingPeriod, billingMode } = basis;
  const { part, share, prorationFixedDays } = basis;
  const mode = billingMode === 'IN_ADVANCE' ? 'in advance' : 'in arrear';
  const days = part === null && share === null ? range(item) : formatRangeWithDays(item);
  const since = events.event === null ? '' : ` since ${eventText(events.event)}`;
  return [
    `${periodName(billingPeriod)} ${priceName(discounts)} of ${planOf(item)} for ${days}, billed ${mode}: ${priceText(price, quantity, item.currency)}${since}, ${versionOf(parts)}.`,
    ...discountSentences(discounts ?? [], quantity, item.currency),
    periodFact(basis, events),
    part === null ? '' : `Only ${range(item)} of it was not billed yet.`,
    cycleSentence(basis),
    ...startSentences(events, item),
    dateSentence(endingEvent(basis, events)),
    prorationFixedDays > 0 && (share ?? part) !== null
      ? `Every month counts for ${prorationFixedDays} days.`
      : '',
  ];
}

/**
 * Returns sentences about the start of an item that begins with its event. Returns none for later items, because their
 * cycle dates are a sufficient explanation.
 */
function startSentences(events: ItemEvents, { startDate }: InvoiceItem) {
  const { event } = events;
  return event?.localDate === startDate ? [dateSentence(event), phaseSentence(events)] : [];
}

function priceText(price: Decimal, quantity: number, currency: Currency): string {
  return quantity === 1
    ? moneyText(price, currency)
    : `${moneyText(price, currency)} for each of ${quantity}`;
}

function priceName(discounts: FixedBasis['discounts']): string {
  return discounts === null ? 'price' : 'list price';
}

/**
 * Returns sentences about discounts, such as `Coupon SPRING (Spring sale, 20 %, until 2026-04-01) takes off 6.00 USD.`
 */
function discountSentences(discounts: readonly BasisDiscount[], quantity: number, currency: Currency) {
  return discounts.map((discount) => {
    const { code, name, percentOff, amountOff, perQuantity, taken, until } = discount;
    const named = name === code ? [] : [name];
    const off = amountOff === null ? [] : [priceText(amountOff, perQuantity ? quantity : 1, currency)];
    const percentage = percentOff === null ? [] : [`${formatDecimal(percentOff)} %`];
    const end = until === null ? [] : [`until ${dateText(until)}`];
    const terms = [...named, ...percentage, ...off, ...end].join(', ');
    return `Coupon ${code} (${terms}) takes off ${moneyText(taken, currency)}.`;
  });
}

function periodFact(basis: RecurringBasis, { event, nextEvent }: ItemEvents): string {
  const { rule, billingPeriod } = basis;
  const cycleDate = isMonthBased(billingPeriod) ? 'bill cycle date' : 'cycle date';
  const subject = basis.part === null ? 'It' : `The period ${formatRangeWithDays(basis)}`;
  const from = event === null ? dateText(basis.startDate) : eventText(event);
  const until = nextEvent === null ? 'the end of what is billable' : eventText(nextEvent);
  switch (rule) {
    case PeriodRule.WHOLE:
      return `${subject} is a whole period, from one ${cycleDate} to the next.`;
    case PeriodRule.LEADING:
      return `${subject} goes from ${from} to the next ${cycleDate}.`;
    case PeriodRule.TRAILING:
      return `${subject} goes from the last ${cycleDate} to ${until}.`;
    case PeriodRule.BETWEEN_EVENTS:
      return `${subject} goes from ${from} to ${until}, before the next ${cycleDate}.`;
  }
}

function repairFacts(basis: RepairBasis, { item, linked, events }: ExplanationParts) {
  const charge =
    linked === undefined ? `item ${item.linkedItemId}` : `${planOf(linked)} for ${range(linked)}`;
  const { amount, repairable, rule, coupons } = basis;
  const left = moneyText(repairable, item.currency);
  const credit = amount.equals(repairable)
    ? 'all of which could be credited'
    : `and ${left} was left to credit`;
  const after = events.event === null ? '' : ` after ${eventText(events.event)}`;
  return [
    `Credit for ${formatRangeWithDays(item)} of the charge of ${charge}, no longer due${after}.`,
    dateSentence(events.event),
    ...couponChanges(linked?.discounts ?? [], coupons),
    `Of that charge ${moneyText(amount, item.currency)} was in force for ${range(basis)}, ${credit}.`,
    rule === RepairRule.LIMIT ? 'No more than that can be credited.' : '',
    rule === RepairRule.REMAINDER ? 'These are its last days in force, so all that is left is credited.' : '',
  ];
}

/**
 * Returns sentences about the coupons that no longer apply to days that are charged again, and about the coupons that
 * now apply to these days.
 */
function couponChanges(before: readonly ItemDiscount[], after: RepairBasis['coupons']): readonly string[] {
  if (after === null) return [];
  const known = before.map(({ code }) => code);
  const ended = known.filter((code) => !after.includes(code));
  const begun = after.filter((code) => !known.includes(code));
  return [
    ...ended.map((code) => `Coupon ${code} no longer applies to these days.`),
    ...begun.map((code) => `Coupon ${code} applies to these days now.`),
  ];
}

function creditFacts({ balance, credit }: CreditBasis, { item, computedAmount }: ExplanationParts): string {
  const { currency } = item;
  const moved = moneyText(computedAmount, currency);
  const total = moneyText(balance, currency);
  return balance.isNegative()
    ? `The invoice total was ${total}, so ${moved} was added to the account credit.`
    : `The invoice owed ${total} and the account had ${moneyText(credit, currency)} of credit, of which ${moneyText(computedAmount.negated(), currency)} was used: the item is ${moved}.`; // words: ok
}

/**
 * Returns the calculation in one line, such as `29.95 USD × 17/31 days = 16.424193555, rounded half up to
 * 16.42 USD`.
 */
function sumOf({ steps, item: { currency }, computedAmount }: ExplanationParts): string {
  const shown = steps.flatMap((step) => shownStep(step, currency));
  return shown.length === 0
    ? `The amount is ${moneyText(computedAmount, currency)}`
    : capitalize(shown.join(', '));
}

function shownStep(step: CalculationStep, currency: Currency): readonly string[] {
  const { operation, base, factor, days, totalDays, unrounded, result } = step;
  const amount = (value: Decimal): string => moneyText(value, currency);
  switch (operation) {
    case 'MULTIPLY':
      return [`${amount(base)} × ${formatDecimal(factor ?? result)} = ${amount(result)}`];
    case 'PRORATE': {
      const product = unrounded ?? result;
      const sum = `${amount(base)} × ${days}/${totalDays} days = ${formatDecimal(product)}`;
      return [product.equals(result) ? `${sum} ${currency}` : `${sum}, rounded half up to ${amount(result)}`];
    }
    case 'ROUND':
      return base.equals(result) ? [] : [`${amount(base)}, rounded half up to ${amount(result)}`];
    case 'LIMIT':
      return [`the smaller of ${amount(base)} and ${amount(factor ?? result)} is ${amount(result)}`];
    case 'REMAINDER':
      return [`what is left is ${amount(result)}`];
    case 'ADD':
      return [`${amount(base)} + ${amount(factor ?? result)} = ${amount(result)}`];
    case 'SUBTRACT':
      return [`${amount(base)} − ${amount(factor ?? result)} = ${amount(result)}`];
    case 'NEGATE':
      return [`so the item is ${amount(result)}`];
  }
}

function reasonOf({ description }: InvoiceItem): string {
  return description === null ? '' : `: ${description}`;
}

/**
 * Returns the explanation of an item without facts. If a person or plugin gave the amount, it was not computed. For
 * other items, the facts were not stored.
 */
function withoutBasis(parts: ExplanationParts): readonly string[] {
  const { item, linked, pluginName, isPluginValue, isMigrated, computedAmount } = parts;
  const amount = moneyText(computedAmount, item.currency);
  const charge = linked && `the ${moneyText(linked.amount, linked.currency)} charged for ${planOf(linked)}`;
  if (pluginName !== null && !isPluginValue) {
    const about = charge === undefined ? '' : ` for ${charge}`;
    return [`${amount}${about}, added by the invoice plugin "${pluginName}"${reasonOf(item)}.`];
  }
  if (isMigrated) return [`${amount}, as given with the invoice of another system.`];
  switch (item.itemType) {
    case InvoiceItemType.EXTERNAL_CHARGE:
      return [`External charge of ${amount}, the requested amount.`];
    case InvoiceItemType.TAX:
      return [`Tax of ${amount}, the given amount.`];
    case InvoiceItemType.CREDIT_ADJ:
      return [
        `Credit of ${moneyText(computedAmount.negated(), item.currency)} given to the account, so ${amount} on the invoice.`,
      ];
    case InvoiceItemType.ITEM_ADJ: {
      const of = charge === undefined ? '' : ` of ${charge}`;
      return [`Adjustment of ${amount}${of}, the requested amount or all that was left.`];
    }
    case InvoiceItemType.PARENT_SUMMARY:
      return [
        `Summary of ${amount}: the total of the linked invoices of child account ${item.childAccountId}.`,
      ];
    case InvoiceItemType.FIXED:
    case InvoiceItemType.RECURRING:
    case InvoiceItemType.USAGE:
    case InvoiceItemType.REPAIR_ADJ:
    case InvoiceItemType.CBA_ADJ:
      return [`${amount}: the details of this calculation were not stored.`];
  }
}

/**
 * Returns the catalog version of an item. An override plan does not belong to a version, so its date is the date of its
 * event.
 */
function versionOf({ item: { catalogEffectiveDate }, hasOwnPrices }: ExplanationParts): string {
  if (hasOwnPrices) return 'with its own prices';
  return catalogEffectiveDate === null
    ? 'by the catalog'
    : `by the catalog in effect from ${instantText(catalogEffectiveDate)}`;
}

/** Describes the usage and its charges, without the calculation. */
function usageFacts(basis: UsageBasis, { item, linked }: ExplanationParts) {
  const { usageName, billingPeriod, used, lines, minimum, billed, credit } = basis;
  const { currency } = item;
  const amounts = used.map(({ unit, quantity }) => `${formatDecimal(quantity)} ${unit}`);
  const what = credit === null ? 'Usage' : 'Credit for usage';
  return [
    `${what} ${usageName} of ${planOf(linked ?? item)} for ${formatRangeWithDays(basis)}, ${periodName(billingPeriod).toLowerCase()} and billed in arrear: ${amounts.join(', ')}.`,
    ...lines.map((line) => lineText(line, currency)),
    minimum === null
      ? ''
      : `The minimum of a whole period is ${moneyText(minimum.base, currency)}, and counts for ${minimum.days} of ${minimum.totalDays} days.`,
    billed.isZero() ? '' : `${moneyText(billed, currency)} of it was billed before.`,
    item.startDate === basis.startDate && item.endDate === basis.endDate
      ? ''
      : `A longer period was billed; the rest is credited for ${range(item)}.`,
    credit === null || credit.open.lessThanOrEqualTo(credit.left)
      ? ''
      : `At most ${moneyText(credit.left, currency)} of the item can be credited.`,
  ];
}

function termText({ tier, unit, price, quantity }: UsageLine, currency: Currency): string {
  switch (unit) {
    case TermLine.FLAT_FEE:
      return `Tier ${tier} has a flat fee of ${moneyText(price, currency)}.`;
    case TermLine.SECTION_PRICE:
      return `The reached tier costs ${moneyText(price, currency)}.`;
    case TermLine.PERCENT_OFF:
      return `${moneyText(price.abs(), currency)} of it is discounted by the usage terms.`;
    case TermLine.MAXIMUM:
      return `${moneyText(price.abs(), currency)} of it is above the maximum for a period and not charged.`;
    case TermLine.MINIMUM:
      return `${moneyText(price, currency)} is added to reach the minimum for a period.`;
    default:
      return `${formatDecimal(quantity)} ${unit.slice(TermLine.FREE.length + 1)} are free.`;
  }
}

function lineText(line: UsageLine, currency: Currency): string {
  const { tier, unit, price, quantity, blockSize } = line;
  const amount = formatDecimal(quantity);
  if (blockSize?.isZero()) return termText(line, currency);
  if (blockSize === null) {
    return `The peak of ${amount} ${unit} is in tier ${tier}, which costs ${moneyText(price, currency)}.`;
  }
  const blocks = quantity.equals(1) ? plural(1, 'block') : `${amount} blocks`;
  return `Tier ${tier}: ${blocks} of ${formatDecimal(blockSize)} ${unit} at ${moneyText(price, currency)}.`;
}
