import type { ModelTexts } from './model-text.ts';

/** Of the interface by which products and plans are added one by one. */
export const catalogEntryModels: ModelTexts = {
  CatalogInputData: {
    about: 'Plans and products to be added to the catalog',
    properties: {
      catalogName: 'Name of the catalog',
      plans: 'Plans to be added; one at least',
      products: 'Products to be added',
    },
  },
  CatalogInfo: {
    about: 'Where the catalog of the tenant comes from',
    properties: { state: 'Entries or a plugin, an XML catalog, or nothing yet' },
  },
  ProductData: {
    about: 'A product that was added by itself',
    properties: {
      name: 'Name of the product',
      category: 'Whether it is sold by itself, as an add-on, or outside of any bundle',
      availableForBps: 'Of an add-on: base products that it may be bought with',
      availableAddons: 'Of a base product: add-ons that may be bought with it',
      retiredDate: 'When it was retired; empty: it is not',
    },
  },
  PlanData: {
    about: 'A plan that was added by itself',
    properties: {
      name: 'Name of the plan',
      recurringBillingMode: 'When it is billed; only `IN_ADVANCE` is taken',
      effectiveDate: 'From when on it is sold, a day or a moment',
      effectiveDateForExistingSubscriptions:
        'From when on its prices hold for those who have it already; empty: never',
      productName: 'Product that it sells',
      pricelistName: 'Price list that it is on; a new one is added to the catalog',
      retired: 'Whether it is not sold any more',
      phases: 'Phases in their order',
    },
  },
  PhaseData: {
    about: 'A phase of a plan',
    properties: {
      type: 'Whether it is a trial, a discount, of fixed length, or without end',
      durationUnit: 'Unit of its length',
      durationLength: 'How long it takes; -1 with `UNLIMITED`',
      fixedPrices: 'Prices that are charged once',
      recurringPrices: 'Prices of a billing period; absent where nothing recurs',
      usages: 'Prices of what is used',
    },
  },
  RecurringPriceData: {
    about: 'Prices of a billing period',
    properties: { prices: 'Prices by currency' },
  },
  PriceData: {
    about: 'A price in a currency',
    properties: {
      currency: 'Currency of the price',
      value: 'The price as text, in answers with nine fractional digits',
    },
  },
  UsageData: {
    about: 'What is charged for use',
    properties: {
      usageName: 'Name of the usage section',
      usageType: 'What is counted; only `CONSUMABLE` is taken',
      tiers: 'Tiers, the lowest first',
    },
  },
  TierData: {
    about: 'A tier of a usage section',
    properties: { tierNumber: 'Number of the tier', blocks: 'Blocks that it prices' },
  },
  BlockData: {
    about: 'Blocks of a unit in a tier',
    properties: {
      billingMeterCode: 'Name of the unit',
      size: 'How many units make a block',
      max: 'How many blocks the tier takes; -1: any number',
      prices: 'Prices of a block',
    },
  },
};
