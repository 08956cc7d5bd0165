import { enumeration } from '../values/fields/index.ts';

interface ItemTypeMeaning {
  /**
   * Kind of the item. The customer owes a CHARGE. An ADJUSTMENT reduces the linked charge. A CREDIT is granted to the
   * account. ACCOUNT_CREDIT moves credit between the invoice and its account.
   */
  readonly kind: 'CHARGE' | 'ADJUSTMENT' | 'CREDIT' | 'ACCOUNT_CREDIT';
  readonly sign: 'NOT_NEGATIVE' | 'NOT_POSITIVE' | 'NEGATIVE' | 'ANY';
  /** The invoice sum that includes the item (invoicing §1.4 rules 1 and 2). */
  readonly sum: 'amount' | 'creditAdj';
  /**
   * True if the item charges a price of the plan. Such an item moves the charged-through date, and documents name its
   * plan.
   */
  readonly chargesPlan: boolean;
  /**
   * True if the item charges for a period. In that case, later runs use the target date of the item's invoice or a
   * later date (invoicing §1.5).
   */
  readonly recurs: boolean;
  /** True if the item has coverage rows. Later runs compare these rows with their proposals (invoicing §6). */
  readonly coversDays: boolean;
  /** True if the item can be adjusted, including by a refund (invoicing §9 rule 4, payments §9.5). */
  readonly adjustable: boolean;
  readonly addedByRuns: boolean;
  /** True if users may add the item. Its references are not checked. To add an ITEM_ADJ, users adjust an item. */
  readonly addedByPeople: boolean;
  /** True if invoice plugins may add the item and change its stored amount (invoicing §13 rules 3 and 5). */
  readonly addedByPlugins: boolean;
  /**
   * Descriptions that the engine writes, with their text keys in documents. The first is the default for items that
   * users add.
   */
  readonly descriptions: Readonly<Record<string, string>>;
}

/**
 * The properties of each item type. Items with equal start dates are returned in the order of these types (invoicing
 * §1.3).
 */
export const itemTypes = {
  EXTERNAL_CHARGE: {
    kind: 'CHARGE',
    sign: 'NOT_NEGATIVE',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: true,
    addedByRuns: false,
    addedByPeople: true,
    addedByPlugins: true,
    descriptions: { 'External charge': 'itemExternalCharge' },
  },
  FIXED: {
    kind: 'CHARGE',
    sign: 'NOT_NEGATIVE',
    sum: 'amount',
    chargesPlan: true,
    recurs: false,
    coversDays: true,
    adjustable: true,
    addedByRuns: true,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {},
  },
  RECURRING: {
    kind: 'CHARGE',
    sign: 'NOT_NEGATIVE',
    sum: 'amount',
    chargesPlan: true,
    recurs: true,
    coversDays: true,
    adjustable: true,
    addedByRuns: true,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {},
  },
  REPAIR_ADJ: {
    kind: 'ADJUSTMENT',
    sign: 'NOT_POSITIVE',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: false,
    addedByRuns: true,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {
      'Adjustment (subscription change)': 'itemRepair',
      'Adjustment (usage)': 'itemUsageRepair',
    },
  },
  CBA_ADJ: {
    kind: 'ACCOUNT_CREDIT',
    sign: 'ANY',
    sum: 'creditAdj',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: false,
    addedByRuns: false,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {},
  },
  CREDIT_ADJ: {
    kind: 'CREDIT',
    sign: 'NOT_POSITIVE',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: false,
    addedByRuns: false,
    addedByPeople: true,
    addedByPlugins: true,
    descriptions: { 'Invoice adjustment': 'itemCredit' },
  },
  ITEM_ADJ: {
    kind: 'ADJUSTMENT',
    sign: 'NEGATIVE',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: false,
    addedByRuns: false,
    addedByPeople: false,
    addedByPlugins: true,
    descriptions: { 'Invoice item adjustment': 'itemAdjustment' },
  },
  USAGE: {
    kind: 'CHARGE',
    sign: 'NOT_NEGATIVE',
    sum: 'amount',
    chargesPlan: true,
    recurs: true,
    coversDays: false,
    adjustable: true,
    addedByRuns: true,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {},
  },
  TAX: {
    kind: 'CHARGE',
    sign: 'NOT_NEGATIVE',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: true,
    addedByRuns: false,
    addedByPeople: true,
    addedByPlugins: true,
    descriptions: { Tax: 'itemTax' },
  },
  PARENT_SUMMARY: {
    kind: 'CHARGE',
    sign: 'ANY',
    sum: 'amount',
    chargesPlan: false,
    recurs: false,
    coversDays: false,
    adjustable: true,
    addedByRuns: false,
    addedByPeople: false,
    addedByPlugins: false,
    descriptions: {},
  },
} as const satisfies Readonly<Record<string, ItemTypeMeaning>>;

export type InvoiceItemType = keyof typeof itemTypes;

const names = Object.keys(itemTypes) as readonly InvoiceItemType[];

export const InvoiceItemType = enumeration(...names);

type Trait = {
  [Column in keyof ItemTypeMeaning]: ItemTypeMeaning[Column] extends boolean ? Column : never;
}[keyof ItemTypeMeaning];

/** Returns the item types that have the given property, in output order. */
export function itemTypesWith(trait: Trait): readonly InvoiceItemType[] {
  return names.filter((name) => itemTypes[name][trait]);
}

/** The item types that users may add directly. */
export type ManualItemType = {
  [Name in InvoiceItemType]: (typeof itemTypes)[Name]['addedByPeople'] extends true ? Name : never;
}[InvoiceItemType];
