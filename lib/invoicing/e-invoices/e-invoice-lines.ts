import type { EInvoiceAllowance, EInvoiceLine, EInvoicePeriod, EInvoiceTaxGroup } from '../../ports/index.ts';
import type { TaxCategory } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  decimal,
  minorUnits,
  roundToCurrency,
  ZERO,
} from '../../values/money/index.ts';
import { addDays, formatLocalDate } from '../../values/time/index.ts';
import type { DocumentFacts, DocumentLine, ItemTax, ListedLine } from '../documents/document-facts.ts';
import type { UsedUnit } from '../invoices/used-units.ts';
import type { MissingFields } from './missing-fields.ts';
import { unitCode } from './unit-codes.ts';
import { xmlLine, xmlLines } from './xml-text.ts';

const HUNDRED = decimal(100);

/** The texts of a line in the language of the account. */
export interface LineName {
  readonly name: string;
  readonly detail: string | null;
  /** The calculation, and the usage with its tiers. */
  readonly notes: readonly string[];
}

export type LineNames = ReadonlyMap<Uuid, LineName>;

/** A line with its only tax. */
export interface TaxedLine {
  readonly line: DocumentLine;
  readonly name: string;
  readonly description: string | null;
  readonly category: TaxCategory;
  readonly rate: Decimal;
  readonly exemption: string | null;
}

/**
 * Returns the lines with their taxes. Credits without tax facts are omitted, because they are treated as payments
 * (§22 rule 4).
 */
export function taxedLines(
  { lines, taxes }: DocumentFacts,
  names: LineNames,
  missing: MissingFields,
): readonly TaxedLine[] {
  const shown = lines.filter((line) => !isUntaxedCredit(line));
  if (shown.length > 0 && taxes.length === 0) {
    missing.add(
      'tax categories: return TAX items with taxCategory, taxRate and linkedItemId from the invoice plugin',
    );
    return [];
  }
  return shown.flatMap((line) => taxedLine(line, names, missing) ?? []);
}

export function isUntaxedCredit({ item, taxes }: DocumentLine): boolean {
  return item.itemType === 'CREDIT_ADJ' && taxes.length === 0;
}

function taxedLine(line: DocumentLine, names: LineNames, missing: MissingFields): TaxedLine | null {
  const { item, taxes } = line;
  const found = names.get(item.id);
  const name = xmlLine(found?.name) ?? xmlLine(item.description) ?? item.itemType;
  const [tax, ...more] = taxes;
  if (more.length > 0) {
    missing.add(`one tax for "${name}": it has ${taxes.length}, and EN 16931 allows one tax for each line`);
    return null;
  }
  const category = tax === undefined ? null : categoryOf(tax);
  if (tax === undefined || category === null) {
    missing.add(`tax category of "${name}": return a TAX item with taxCategory from the invoice plugin`);
    return null;
  }
  return {
    line,
    name,
    description: xmlLines([found?.detail, ...(found?.notes ?? [])].flatMap((text) => text ?? []).join('\n')),
    category,
    rate: tax.rate ?? ZERO,
    exemption: xmlLine(tax.exemption),
  };
}

/** Returns the tax category. A rate without a category gets the category S. */
function categoryOf({ category, rate }: ItemTax): TaxCategory | null {
  return category ?? (rate?.greaterThan(0) ? 'S' : null);
}

export function documentLine(
  { line, name, description, category, rate }: TaxedLine,
  { id, facts }: { readonly id: string; readonly facts: DocumentFacts },
): EInvoiceLine {
  const { currency } = facts;
  return {
    id,
    name,
    description,
    ...deriveQuantityAndPrice(usedQuantity(line), currency),
    allowances: allowancesOf(line.list, currency),
    unitCode: unitCode(usedUnit(line)?.name ?? null),
    amount: amountText(line.net, currency),
    period: periodOf(line, facts),
    tax: { category, rate: category === 'O' ? null : rate.toFixed() },
  };
}

/** Returns the unit of a usage line that has exactly one unit. Returns null for all other lines. */
function usedUnit({ item }: DocumentLine): UsedUnit | null {
  const [unit, ...more] = item.usage;
  return more.length === 0 ? (unit ?? null) : null;
}

function usedQuantity(line: DocumentLine): Pick<DocumentLine, 'net' | 'quantity' | 'unitPrice'> {
  const unit = usedUnit(line);
  if (unit !== null) return { net: line.net, quantity: unit.quantity, unitPrice: null };
  return line.list === null ? line : { ...line, ...line.list };
}

/** Maximum number of decimals of a percentage. */
const PERCENT_DECIMALS = 2;

/**
 * Returns the discounts of a line (BG-27). A base amount requires a percentage that equals the discount (Peppol rules
 * R040 to R042). If no percentage equals the discount, the base amount and the percentage are omitted.
 */
function allowancesOf(list: ListedLine | null, currency: Currency): readonly EInvoiceAllowance[] {
  let base = list?.net ?? ZERO;
  const allowances: EInvoiceAllowance[] = [];
  for (const { code, name, amount } of list?.discounts ?? []) {
    if (amount.isZero()) continue;
    const percent = amount.times(HUNDRED).dividedBy(base).toDecimalPlaces(PERCENT_DECIMALS);
    const isExact = roundToCurrency(base.times(percent).dividedBy(HUNDRED), currency).equals(amount);
    const share = isExact ? { base: amountText(base, currency), percent: percent.toFixed() } : null;
    const reason = xmlLine(name) ?? xmlLine(code);
    allowances.push({ amount: amountText(amount, currency), share, reason });
    base = base.minus(amount);
  }
  return allowances;
}

export function amountText(amount: Decimal, currency: Currency): string {
  const rounded = roundToCurrency(amount, currency);
  return (rounded.isZero() ? ZERO : rounded).toFixed(minorUnits(currency));
}

/** Maximum number of decimals of a price. */
const PRICE_DECIMALS = 10;

/**
 * Returns a quantity and a price whose product is the amount (§22 rule 3). Uses the line's unit price, otherwise the
 * amount divided by the quantity, otherwise the whole amount with quantity 1. A reduction has a negative quantity.
 */
function deriveQuantityAndPrice(
  { net, quantity, unitPrice }: Pick<DocumentLine, 'net' | 'quantity' | 'unitPrice'>,
  currency: Currency,
) {
  const amount = roundToCurrency(net, currency).abs();
  const units = quantity?.abs() ?? null;
  const candidates = [unitPrice?.abs(), units === null || units.isZero() ? null : amount.dividedBy(units)];
  for (const candidate of candidates) {
    if (units === null || candidate == null) continue;
    const price = candidate.toDecimalPlaces(PRICE_DECIMALS);
    if (!roundToCurrency(units.times(price), currency).equals(amount)) continue;
    return { quantity: applySign(units, net).toFixed(), price: price.toFixed() };
  }
  return { quantity: net.isNegative() ? '-1' : '1', price: amount.toFixed() };
}

function applySign(units: Decimal, net: Decimal): Decimal {
  return net.isNegative() && !net.isZero() ? units.negated() : units;
}

/** Returns the period of a line if the service period of the document contains it. */
function periodOf({ item: { startDate, endDate } }: DocumentLine, { servicePeriod }: DocumentFacts) {
  if (servicePeriod === null || startDate === null || endDate === null || startDate >= endDate) return null;
  if (startDate < servicePeriod.start || endDate > servicePeriod.end) return null;
  return includedPeriod({ start: startDate, end: endDate });
}

/** Returns a period that ends with its last day instead of the day after. */
export function includedPeriod({ start, end }: NonNullable<DocumentFacts['servicePeriod']>): EInvoicePeriod {
  return { start: formatLocalDate(start), end: formatLocalDate(addDays(end, -1)) };
}

/** Codes of the VATEX list, with the reasons in words. */
const reasons: Partial<Readonly<Record<TaxCategory, { readonly code: string; readonly text: string }>>> = {
  AE: { code: 'VATEX-EU-AE', text: 'Reverse charge' },
  K: { code: 'VATEX-EU-IC', text: 'Intra-Community supply' },
  G: { code: 'VATEX-EU-G', text: 'Export outside the EU' },
  O: { code: 'VATEX-EU-O', text: 'Not subject to VAT' },
};

/** The sums of a category and rate, before they are formatted. */
export interface TaxSum {
  readonly group: EInvoiceTaxGroup;
  readonly net: Decimal;
  /** net × rate, rounded (BR-CO-17). */
  readonly tax: Decimal;
}

/** Returns the totals of the lines by category and rate (BG-23), with the joined exemption texts of each group. */
export function taxSums(
  lines: readonly TaxedLine[],
  currency: Currency,
  missing: MissingFields,
): readonly TaxSum[] {
  const groups = Map.groupBy(lines, ({ category, rate }) => `${category} ${rate.toFixed()}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { category, rate } = first;
    const net = group.reduce((total, { line }) => total.plus(line.net), ZERO);
    const tax = roundToCurrency(net.times(rate).dividedBy(100), currency);
    const texts = [...new Set(group.flatMap(({ exemption }) => exemption ?? []))];
    return {
      net,
      tax,
      group: {
        category,
        rate: rate.toFixed(),
        net: amountText(net, currency),
        tax: amountText(tax, currency),
        exemption: exemptionOf(category, texts, missing),
      },
    };
  });
}

/**
 * Returns the reason for the exemption. Categories S and Z have no reason. Category E requires a reason, which may
 * start with its VATEX code.
 */
function exemptionOf(category: TaxCategory, texts: readonly string[], missing: MissingFields) {
  if (category === 'S' || category === 'Z') return null;
  const text = texts.length === 0 ? null : texts.join('; ');
  const [code = null] = /^VATEX-[A-Z]{2}-[A-Z0-9-]+/.exec(text ?? '') ?? [];
  const known = reasons[category];
  if (known === undefined && text === null)
    missing.add('reason of the tax exemption (category E): return a TAX item with taxExemption');
  return { code: code ?? known?.code ?? null, text: text ?? known?.text ?? null };
}
