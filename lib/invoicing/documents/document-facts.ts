import {
  type Account,
  type Invoice,
  InvoiceItemType,
  type ItemDiscount,
  itemTypes,
  type Seller,
  type TaxCategory,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_FRACTION_DIGITS } from '../../values/limits.ts';
import {
  type Currency,
  type Decimal,
  minorUnit,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { addDays, type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import { hasTaxReason } from '../invoices/tax-facts.ts';

/**
 * The category, rate and exemption of a TAX item (§14 rule 9). All fields are null if the item does not specify them.
 */
export interface ItemTax {
  readonly category: TaxCategory | null;
  /** The tax rate in percent. */
  readonly rate: Decimal | null;
  readonly exemption: string | null;
}

/** The amount and the unit price of a line before discounts. */
export interface ListedLine {
  readonly net: Decimal;
  readonly unitPrice: Decimal | null;
  readonly discounts: readonly ItemDiscount[];
}

/** A line of a document. Every item is a line, except account credit and taxes. */
export interface DocumentLine {
  readonly item: InvoiceItemView;
  readonly net: Decimal;
  /** The quantity. Quantity and unit price are both null if the item has no unit price. */
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  /** The line before discounts (coupons §4), or null if there are no discounts. */
  readonly list: ListedLine | null;
  /** The tax details of the line's TAX items. The list is empty if these items have no tax details. */
  readonly taxes: readonly ItemTax[];
}

/** The lines and taxes that share the same tax details. */
export interface TaxGroup extends ItemTax {
  /** Sum of the lines. */
  readonly net: Decimal;
  /** Sum of the taxes. */
  readonly tax: Decimal;
  /** Sum of the taxes on items that are not on the document. `net` does not include these items. */
  readonly unlinked: Decimal;
  /** The computed tax: net × rate, rounded to the currency, plus `unlinked`. Equals `tax` if there is no rate. */
  readonly computed: Decimal;
  /** The rounding difference: tax − computed. It arises because each line is rounded. */
  readonly difference: Decimal;
}

/**
 * An amount deducted from the gross amount: the amount of a credit note, or a credit without tax details on a taxed
 * invoice.
 */
export interface Deduction {
  /** The number of the credit note, or null for a credit item. */
  readonly noteNumber: string | null;
  /** The credit item, or null for a credit note. */
  readonly item: InvoiceItemView | null;
  /** The amount, below 0. */
  readonly amount: Decimal;
}

/** The content of an invoice or credit note, for pages, files and e-invoices. */
export interface DocumentFacts {
  readonly kind: 'INVOICE' | 'CREDIT_NOTE';
  readonly number: string;
  /** Issue date, as a local date of the account. */
  readonly issueDate: LocalDate;
  /** Due date. Null if there are no payment terms, or if the account owes nothing on this document. */
  readonly dueDate: LocalDate | null;
  /** Service period, from the first day to the day after the last one. The value is null if no line has a period. */
  readonly servicePeriod: { readonly start: LocalDate; readonly end: LocalDate } | null;
  /** The invoice that the credit note credits. */
  readonly credited: { readonly number: string; readonly issueDate: LocalDate } | null;
  readonly currency: Currency;
  readonly note: string | null;
  /** The seller's note for the country of the account, or null if the seller has no such note. */
  readonly sellerNote: string | null;
  readonly seller: Seller | null;
  readonly buyer: Account;
  readonly lines: readonly DocumentLine[];
  /**
   * The tax groups in the order of their first lines. The list is empty if no TAX item has tax details. In this case,
   * TAX items are lines.
   */
  readonly taxes: readonly TaxGroup[];
  readonly net: Decimal;
  readonly tax: Decimal;
  /** net + tax. */
  readonly gross: Decimal;
  /** Sum of the differences of all groups. */
  readonly roundingDifference: Decimal;
  readonly deductions: readonly Deduction[];
  /** Account credit of the invoice: negative if credit was used, positive if credit was added. */
  readonly accountCredit: Decimal;
  /** Payments less refunds and chargebacks; 0 for a credit note. */
  readonly paid: Decimal;
  /** The amount owed; 0 for a credit note. */
  readonly due: Decimal;
  /** True if the parent account pays the amount owed (§12). */
  readonly isPaidByParent: boolean;
}

export interface FactsInput {
  /** The invoice, with the items of the document. */
  readonly invoice: InvoiceView;
  readonly account: Account;
  readonly seller: Seller | null;
  /**
   * The items that the document's items refer to, and the TAX items of both groups of items. These items may be on
   * other invoices.
   */
  readonly linkedItems: readonly InvoiceItemView[];
  readonly note: CreditNoteView | null;
  /** The credit notes that document repairs and adjustments of the invoice. Empty by default. */
  readonly notes?: readonly CreditNoteView[];
  /** True if the parent account pays the invoice; defaults to false. */
  readonly isPaidByParent?: boolean;
}

const NO_TAX: ItemTax = { category: null, rate: null, exemption: null };

/** Returns the facts of a document. Pure. */
export function documentFacts(input: FactsInput): DocumentFacts {
  const { invoice, account, seller, note } = input;
  const { currency } = invoice;
  const noted = notedAmounts(input);
  const shown = documentItems(invoice.items, currency).filter(({ id }) => !noted.itemIds.has(id));
  const relations = relationsOf(input);
  const hasTaxFacts = shown.some((item) => relations.hasTaxFacts(item));
  const isTaxAmount = (item: InvoiceItemView) => hasTaxFacts && relations.taxOf(item) !== null;
  const isCharged = (item: InvoiceItemView) => !isAccountCredit(item) && !isTaxAmount(item);
  const taxesOf = hasTaxFacts ? relations.taxesOf : () => [];
  const all = shown.filter(isCharged).map((item) => lineOf(item, taxesOf(item)));
  const deducted = hasTaxFacts ? all.filter(isUntaxedCredit) : [];
  const lines = all.filter((line) => !deducted.includes(line));
  const credits = deducted.map(({ item, net: amount }) => ({ noteNumber: null, item, amount }));
  const taxItems = shown.filter(isTaxAmount);
  const taxes = hasTaxFacts ? groupsOf(lines, { items: invoice.items, taxItems, relations, currency }) : [];
  const net = sum(lines.map((line) => line.net));
  const tax = sum(taxItems.map(({ amount }) => amount));
  return {
    ...identityOf(input),
    servicePeriod: servicePeriodOf(lines, { isNote: note !== null }),
    currency,
    note: invoice.note,
    sellerNote: sellerNoteOf(seller, account.country),
    seller,
    buyer: account,
    lines,
    taxes,
    net,
    tax,
    gross: net.plus(tax),
    roundingDifference: sum(taxes.map(({ difference }) => difference)),
    deductions: [...noted.deductions, ...credits],
    accountCredit: sum(shown.filter(isAccountCredit).map(({ amount }) => amount)),
    ...(note === null ? { paid: paidAmountOf(invoice), due: invoice.balance } : { paid: ZERO, due: ZERO }),
    isPaidByParent: input.isPaidByParent ?? false,
  };
}

function isAccountCredit({ itemType }: InvoiceItemView): boolean {
  return itemTypes[itemType].kind === 'ACCOUNT_CREDIT';
}

/** Returns true for a credit without tax details. Such a credit pays part of the gross amount of a taxed invoice. */
function isUntaxedCredit({ item: { itemType }, taxes }: DocumentLine): boolean {
  return itemType === 'CREDIT_ADJ' && taxes.length === 0;
}

/**
 * Returns the items of an invoice that credit notes document, and the amount of each note (§14 rule 9). These items
 * are not lines of the invoice, so that the invoices minus the credit notes equal the charged amount.
 */
function notedAmounts({ invoice, note, notes = [] }: FactsInput) {
  const itemOf = new Map(invoice.items.map((item) => [item.id, item]));
  const itemIds = new Set<Uuid>();
  const deductions: Deduction[] = [];
  for (const each of note === null ? notes : []) {
    const noteNumber = each.formattedNumber ?? String(each.creditNoteNumber);
    if (each.reason === 'VOID') {
      // Voiding an invoice does not change its lines.
      if (each.invoiceId === invoice.id)
        deductions.push({ noteNumber, item: null, amount: ZERO.minus(each.amount) });
      continue;
    }
    const own = each.lines.flatMap(({ itemId }) => itemOf.get(itemId) ?? []);
    if (own.length === 0) continue;
    for (const { id } of own) itemIds.add(id);
    deductions.push({ noteNumber, item: null, amount: sum(own.map(({ amount }) => amount)) });
  }
  return { itemIds, deductions };
}

/** Returns the payments of an invoice less its refunds and chargebacks (§1.4 rule 4). */
export function paidAmountOf({ items, rawBalance }: Pick<InvoiceView, 'items' | 'rawBalance'>): Decimal {
  return sum(items.map(({ amount }) => amount)).minus(rawBalance);
}

function identityOf(input: FactsInput) {
  const { invoice, note } = input;
  const number = invoice.formattedNumber ?? String(invoice.invoiceNumber);
  const issueDate = issueDateOf(invoice);
  if (note === null)
    return { kind: 'INVOICE' as const, number, issueDate, dueDate: dueDateOf(input), credited: null };
  return {
    kind: 'CREDIT_NOTE' as const,
    number: note.formattedNumber ?? String(note.creditNoteNumber),
    issueDate: note.creditNoteDate,
    dueDate: null,
    credited: { number, issueDate },
  };
}

/** Returns the due date of an invoice that its account has to pay. Returns null for other invoices (§14 rule 7). */
function dueDateOf({ invoice, seller, isPaidByParent = false }: FactsInput): LocalDate | null {
  const terms = seller?.paymentTermsDays ?? null;
  // A DRAFT has a balance of 0, so the amount that it will charge determines whether it has a due date.
  const owed = invoice.status === 'DRAFT' ? invoice.rawBalance : invoice.balance;
  if (terms === null || isPaidByParent || !owed.greaterThan(0)) return null;
  return addDays(issueDateOf(invoice), terms);
}

/** Returns true if rounding can explain the tax difference. Rounding explains at most one minor unit per line. */
export function isRounding(
  difference: Decimal,
  { lines, currency }: Pick<DocumentFacts, 'lines' | 'currency'>,
): boolean {
  return difference.abs().lessThanOrEqualTo(minorUnit(currency).times(lines.length));
}

/** Returns the date on which the invoice was committed. For a DRAFT, returns its invoice date. */
export function issueDateOf({ commitDate, invoiceDate }: Pick<Invoice, 'commitDate' | 'invoiceDate'>) {
  return commitDate ?? invoiceDate;
}

function sellerNoteOf(seller: Seller | null, country: string | null): string | null {
  const notes = seller?.notes ?? {};
  const own = (country ?? '').toUpperCase();
  const key = Object.hasOwn(notes, own) ? own : '*';
  return (Object.hasOwn(notes, key) ? notes[key] : null) ?? null;
}

/** Returns the service period of the charges and, for a credit note, of the repairs. */
function servicePeriodOf(lines: readonly DocumentLine[], { isNote }: { readonly isNote: boolean }) {
  const periods = lines.flatMap(({ item: { itemType, startDate, endDate } }) => {
    const isCharge = itemTypes[itemType].kind === 'CHARGE';
    if (!isCharge && !(isNote && itemType === InvoiceItemType.REPAIR_ADJ)) return [];
    const isPeriod = startDate !== null && endDate !== null && startDate < endDate;
    return isPeriod ? [{ start: startDate, end: endDate }] : [];
  });
  const [first, ...more] = periods;
  if (first === undefined) return null;
  return more.reduce(
    (whole, { start, end }) => ({ start: minDate(whole.start, start), end: maxDate(whole.end, end) }),
    first,
  );
}

function lineOf(item: InvoiceItemView, taxes: readonly ItemTax[]): DocumentLine {
  return { item, net: item.amount, ...pricedQuantity(item), list: listedLine(item), taxes };
}

function listedLine({ amount, quantity, listRate, discounts }: InvoiceItemView): ListedLine | null {
  if (discounts === null || listRate === null) return null;
  const net = amount.plus(sum(discounts.map((each) => each.amount)));
  const hasQuantity = quantity !== null && !quantity.isZero();
  const unitPrice = hasQuantity ? listRate.dividedBy(quantity).toDecimalPlaces(MAX_FRACTION_DIGITS) : null;
  return { net, unitPrice, discounts };
}

/** Returns the quantity and the unit price. Both are null if the item has no unit price (§14 rule 8). */
function pricedQuantity({ quantity, unitPrice }: InvoiceItemView) {
  return unitPrice === null ? { quantity: null, unitPrice } : { quantity, unitPrice };
}

function hasFacts({ taxRate, taxCategory, taxExemption }: InvoiceItemView): boolean {
  return taxRate !== null || taxCategory !== null || taxExemption !== null;
}

function factsOf({ taxRate, taxCategory, taxExemption }: InvoiceItemView): ItemTax {
  return { category: taxCategory, rate: taxRate, exemption: taxExemption };
}

interface Relations {
  /** Returns true for a TAX item with tax details, and for an item taxed by such a TAX item. */
  hasTaxFacts(item: InvoiceItemView): boolean;
  /** Returns the tax details of a TAX item, or of the tax that an adjustment reduces. Returns null for other items. */
  taxOf(item: InvoiceItemView): ItemTax | null;
  /**
   * Returns the id of the taxed item, for a TAX item or for the tax that an adjustment reduces. Returns null if the
   * item does not refer to a taxed item.
   */
  taxedIdOf(item: InvoiceItemView): Uuid | null;
  /** Returns the tax facts of a line. */
  taxesOf(item: InvoiceItemView): readonly ItemTax[];
}

function relationsOf({ invoice, linkedItems, note }: FactsInput): Relations {
  const known = new Map([...linkedItems, ...invoice.items].map((item) => [item.id, item]));
  const isTax = ({ itemType }: InvoiceItemView) => itemType === InvoiceItemType.TAX;
  const taxItemsOf = Map.groupBy(
    known.values().filter((item) => isTax(item) && hasFacts(item)),
    ({ linkedItemId }) => linkedItemId,
  );
  const onDocument = new Set<Uuid | null>(invoice.items.map(({ id }) => id));
  const findLinkedItem = ({ linkedItemId }: InvoiceItemView) =>
    linkedItemId === null ? undefined : known.get(linkedItemId);
  const ownTaxesOf = (id: Uuid | null) => (taxItemsOf.get(id) ?? []).map(factsOf);
  const taxItemOf = (item: InvoiceItemView) => {
    const tax = isTax(item) ? item : findLinkedItem(item);
    return tax !== undefined && isTax(tax) ? tax : null;
  };
  const taxesOf = (item: InvoiceItemView) => {
    const own = ownTaxesOf(item.id);
    if (own.length > 0 || itemTypes[item.itemType].kind === 'CHARGE') return own;
    // A repair of a charge on another invoice has its own taxes, unless that charge was taxed at 0 (§14 rule 9).
    const ofCharge = ownTaxesOf(item.linkedItemId);
    const isHere = note !== null || onDocument.has(item.linkedItemId);
    return isHere || ofCharge.every(({ rate }) => rate === null || rate.isZero()) ? ofCharge : [];
  };
  return {
    hasTaxFacts: (item) => {
      const tax = taxItemOf(item);
      return tax === null ? taxesOf(item).length > 0 : hasFacts(tax);
    },
    taxOf: (item) => {
      const tax = taxItemOf(item);
      return tax === null ? null : factsOf(tax);
    },
    taxedIdOf: (item) => taxItemOf(item)?.linkedItemId ?? null,
    taxesOf,
  };
}

/** Returns the sums of lines and taxes that share the same tax details (§14 rule 9). */
function groupsOf(
  lines: readonly DocumentLine[],
  {
    items,
    taxItems,
    relations,
    currency,
  }: {
    /** The items, including lines with amount 0, which the document omits. */
    readonly items: readonly InvoiceItemView[];
    readonly taxItems: readonly InvoiceItemView[];
    readonly relations: Relations;
    readonly currency: Currency;
  },
): readonly TaxGroup[] {
  const sums = new Map<string, { facts: ItemTax; net: Decimal; tax: Decimal; unlinked: Decimal }>();
  const sumsOf = (facts: ItemTax) => {
    const { category, rate, exemption } = facts;
    const key = JSON.stringify([category, rate?.toFixed() ?? null, exemption]);
    const found = sums.get(key) ?? { facts, net: ZERO, tax: ZERO, unlinked: ZERO };
    sums.set(key, found);
    return found;
  };
  for (const { net, taxes } of lines) {
    for (const facts of taxes.length === 0 ? [NO_TAX] : taxes) {
      const group = sumsOf(facts);
      group.net = group.net.plus(net);
    }
  }
  const onLines = new Set(lines.flatMap(({ item: { id, linkedItemId } }) => [id, linkedItemId]));
  for (const { id, amount } of items) if (isZeroIn(amount, currency)) onLines.add(id);
  for (const item of taxItems) {
    const group = sumsOf(relations.taxOf(item) ?? NO_TAX);
    group.tax = group.tax.plus(item.amount);
    const taxedId = relations.taxedIdOf(item);
    if (taxedId === null || !onLines.has(taxedId)) group.unlinked = group.unlinked.plus(item.amount);
  }
  return [...sums.values()].map(({ facts, net, tax, unlinked }) => {
    const { rate } = facts;
    const ofLines = rate === null ? ZERO : roundToCurrency(net.times(rate).dividedBy(100), currency);
    const computed = rate === null ? tax : ofLines.plus(unlinked);
    return { ...facts, net, tax, unlinked, computed, difference: tax.minus(computed) };
  });
}

/**
 * Returns the items of a document in order (§14 rule 4). Merges all credits into one line and all account credit into
 * one line. Omits lines with amount 0, except taxes with a category or an exemption text.
 */
export function documentItems(
  items: readonly InvoiceItemView[],
  currency: Currency,
): readonly InvoiceItemView[] {
  const others = items.filter((item) => !isCredit(item));
  const merged = [InvoiceItemType.CREDIT_ADJ, InvoiceItemType.CBA_ADJ].flatMap((type) =>
    mergedItem(items, type),
  );
  const isShown = (item: InvoiceItemView) => hasTaxReason(item) || !isZeroIn(item.amount, currency);
  return [...others, ...merged].filter(isShown);
}

function isZeroIn(amount: Decimal, currency: Currency): boolean {
  return roundToCurrency(amount, currency).isZero();
}

/**
 * Returns one item with the sum of all items of the type. The item has the common description of these items or, if
 * their descriptions differ, the default description of the type.
 */
function mergedItem(items: readonly InvoiceItemView[], type: InvoiceItemType) {
  const [first, ...more] = items.filter(({ itemType }) => itemType === type);
  if (first === undefined) return [];
  if (more.length === 0) return [first];
  const isAlike = more.every(({ description }) => description === first.description);
  const [ofSeveral = first.description] = Object.keys(itemTypes[type].descriptions);
  const amount = sum([first, ...more].map((each) => each.amount));
  return [{ ...first, amount, description: isAlike ? first.description : ofSeveral }];
}

export function isCredit({ itemType }: Pick<InvoiceItemView, 'itemType'>): boolean {
  const { kind } = itemTypes[itemType];
  return kind === 'CREDIT' || kind === 'ACCOUNT_CREDIT';
}
