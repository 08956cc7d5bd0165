import { itemTypes } from '../../records/index.ts';
import { eachStep, type Steps } from '../../runtime/index.ts';
import { type Currency, type Decimal, roundToCurrency } from '../../values/money/index.ts';
import { addDays, type LocalDate } from '../../values/time/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import { type DocumentFacts, type DocumentLine, documentItems } from './document-facts.ts';
import { type DocumentFormats, formatPrice } from './document-formats.ts';
import { type LineName, lineName, type NameWords } from './line-names.ts';
import { type RenderedUsage, renderedUsage } from './rendered-usage.ts';

/** A line of a document: one item, or the sum of several items of one kind. */
export interface RenderedLine extends LineName {
  readonly item: InvoiceItemView;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly usageName: string | null;
  readonly formattedStartDate: string | null;
  readonly formattedEndDate: string | null;
  /** The last day of a period, which is the day before the end date. Null without a period. */
  readonly lastDay: LocalDate | null;
  readonly formattedLastDay: string | null;
  /** The first and the last day, or the only date. Null for an adjustment, whose date is not a service period. */
  readonly formattedPeriod: string | null;
  readonly formattedAmount: string;
  readonly quantity: Decimal | null;
  readonly formattedQuantity: string | null;
  readonly formattedRate: string | null;
  readonly unitPrice: Decimal | null;
  readonly formattedUnitPrice: string | null;
  /**
   * The calculation, such as `5 × $25.00`. Null without a quantity or unit price, and for one unit whose price is the
   * amount.
   */
  readonly calculation: string | null;
  /** The tax rates, such as `19%`. Null without rates. */
  readonly formattedTaxRate: string | null;
  /** The charged usage. Empty if the line does not charge usage. */
  readonly usage: readonly RenderedUsage[];
  /** Notes in small print below the name: the calculation, and the usage with its tiers. */
  readonly notes: readonly string[];
}

export interface LineWords extends NameWords {
  readonly formats: DocumentFormats;
}

/** Returns every line of a document, account credit last. */
export function* renderingLines(
  items: readonly InvoiceItemView[],
  {
    facts,
    linkedItems,
    words,
  }: {
    readonly facts: DocumentFacts;
    readonly linkedItems: readonly InvoiceItemView[];
    readonly words: LineWords;
  },
): Steps<readonly RenderedLine[]> {
  const { names, formats } = words;
  const { currency } = facts;
  const itemOf = new Map([...linkedItems, ...items].map((item) => [item.id, item]));
  const lineOf = new Map(facts.lines.map((line) => [line.item.id, line]));
  const datesOf = formattedDatesOnce(formats);
  return yield* eachStep(documentItems(items, currency), (item): RenderedLine => {
    const linked = item.linkedItemId === null ? undefined : itemOf.get(item.linkedItemId);
    const named = (name: string | null) => (name === null ? null : (names(name) ?? name));
    const line = lineOf.get(item.id);
    const usage = renderedUsage(item.usage, currency, words);
    const calculation = line === undefined ? null : calculationOf(line, currency, words);
    return {
      item,
      ...lineName(item, words, linked),
      planName: named(item.planName),
      phaseName: named(item.phaseName),
      usageName: named(item.usageName),
      ...datesOf(item),
      formattedAmount: formats.amount(item.amount, currency),
      formattedRate: item.rate === null ? null : formatPrice(formats, item.rate, currency),
      ...formattedUnits(line, currency, formats),
      calculation,
      formattedTaxRate: line === undefined ? null : formattedRates(line, formats),
      usage,
      notes: [...(calculation === null ? [] : [calculation]), ...usage.flatMap(linesOfUsage)],
    };
  });
}

function linesOfUsage({ total, tiers }: RenderedUsage): readonly string[] {
  return [total, ...tiers.map(({ calculation }) => calculation)];
}

function formattedUnits(
  line: DocumentLine | undefined,
  currency: Currency,
  formats: DocumentFormats,
): Pick<RenderedLine, 'quantity' | 'formattedQuantity' | 'unitPrice' | 'formattedUnitPrice'> {
  const quantity = line?.quantity ?? line?.item.quantity ?? null;
  const unitPrice = line?.unitPrice ?? null;
  return {
    quantity,
    formattedQuantity: quantity === null ? null : formats.number(quantity),
    unitPrice,
    formattedUnitPrice: unitPrice === null ? null : formatPrice(formats, unitPrice, currency),
  };
}

/** Returns quantity × unit price, with a mark if the amount covers only part of the period. */
function calculationOf(
  { item, quantity, unitPrice, net }: DocumentLine,
  currency: Currency,
  { text, formats }: LineWords,
): string | null {
  if (quantity === null || unitPrice === null) return null;
  const isWhole = roundToCurrency(quantity.times(unitPrice), currency).equals(net);
  if (isWhole && quantity.equals(1)) return null;
  const units = `${formats.number(quantity)} × ${formatPrice(formats, unitPrice, currency)}`;
  return isWhole || !itemTypes[item.itemType].chargesPlan ? units : `${units} (${text('itemProrated')})`;
}

function formattedRates({ taxes }: DocumentLine, formats: DocumentFormats): string | null {
  const rates = taxes.flatMap(({ rate }) => (rate === null ? [] : [formats.percent(rate)]));
  return rates.length === 0 ? null : [...new Set(rates)].join(' + ');
}

type Dates = Pick<
  RenderedLine,
  'formattedStartDate' | 'formattedEndDate' | 'lastDay' | 'formattedLastDay' | 'formattedPeriod'
>;

/** Caches formatted dates, because most lines share a few periods and `Intl` is slow. */
function formattedDatesOnce(formats: DocumentFormats): (item: InvoiceItemView) => Dates {
  const known = new Map<string, Dates>();
  return (item) => {
    const key = `${item.startDate} ${item.endDate}`;
    const dates = known.get(key) ?? formattedDates(item, formats);
    known.set(key, dates);
    const isOnlyDated = dates.lastDay === null && itemTypes[item.itemType].kind === 'ADJUSTMENT';
    return isOnlyDated ? { ...dates, formattedPeriod: null } : dates;
  };
}

function formattedDates({ startDate, endDate }: InvoiceItemView, formats: DocumentFormats): Dates {
  const formattedStartDate = startDate === null ? null : formats.date(startDate);
  const formattedEndDate = endDate === null ? null : formats.date(endDate);
  const isPeriod = startDate !== null && endDate !== null && startDate < endDate;
  const lastDay = isPeriod ? addDays(endDate, -1) : null;
  const formattedLastDay = lastDay === null ? null : formats.date(lastDay);
  const formattedPeriod =
    startDate !== null && lastDay !== null
      ? formats.period(startDate, lastDay)
      : (formattedStartDate ?? formattedEndDate);
  return { formattedStartDate, formattedEndDate, lastDay, formattedLastDay, formattedPeriod };
}
