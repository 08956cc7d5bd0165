import {
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  itemTypes,
  itemTypesWith,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, MalformedAnswer } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { checkCurrency, checkPeriod, checkTexts } from '../invoices/manual-items.ts';
import {
  defaultDescription,
  isAdjustable,
  isTaxOfRepair,
  type NewInvoiceItem,
  plainItem,
} from '../invoices/new-item.ts';
import { declaredTaxProblem, type TaxedItem, taxFactsProblem } from '../invoices/tax-facts.ts';
import { type ClaimedItem, pluginAnswerError } from './plugin-claims.ts';

/**
 * A new item for another invoice. If `invoiceId` is null, the item is added to the invoice of the item that it
 * adjusts.
 */
export interface ItemElsewhere {
  readonly invoiceId: Uuid | null;
  readonly item: NewInvoiceItem;
}

/** An invoice about which plugins are consulted, with the changes of previous plugins. */
export interface ConsultedInvoice {
  readonly invoiceId: Uuid;
  readonly currency: Currency;
  /** New items of the invoice, without account credit. */
  readonly items: readonly NewInvoiceItem[];
  /** Stored items of the invoice, with the changes of previous plugins. */
  readonly existing: readonly InvoiceItem[];
  /** True if the invoice is committed, so that its stored items do not change (§1.6 rule 6). Defaults to false. */
  readonly isFixed?: boolean;
  /** Ids of account credit items. Credit is computed again, so changes to these items are ignored. */
  readonly creditIds: ReadonlySet<Uuid>;
  readonly elsewhere: readonly ItemElsewhere[];
  /** The note that a plugin set. Absent means unchanged; empty means no note. */
  readonly note?: string;
  /** The ids that plugins have chosen for new items. Each id may be used once. */
  readonly chosenIds: readonly { readonly id: Uuid; readonly pluginName: string }[];
}

interface ItemsContext {
  readonly pluginName: string;
  /** Default date of items. */
  readonly date: LocalDate;
  readonly nextItemId: () => Uuid;
}

/**
 * Adds and changes the items that a plugin returned (§13 rules 3 to 5). A known id changes that item; any other id
 * adds an item. Items of other invoices are checked later, under the lock. `passedOver` names the ignored changes,
 * for a warning.
 * @throws BillingError INVOICE_ITEM_TYPE_INVALID (4022); CURRENCY_INVALID (3); for amounts 4015, 4009, 4010, and 4020
 * beyond the remainder of an item; INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), INVOICE_ITEM_NOT_FOUND (4011);
 * INVOICE_INVALID_DATE_SEQUENCE (4004), MISSING_OR_INVALID_FIELD (60003). MalformedAnswer.
 */
export function withAdditionalItems(
  invoice: ConsultedInvoice,
  claims: readonly ClaimedItem[],
  context: ItemsContext,
) {
  const passedOver: string[] = [];
  const named = claims.flatMap(({ id }) => id ?? []);
  if (new Set(named).size < named.length) throw new MalformedAnswer('returned the same item twice');
  let after = invoice;
  for (const claim of claims) {
    checkTexts(claim);
    checkCurrency(claim.currency, invoice.currency);
    const known = after.items.find(({ id }) => id === claim.id);
    const stored = after.existing.find(({ id }) => id === claim.id);
    if (known !== undefined) {
      passedOver.push(...otherDifferences(known, claim, invoice.invoiceId));
      after = withChange(after, known, { claim, pluginName: context.pluginName });
    } else if (stored !== undefined) after = withRewriting(after, stored, claim);
    else if (claim.id === null || !invoice.creditIds.has(claim.id)) after = withNew(after, claim, context);
  }
  if (claims.length > 0) checkDeclaredTaxes(after, invoice);
  return { invoice: after, passedOver };
}

/**
 * Compares the amounts of new and changed taxes with their rates (§14 rule 9).
 * @throws MalformedAnswer if they differ.
 */
function checkDeclaredTaxes({ items, existing, currency }: ConsultedInvoice, before: ConsultedInvoice): void {
  const all = [...existing, ...items];
  const byId = new Map(all.map((item) => [item.id, item]));
  const reductions = Map.groupBy(all.filter(isReduction), ({ linkedItemId }) => linkedItemId);
  const findTaxedItem = (id: Uuid): TaxedItem | undefined => {
    const item = byId.get(id);
    if (item === undefined) return undefined;
    if (item.itemType === InvoiceItemType.REPAIR_ADJ) return { amount: item.amount, left: ZERO };
    const reduced = sum((reductions.get(id) ?? []).map(({ amount }) => amount));
    return { amount: item.amount, left: item.amount.plus(reduced) };
  };
  const unchanged = new Set(before.existing);
  const rewritten = existing.filter((item) => !unchanged.has(item));
  const others = existing.filter((item) => unchanged.has(item));
  const problem = declaredTaxProblem([...items, ...rewritten], findTaxedItem, { currency, others });
  if (problem !== null) throw new MalformedAnswer(`returned an item that ${problem}`);
}

function isReduction({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemType === InvoiceItemType.ITEM_ADJ || itemType === InvoiceItemType.REPAIR_ADJ;
}

/** Applies a plugin's changes to the fields of a known item that plugins may change (rule 3). */
function withChange(
  invoice: ConsultedInvoice,
  known: NewInvoiceItem,
  { claim, pluginName }: { readonly claim: ClaimedItem; readonly pluginName: string },
): ConsultedInvoice {
  const amount = changedAmount(known, claim, invoice);
  const changed: NewInvoiceItem = {
    ...known,
    ...changedMembers(known, claim, amount),
    ...(keepsRate(known) ? { rate: known.rate } : {}),
    ...(keepsDetails(known) ? { itemDetails: known.itemDetails } : {}),
    ...(amount.equals(known.amount) ? {} : { basis: changedBasis(known, pluginName) }),
  };
  const items = invoice.items.map((item) => (item === known ? changed : item));
  return withLessOf({ ...invoice, items }, known, known.amount.minus(amount));
}

function changedAmount(
  item: Pick<InvoiceItem, 'id' | 'itemType' | 'linkedItemId' | 'amount'>,
  { amount }: ClaimedItem,
  invoice: ConsultedInvoice,
): Decimal {
  if (amount === null) return item.amount;
  const given = roundToCurrency(amount, invoice.currency);
  const taxed = repairTaxedBy(item, invoice);
  const rounded = taxed === null ? checkedAmount(item.itemType, given) : taxOfRepair(given, taxed);
  const isRepair = item.itemType === InvoiceItemType.REPAIR_ADJ;
  if (!isRepair || rounded.greaterThanOrEqualTo(item.amount)) return rounded;
  throw moreThanRemains(item.id, rounded.negated(), item.amount.negated());
}

type ChangeableItem = Pick<
  InvoiceItem,
  | 'id'
  | 'itemType'
  | 'amount'
  | 'repairable'
  | 'description'
  | 'rate'
  | 'listRate'
  | 'discounts'
  | 'quantity'
  | 'itemDetails'
  | 'taxRate'
  | 'taxCategory'
  | 'taxExemption'
>;

/** Returns the fields that a plugin may change. The remainder changes together with the amount. */
function changedMembers(item: ChangeableItem, claim: ClaimedItem, amount: Decimal) {
  const difference = amount.minus(item.amount);
  const isLeft = difference.isZero() || !isAdjustable(item) || isTaxOfRepair(item);
  const repairable = isLeft ? item.repairable : item.repairable.plus(difference);
  if (!isLeft && repairable.lessThan(0))
    throw moreThanRemains(item.id, difference.negated(), item.repairable);
  return {
    amount,
    repairable,
    description: claim.description ?? item.description,
    rate: claim.rate ?? item.rate,
    // The discounts add up to the engine's amount, not to the amount of a plugin.
    ...(difference.isZero() ? {} : { listRate: null, discounts: null }),
    quantity: claim.quantity ?? item.quantity,
    itemDetails: claim.itemDetails ?? item.itemDetails,
    ...changedTaxFacts(item, claim, amount),
  };
}

/**
 * Returns the tax details of a TAX item after a plugin's changes (§14 rule 9).
 * @throws MalformedAnswer if they are invalid.
 */
function changedTaxFacts(item: ChangeableItem, claim: ClaimedItem, amount: Decimal) {
  const facts = {
    taxRate: claim.taxRate ?? item.taxRate,
    taxCategory: claim.taxCategory ?? item.taxCategory,
    taxExemption: (claim.taxExemption ?? item.taxExemption) || null,
  };
  checkClaimedFacts(item.itemType, { ...facts, amount });
  return facts;
}

function checkClaimedFacts(
  itemType: InvoiceItemType,
  facts: Pick<ClaimedItem, 'amount' | 'taxRate' | 'taxCategory' | 'taxExemption'>,
): void {
  const problem = taxFactsProblem(itemType, facts);
  if (problem !== null) throw new MalformedAnswer(`returned an item that ${problem}`);
}

/** Rewrites a stored item as a plugin requested (§13 rule 5). */
function withRewriting(invoice: ConsultedInvoice, stored: InvoiceItem, claim: ClaimedItem): ConsultedInvoice {
  if (invoice.isFixed === true || !itemTypes[stored.itemType].addedByPlugins) return invoice;
  const amount = changedAmount(stored, claim, invoice);
  if (amount.equals(stored.amount)) return invoice;
  const rewritten: InvoiceItem = { ...stored, ...changedMembers(stored, claim, amount) };
  const existing = invoice.existing.map((item) => (item === stored ? rewritten : item));
  return withLessOf({ ...invoice, existing }, stored, stored.amount.minus(amount));
}

function withNew(invoice: ConsultedInvoice, claim: ClaimedItem, context: ItemsContext): ConsultedInvoice {
  if (claim.id !== null && invoice.chosenIds.some(({ id }) => id === claim.id)) throw idInUse(claim.id);
  const item = newItem(claim, invoice, context);
  const after: ConsultedInvoice =
    claim.id === null
      ? invoice
      : { ...invoice, chosenIds: [...invoice.chosenIds, { id: claim.id, pluginName: context.pluginName }] };
  if (item.itemType === InvoiceItemType.ITEM_ADJ) return withAdjustment(after, item, claim.invoiceId);
  const isElsewhere = claim.invoiceId !== null && claim.invoiceId !== invoice.invoiceId;
  return isElsewhere
    ? { ...after, elsewhere: [...after.elsewhere, { invoiceId: claim.invoiceId, item }] }
    : { ...after, items: [...after.items, item] };
}

/** Checks that an adjustment does not exceed the remainder of its item (rule 4). */
function withAdjustment(
  invoice: ConsultedInvoice,
  item: NewInvoiceItem,
  invoiceId: Uuid | null,
): ConsultedInvoice {
  const { linkedItemId } = item;
  if (linkedItemId === null) {
    const message = `The ITEM_ADJ item ${item.id} does not name the item that it adjusts`;
    throw billingError(ErrorCode.INVOICE_ITEM_NOT_FOUND, message, { invoiceItemId: item.id });
  }
  const known = [...invoice.items, ...invoice.existing].find(({ id }) => id === linkedItemId);
  if (known === undefined && !invoice.creditIds.has(linkedItemId)) {
    return { ...invoice, elsewhere: [...invoice.elsewhere, { invoiceId, item }] };
  }
  if (known === undefined || !isAdjustable(known)) {
    const message = `Invoice item ${linkedItemId} is of a type that cannot be adjusted`;
    throw billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID, message, {
      invoiceItemId: linkedItemId,
    });
  }
  if (invoiceId !== null && invoiceId !== invoice.invoiceId) {
    const message = `Invoice item ${linkedItemId} is not on invoice ${invoiceId}, so an adjustment on that invoice cannot refer to it`;
    throw billingError(ErrorCode.INVOICE_ITEM_NOT_FOUND, message, { invoiceItemId: linkedItemId, invoiceId });
  }
  return withLessOf({ ...invoice, items: [...invoice.items, item] }, item, item.amount.negated());
}

function withLessOf(
  invoice: ConsultedInvoice,
  { itemType, linkedItemId }: Pick<InvoiceItem, 'itemType' | 'linkedItemId'>,
  amount: Decimal,
): ConsultedInvoice {
  if (itemType !== InvoiceItemType.ITEM_ADJ || amount.isZero()) return invoice;
  const lessOf = <I extends Pick<InvoiceItem, 'id' | 'repairable'>>(item: I): I => {
    if (item.id !== linkedItemId) return item;
    const repairable = item.repairable.minus(amount);
    if (repairable.lessThan(0)) throw moreThanRemains(item.id, amount, item.repairable);
    return { ...item, repairable };
  };
  return { ...invoice, items: invoice.items.map(lessOf), existing: invoice.existing.map(lessOf) };
}

function newItem(claim: ClaimedItem, invoice: ConsultedInvoice, context: ItemsContext): NewInvoiceItem {
  const { itemType, id, invoiceId: _, currency: __, ...members } = claim;
  const { currency } = invoice;
  if (itemType === null || !itemTypes[itemType].addedByPlugins) throw notAddable(itemType);
  checkPeriod(claim);
  checkClaimedFacts(itemType, claim);
  const given = claim.amount && roundToCurrency(claim.amount, currency);
  const repair = repairTaxedBy(claim, invoice);
  const amount = repair === null ? checkedAmount(itemType, given) : taxOfRepair(given, repair);
  const isCharge = itemTypes[itemType].kind === 'CHARGE';
  const startDate = claim.startDate ?? context.date;
  return plainItem({
    ...members,
    id: id ?? context.nextItemId(),
    itemType,
    amount,
    repairable: isCharge && repair === null ? amount : ZERO,
    description: claim.description || defaultDescription(itemType, claim.planName),
    taxExemption: claim.taxExemption || null,
    startDate,
    endDate: claim.endDate ?? (isCharge ? null : startDate),
    basis: { kind: 'PLUGIN', pluginName: context.pluginName, changed: null, given: null },
  });
}

/** Returns the repair to which a TAX item applies. Returns null if the tax applies to any other item. */
function repairTaxedBy(
  { itemType, linkedItemId }: Pick<ClaimedItem, 'itemType' | 'linkedItemId'>,
  { items, existing }: ConsultedInvoice,
) {
  if (itemType !== InvoiceItemType.TAX || linkedItemId === null) return null;
  const taxed = [...items, ...existing].find(({ id }) => id === linkedItemId);
  return taxed?.itemType === InvoiceItemType.REPAIR_ADJ ? taxed : null;
}

/**
 * Returns the amount of the tax on a repair. It is at most 0, and its size never exceeds the repaired amount (§13 rule
 * 3).
 */
function taxOfRepair(amount: Decimal | null, repair: Pick<InvoiceItem, 'id' | 'amount'>): Decimal {
  if (amount === null || amount.greaterThan(0) || amount.lessThan(repair.amount)) {
    const shown = { amount: amount && formatDecimal(amount), repaired: formatDecimal(repair.amount) };
    const message = `The tax of repair ${repair.id} must be between ${shown.repaired} and 0, and is ${shown.amount ?? 'missing'}`;
    throw billingError(ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID, message, shown);
  }
  return amount.isZero() ? ZERO : amount;
}

/**
 * Returns the basis of a changed item. If several plugins change the item, the basis names the last plugin and the
 * computed amount.
 */
function changedBasis({ basis, amount }: NewInvoiceItem, pluginName: string): ItemBasis {
  if (basis?.kind === 'PLUGIN') return { ...basis, pluginName };
  return { kind: 'PLUGIN', pluginName, changed: basis ?? null, given: basis === undefined ? amount : null };
}

/**
 * Returns true if the item must keep its rate. Later runs identify a billed recurring charge of a plan by its rate
 * (§6).
 */
function keepsRate({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemType === InvoiceItemType.RECURRING;
}

/**
 * Returns true if the item must keep its details. The details of a usage item list the billed lines, on which later
 * runs build (usage §7.3).
 */
function keepsDetails({ basis }: NewInvoiceItem): boolean {
  const computed = basis?.kind === 'PLUGIN' ? basis.changed : basis;
  return computed?.kind === 'USAGE';
}

const fixedMembers = [
  'itemType',
  'linkedItemId',
  'startDate',
  'endDate',
  'bundleId',
  'subscriptionId',
  'productName',
  'planName',
  'phaseName',
  'usageName',
] as const;

function otherDifferences(known: NewInvoiceItem, claim: ClaimedItem, invoiceId: Uuid) {
  const members = fixedMembers.filter((name) => claim[name] !== null && claim[name] !== known[name]);
  const moved = claim.invoiceId !== null && claim.invoiceId !== invoiceId ? ['invoiceId'] : [];
  const isOtherRate = keepsRate(known) && claim.rate !== null && !known.rate?.equals(claim.rate);
  const { itemDetails } = claim;
  const changesDetails = keepsDetails(known) && itemDetails !== null && itemDetails !== known.itemDetails;
  const kept = [...(isOtherRate ? ['rate'] : []), ...(changesDetails ? ['itemDetails'] : [])];
  return [...members, ...moved, ...kept].map((name) => `${name} of item ${known.id}`);
}

function notAddable(itemType: InvoiceItemType | null): BillingError {
  const addable = itemTypesWith('addedByPlugins')
    .join(', ')
    .replace(/, (?=\w+$)/, ' or ');
  return billingError(
    ErrorCode.INVOICE_ITEM_TYPE_INVALID,
    `An item of type ${itemType ?? 'none'} cannot be added; a new item must be ${addable}`,
    { itemType },
  );
}

function moreThanRemains(id: Uuid, amount: Decimal, remaining: Decimal): BillingError {
  const shown = { amount: formatDecimal(amount), remaining: formatDecimal(remaining) };
  const message = `${shown.amount} is more than the ${shown.remaining} that remains of invoice item ${id}`;
  const facts = { invoiceItemId: id, ...shown };
  return billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID, message, facts);
}

/**
 * Checks the sign of an item's amount (§1.3).
 * @throws BillingError INVOICE_CREDIT_AMOUNT_INVALID (4009) for a CREDIT_ADJ,
 * INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE (4010) for an adjustment, otherwise
 * INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID (4015).
 */
function checkedAmount(itemType: InvoiceItemType, amount: Decimal | null): Decimal {
  const problem = amount === null ? 'needs an amount' : signProblem(itemType, amount);
  if (amount !== null && problem === null) return amount.isZero() ? ZERO : amount;
  const shown = amount === null ? '' : ` of ${formatDecimal(amount)}`;
  throw billingError(
    amountCodes[itemTypes[itemType].kind],
    `An item of type ${itemType}${shown} ${problem}`,
    {
      itemType,
      amount: amount && formatDecimal(amount),
    },
  );
}

function signProblem(itemType: InvoiceItemType, amount: Decimal): string | null {
  switch (itemTypes[itemType].sign) {
    case 'NEGATIVE':
      return amount.lessThan(0) ? null : 'is invalid: its amount must be less than 0';
    case 'NOT_POSITIVE':
      return amount.greaterThan(0) ? 'is invalid: its amount must be at most 0' : null;
    case 'NOT_NEGATIVE':
      return amount.lessThan(0) ? 'is invalid: its amount must be at least 0' : null;
    case 'ANY':
      return null;
  }
}

const amountCodes = {
  CREDIT: ErrorCode.INVOICE_CREDIT_AMOUNT_INVALID,
  ADJUSTMENT: ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE,
  CHARGE: ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID,
  ACCOUNT_CREDIT: ErrorCode.INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID,
};

/**
 * Item ids that plugins cannot choose for new items (§13 rule 3). They are the ids of stored items and of the new items
 * on the added invoices.
 */
export class ReservedIds {
  readonly #ids: Set<Uuid>;

  constructor(stored: Iterable<Uuid>) {
    this.#ids = new Set(stored);
  }

  /**
   * Adds the ids of the invoice's new items.
   * @throws BillingError INVOICE_ITEM_NOT_FOUND (4011) if an id chosen by a plugin is already used.
   */
  add({
    items,
    elsewhere,
    chosenIds,
  }: Pick<ConsultedInvoice, 'chosenIds'> & {
    readonly items: readonly { readonly id: Uuid }[];
    readonly elsewhere: readonly { readonly item: { readonly id: Uuid } }[];
  }): void {
    const clash = chosenIds.find(({ id }) => this.#ids.has(id));
    if (clash !== undefined) throw pluginAnswerError(clash.pluginName, idInUse(clash.id));
    for (const { id } of items) this.#ids.add(id);
    for (const { item } of elsewhere) this.#ids.add(item.id);
  }
}

function idInUse(id: Uuid): BillingError {
  const message = `A new item cannot have the id ${id}, because an item of another invoice has it`;
  return billingError(ErrorCode.INVOICE_ITEM_NOT_FOUND, message, { invoiceItemId: id });
}
