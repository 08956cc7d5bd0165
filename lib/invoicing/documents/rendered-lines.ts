import { type ItemDiscount, itemTypes } from '../../records/index.ts';
import { eachStep, type Steps } from '../../runtime/index.ts';
import { type Currency, type Decimal, roundToCurrency, ZERO } from '../../values/money/index.ts';
import { addDays, type LocalDate } from '../../values/time/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';
import { type DocumentFacts, type DocumentLine, documentItems, type ListedLine } from './document-facts.ts';
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
  /** The last day of a period, which is the day before the end date. The value is null if there is no period. */
  readonly lastDay: LocalDate | null;
  readonly formattedLastDay: string | null;
  /**
   * The first and the last day, or the only date. The value is null for an adjustment, whose date is not a service
   * period.
   */
  readonly formattedPeriod: string | null;
  readonly formattedAmount: string;
  readonly quantity: Decimal | null;
  readonly formattedQuantity: string | null;
  readonly formattedRate: string | null;
  readonly unitPrice: Decimal | null;
  readonly formattedUnitPrice: string | null;
  /**
   * The calculation, such as `5 × $25.00`. The value is null if there is no quantity or unit price, and for one unit
   * whose price is the amount.
   */
  readonly calculation: string | null;
  readonly formattedListRate: string | null;
  /** The amount before discounts, or null if there are no discounts. */
  readonly listAmount: Decimal | null;
  readonly formattedListAmount: string | null;
  /** The discount of each coupon. The list is empty if the line has no discounts. */
  readonly discounts: readonly RenderedDiscount[];
  /** The tax rates, such as `19%`. The value is null if there are no rates. */
  readonly formattedTaxRate: string | null;
  /** The charged usage. The list is empty if the line does not charge usage. */
  readonly usage: readonly RenderedUsage[];
  /** Notes in small print below the name: the calculation, or the list price with its discounts, and the usage with its tiers. */
  readonly notes: readonly string[];
}

interface RenderedDiscount extends ItemDiscount {
  /** The amount below 0. */
  readonly formattedAmount: string;
}

export interface LineWords extends NameWords {
  readonly formats: DocumentFormats;
  /** Isolates a name so that it keeps its direction in a document of the opposite direction. */
  readonly isolated: (name: string) => string;
}

/** Yields all lines of a document. Account credit comes last. */
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
    const translateName = (name: string | null) => (name === null ? null : (names(name) ?? name));
    const line = lineOf.get(item.id);
    const usage = renderedUsage(item.usage, currency, words);
    const calculation = line === undefined ? null : calculationOf(line, currency, words);
    const discounted = discountedParts(line?.list ?? null, currency, formats);
    const note = isDiscounted(line) ? discountNote(line, discounted, { ...words, currency }) : calculation;
    return {
      item,
      ...lineName(item, words, linked),
      planName: translateName(item.planName),
      phaseName: translateName(item.phaseName),
      usageName: translateName(item.usageName),
      ...datesOf(item),
      formattedAmount: formats.amount(item.amount, currency),
      formattedRate: item.rate === null ? null : formatPrice(formats, item.rate, currency),
      ...formattedUnits(line, currency, formats),
      calculation,
      formattedListRate: item.listRate === null ? null : formatPrice(formats, item.listRate, currency),
      ...discounted,
      formattedTaxRate: line === undefined ? null : formattedRates(line, formats),
      usage,
      notes: [...(note === null ? [] : [note]), ...usage.flatMap(linesOfUsage)],
    };
  });
}

function isDiscounted(line: DocumentLine | undefined): line is DocumentLine & { readonly list: ListedLine } {
  return line !== undefined && line.list !== null;
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

function discountedParts(list: ListedLine | null, currency: Currency, formats: DocumentFormats) {
  return {
    listAmount: list?.net ?? null,
    formattedListAmount: list === null ? null : formats.amount(list.net, currency),
    discounts: (list?.discounts ?? []).map((discount) => ({
      ...discount,
      formattedAmount: formats.amount(ZERO.minus(discount.amount), currency),
    })),
  };
}

/** Returns the list price and its discounts, such as `List price: 5 × $30.00 · Spring sale: -$30.00`. */
function discountNote(
  line: DocumentLine & { readonly list: ListedLine },
  { formattedListAmount, discounts }: ReturnType<typeof discountedParts>,
  words: LineWords & { readonly currency: Currency },
): string {
  const { text, labeled, isolated, currency } = words;
  const calculation = calculationOf({ ...line, ...line.list }, currency, words);
  const taken = discounts.filter(({ amount }) => !amount.isZero());
  return [
    labeled(text('itemListPrice'), calculation ?? formattedListAmount ?? ''),
    ...taken.map(({ name, formattedAmount }) => labeled(isolated(name), formattedAmount)),
  ].join(' · ');
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
