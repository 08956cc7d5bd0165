import type { EInvoiceDocument, EInvoicePaymentMeans } from '../../ports/index.ts';
import { type EInvoiceProfile, itemTypes, type TaxCategory } from '../../records/index.ts';
import { type Decimal, formatDecimal, minorUnits, sum } from '../../values/money/index.ts';
import { formatLocalDate, maxDate } from '../../values/time/index.ts';
import { type DocumentFacts, isRounding } from '../documents/document-facts.ts';
import {
  amountText,
  documentLine,
  includedPeriod,
  isUntaxedCredit,
  type LineNames,
  type TaxSum,
  taxedLines,
  taxSums,
} from './e-invoice-lines.ts';
import {
  buyerParty,
  type EInvoiceCustomFields,
  nationalRules,
  type PartyRules,
  SELLER_UPLOAD,
  sellerParty,
} from './e-invoice-parties.ts';
import { MissingFields } from './missing-fields.ts';
import { xmlLine, xmlLines } from './xml-text.ts';

export interface EInvoiceInput {
  readonly facts: DocumentFacts;
  readonly profile: EInvoiceProfile;
  readonly names: LineNames;
  readonly customFields: EInvoiceCustomFields;
  /** A sentence about the payment (BT-20) in the language of the account, or null if none exists. */
  readonly paymentTerms: string | null;
}

/** Maximum number of decimals of an amount (BR-DEC). */
const MAX_DECIMALS = 2;

/**
 * Returns the document in the business terms of EN 16931 (§22).
 * @throws BillingError INVOICE_NOT_ELECTRONIC (4041) that lists every missing field.
 */
export function eInvoiceDocument(input: EInvoiceInput): EInvoiceDocument {
  const { facts, profile, names, customFields, paymentTerms } = input;
  const missing = new MissingFields();
  const { currency, seller, buyer } = facts;
  const isNote = facts.kind === 'CREDIT_NOTE';
  const lines = taxedLines(facts, names, missing);
  const sums = taxSums(lines, currency, missing);
  const categories = new Set<TaxCategory>(sums.map(({ group }) => group.category));
  requireWhole(facts, categories, missing);
  requireTaxesOfLines(facts, sums, missing);
  const national = nationalRules(profile, seller, buyer);
  const { isGerman } = national;
  const rules: PartyRules = { profile, categories, ...national, missing };
  const buyerData = buyerParty(buyer, customFields, rules);
  const sellerData = sellerParty(seller, rules);
  const number = xmlLine(facts.number) ?? '';
  const means = paymentMeansOf(facts, { number, rules });
  missing.refuse(isNote ? `credit note ${facts.number}` : `invoice ${facts.number}`, { profile });
  const period = facts.servicePeriod === null ? null : includedPeriod(facts.servicePeriod);
  const issueDate = formatLocalDate(facts.issueDate);
  return {
    typeCode: isNote ? '381' : '380',
    number,
    issueDate,
    dueDate: dueDateOf(facts),
    currency,
    note: noteOf(facts),
    buyerReference: xmlLine(customFields.buyerReference) ?? (profile === 'EN16931' ? null : NO_REFERENCE),
    period,
    precedingInvoice: precedingInvoiceOf(facts),
    seller: sellerData,
    buyer: buyerData,
    delivery: { address: buyerData.address, date: period === null ? deliveryDate(facts) : null },
    paymentMeans: means,
    paymentTerms: xmlLine(paymentTerms),
    taxes: sums.map(({ group }) => taxGroup(group, isGerman)),
    lines: lines.map((line, index) => documentLine(line, { id: String(index + 1), facts })),
    totals: totalsOf(facts, sums),
  };
}

/**
 * Returns the due date, or null if the buyer has nothing to pay. BR-CO-25 requires a due date for an amount above 0.
 * Without payment terms, the amount is due immediately.
 */
function dueDateOf({ due, dueDate, issueDate, isPaidByParent }: DocumentFacts): string | null {
  return due.greaterThan(0) && !isPaidByParent ? formatLocalDate(dueDate ?? issueDate) : null;
}

/** Returns the last date of the charges, or the issue date if no charge has a date (BT-72). */
function deliveryDate({ lines, issueDate }: DocumentFacts): string {
  const dates = lines.flatMap(({ item: { itemType, startDate } }) =>
    itemTypes[itemType].kind === 'CHARGE' ? (startDate ?? []) : [],
  );
  const [first = issueDate, ...more] = dates;
  return formatLocalDate(maxDate(first, ...more));
}

/** Adds the missing fields that concern the whole document. */
function requireWhole(
  { lines, taxes, currency }: DocumentFacts,
  categories: ReadonlySet<TaxCategory>,
  missing: MissingFields,
): void {
  if (lines.every(isUntaxedCredit) && unlinkedTax(taxes).isZero())
    missing.add('a charge other than 0: the document has none');
  if (categories.has('O') && categories.size > 1)
    missing.add('one kind of taxes: lines of category O need a document of their own');
  if (minorUnits(currency) > MAX_DECIMALS)
    missing.add(`a currency with at most ${MAX_DECIMALS} decimals: EN 16931 has no amounts in ${currency}`);
}

/** Returns the taxes on items that are not on the document. */
function unlinkedTax(taxes: DocumentFacts['taxes']): Decimal {
  return sum(taxes.map(({ unlinked }) => unlinked));
}

/**
 * Checks that the taxes follow from the rates of the lines (BR-CO-17). The rounding amount of an e-invoice may
 * contain only rounding.
 */
function requireTaxesOfLines(facts: DocumentFacts, sums: readonly TaxSum[], missing: MissingFields): void {
  const { lines, taxes, tax } = facts;
  const unlinked = unlinkedTax(taxes);
  if (!unlinked.isZero()) {
    missing.add(
      `a line for the tax of ${formatDecimal(unlinked)}: the taxed item is not on the document, and EN 16931 computes taxes from lines (BR-CO-17). To adjust a charge together with its tax, name the charge in acme.invoices.adjustItem, or in the adjustments of acme.invoicePayments.refund`,
    );
    return;
  }
  // Lines without exactly one category are reported separately.
  if (lines.some((line) => line.taxes.length !== 1 && !isUntaxedCredit(line))) return;
  const computed = sum(sums.map((each) => each.tax));
  if (!isRounding(tax.minus(computed), facts))
    missing.add(
      `taxes that follow from the rates: the document has taxes of ${formatDecimal(tax)}, and its lines and rates result in ${formatDecimal(computed)}`,
    );
}

function precedingInvoiceOf({ credited }: DocumentFacts): EInvoiceDocument['precedingInvoice'] {
  if (credited === null) return null;
  return { number: xmlLine(credited.number) ?? '', issueDate: formatLocalDate(credited.issueDate) };
}

/** The placeholder for a missing reference. XRechnung and Peppol require a reference. */
const NO_REFERENCE = '-';

/** Returns the tax group. Only the German rules require a rate in the sums of category O (BR-DE-14). */
function taxGroup(group: TaxSum['group'], isGerman: boolean): TaxSum['group'] {
  return group.category === 'O' && !isGerman ? { ...group, rate: null } : group;
}

/** Combines all notes into one, because Peppol allows only one note. */
function noteOf({ note, sellerNote }: DocumentFacts): string | null {
  return xmlLines([note, sellerNote].flatMap((text) => xmlLines(text) ?? []).join('\n\n'));
}

function paymentMeansOf(
  { seller, currency, isPaidByParent }: Pick<DocumentFacts, 'seller' | 'currency' | 'isPaidByParent'>,
  { number, rules: { isGerman, missing } }: { readonly number: string; readonly rules: PartyRules },
): EInvoicePaymentMeans | null {
  // The parent pays the amount, so the document for the buyer contains no bank account.
  if (isPaidByParent)
    return { code: UNDEFINED_MEANS, reference: null, iban: null, bic: null, accountName: null };
  const iban = xmlLine(seller?.iban)?.replaceAll(' ', '') ?? null;
  if (isGerman) missing.required(iban, `seller iban: ${SELLER_UPLOAD}`);
  if (seller === null || iban === null) return null;
  return {
    code: currency === 'EUR' ? SEPA_TRANSFER : CREDIT_TRANSFER,
    reference: number,
    iban,
    bic: xmlLine(seller.bic)?.replaceAll(' ', '') ?? null,
    accountName: xmlLine(seller.legalName) ?? xmlLine(seller.name),
  };
}

/** Payment means codes of the list UNTDID 4461. */
const SEPA_TRANSFER = '58';
const CREDIT_TRANSFER = '30';
const UNDEFINED_MEANS = '1';

/**
 * Returns the totals (§22 rule 4). The tax follows BR-CO-17. The rounding is the difference between this tax and the
 * charged tax, so that the payable amount equals the amount that the engine computed.
 */
function totalsOf(facts: DocumentFacts, sums: readonly TaxSum[]): EInvoiceDocument['totals'] {
  const { currency } = facts;
  const text = (amount: Decimal) => amountText(amount, currency);
  const net = sum(sums.map((each) => each.net));
  const tax = sum(sums.map((each) => each.tax));
  const rounding = facts.tax.minus(tax);
  const gross = net.plus(tax);
  const payable = facts.kind === 'CREDIT_NOTE' ? gross.plus(rounding) : facts.due;
  const prepaid = gross.plus(rounding).minus(payable);
  return {
    net: text(net),
    tax: text(tax),
    gross: text(gross),
    prepaid: text(prepaid),
    rounding: text(rounding),
    payable: text(payable),
  };
}
