import type { PrintableFact } from '../../ports/index.ts';
import type { TaxCategory } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { addDays } from '../../values/time/index.ts';
import type { TextKey } from './built-in-texts.ts';
import { type DocumentFacts, isRounding, type TaxGroup } from './document-facts.ts';
import type { DocumentFormats } from './document-formats.ts';
import type { TextOf } from './document-texts.ts';
import type { RenderedSeller } from './rendered-parties.ts';

/** The sum of one kind of tax (§14 rule 9). */
export interface RenderedTax {
  readonly group: TaxGroup;
  /** The tax with its rate or category: `VAT 19%`. */
  readonly name: string;
  readonly formattedRate: string | null;
  /** The name of the category, or null for the standard category. */
  readonly categoryName: string | null;
  readonly formattedNet: string;
  readonly formattedTax: string;
  readonly formattedComputed: string;
}

export interface SumWords {
  readonly text: TextOf;
  readonly formats: DocumentFormats;
}

const categoryTexts: Readonly<Record<TaxCategory, TextKey | null>> = {
  S: null,
  Z: 'taxZeroRated',
  E: 'taxExempt',
  AE: 'taxReverseCharge',
  K: 'taxIntraCommunity',
  G: 'taxExport',
  O: 'taxOutOfScope',
};

const taxNames: Readonly<Record<string, TextKey>> = {
  US: 'taxSales',
  PR: 'taxSales',
  AU: 'taxGst',
  CA: 'taxGst',
  IN: 'taxGst',
  NZ: 'taxGst',
  SG: 'taxGst',
  JP: 'taxConsumption',
};

/**
 * Returns the key of the tax name: the name used in the seller's country or, if that country is unknown, in the buyer's
 * country.
 */
function taxNameKey({ seller, buyer }: Pick<DocumentFacts, 'seller' | 'buyer'>): TextKey {
  const country = (seller?.country ?? buyer.country ?? '').toUpperCase();
  if (country === '') return 'itemTax';
  return taxNames[country] ?? 'taxVat';
}

/** Returns the name of taxes in the document's language, such as `VAT`. */
export function taxNameOf(facts: Pick<DocumentFacts, 'seller' | 'buyer'>, text: TextOf): string {
  return text(taxNameKey(facts));
}

export function renderedTaxes(facts: DocumentFacts, { text, formats }: SumWords): readonly RenderedTax[] {
  const taxName = taxNameOf(facts, text);
  return facts.taxes.map((group) => {
    const { category, rate, net, tax, computed } = group;
    const amount = (value: Decimal) => formats.amount(value, facts.currency);
    const formattedRate = rate === null ? null : formats.percent(rate);
    const key = category === null ? null : categoryTexts[category];
    const categoryName = key === null ? null : text(key);
    const rated = formattedRate === null ? taxName : `${taxName} ${formattedRate}`;
    const isWithoutRate = rate === null || rate.isZero();
    return {
      group,
      name: categoryName !== null && isWithoutRate ? `${taxName} – ${categoryName}` : rated,
      formattedRate,
      categoryName,
      formattedNet: amount(net),
      formattedTax: amount(tax),
      formattedComputed: amount(computed),
    };
  });
}

/**
 * Returns the sums above the total: net amount, taxes and tax rounding. Returns an empty list if there are no tax
 * facts.
 */
export function taxTotals(
  facts: DocumentFacts,
  taxes: readonly RenderedTax[],
  { text, formats, labeled }: SumWords & { readonly labeled: (label: string, value: string) => string },
): readonly PrintableFact[] {
  if (taxes.length === 0) return [];
  const amount = (value: Decimal) => formats.amount(value, facts.currency);
  const shown = taxes.filter(({ group }) => !isUntaxed(group));
  const totals: PrintableFact[] = [{ label: text('invoiceNet'), value: amount(facts.net) }];
  for (const { group, name, categoryName, formattedNet, formattedComputed } of shown) {
    const base = taxes.length === 1 ? null : labeled(text('taxBase'), formattedNet);
    const isInName = isSameText(group.exemption, categoryName) && name.endsWith(categoryName ?? '');
    const details = [base, isInName ? null : group.exemption].filter(isWritten);
    totals.push({ label: name, value: formattedComputed, details });
  }
  const { roundingDifference } = facts;
  if (!roundingDifference.isZero()) {
    const label = text(isRounding(roundingDifference, facts) ? 'invoiceTaxRounding' : 'invoiceTaxDifference');
    totals.push({ label, value: amount(roundingDifference) });
  }
  return totals;
}

function isSameText(one: string | null, other: string | null): boolean {
  return one?.trim().toLowerCase() === other?.trim().toLowerCase();
}

function isWritten(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}

/** Returns true for a group of lines without tax details. */
function isUntaxed({ category, rate, exemption, tax }: TaxGroup): boolean {
  return category === null && rate === null && exemption === null && tax.isZero();
}

/**
 * Returns the details for a bank transfer, each with a label. Returns an empty list if nothing is due or the seller
 * has no bank account.
 */
export function paymentDetails(
  { kind, due, number }: Pick<DocumentFacts, 'kind' | 'due' | 'number'>,
  { seller, text }: { readonly seller: RenderedSeller | null; readonly text: TextOf },
): readonly PrintableFact[] {
  if (seller === null || kind === 'CREDIT_NOTE' || !due.greaterThan(0)) return [];
  const { name, legalName, bankName, bic } = seller.seller;
  const account: readonly (readonly [label: string, value: string | null])[] = [
    [text('paymentBank'), bankName],
    [text('paymentIban'), seller.formattedIban],
    [text('paymentBic'), bic],
  ];
  const known = account.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
  if (known.length === 0) return [];
  return [
    { label: text('paymentPayee'), value: legalName ?? name },
    ...known,
    { label: text('paymentReference'), value: number },
  ];
}

/** Returns true for documents that show more details than names and amounts. */
export function isDetailed({ seller, taxes }: Pick<DocumentFacts, 'seller' | 'taxes'>): boolean {
  return seller !== null || taxes.length > 0;
}

/** Returns the number and dates for the top of the document. */
export function headFacts(facts: DocumentFacts, { text, formats }: SumWords): readonly PrintableFact[] {
  const { credited, servicePeriod, dueDate, issueDate } = facts;
  const head: PrintableFact[] = [
    { label: text('invoiceNumber'), value: facts.number },
    { label: text('invoiceDate'), value: formats.date(issueDate) },
  ];
  if (credited !== null) head.push({ label: text('creditNoteInvoice'), value: credited.number });
  if (!isDetailed(facts)) return head;
  if (credited !== null)
    head.push({ label: text('creditNoteInvoiceDate'), value: formats.date(credited.issueDate) });
  if (servicePeriod !== null)
    head.push({
      label: text('invoiceItemServicePeriod'),
      value: formattedServicePeriod(servicePeriod, formats),
    });
  if (dueDate !== null) head.push({ label: text('invoiceDueDate'), value: formats.date(dueDate) });
  return head;
}

/** Returns the service period from its first to its last day. */
export function formattedServicePeriod(
  { start, end }: NonNullable<DocumentFacts['servicePeriod']>,
  formats: Pick<DocumentFormats, 'period'>,
): string {
  return formats.period(start, addDays(end, -1));
}
