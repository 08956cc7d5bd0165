import type { ModelTexts } from './model-text.ts';

const priceTerms = {
  oldBlockSize: 'How many units make a block now',
  newBlockSize: 'How many units would make a block',
  oldMax: 'How much the tier takes now',
  newMax: 'How much the tier would take',
  oldTierBlockPolicy: 'How tiers are priced now',
  newTierBlockPolicy: 'How tiers would be priced',
};

export const catalogModels: ModelTexts = {
  Catalog: {
    about: 'One version of the catalog: what is sold from a date on',
    properties: {
      name: 'Name of the catalog',
      effectiveDate: 'From when on the version is in force',
      currencies: 'Currencies that it has prices in',
      units: 'Units of what is used',
      products: 'Products with their plans',
      priceLists: 'Price lists, the default one first',
      rules: 'Cases of each rule, the first that matches holds',
    },
  },
  Unit: { about: 'A unit of what is used', properties: { name: 'Name of the unit' } },
  Product: {
    about: 'What is sold',
    properties: {
      type: 'Whether it is sold by itself, as an add-on, or outside of any bundle',
      name: 'Name of the product',
      plans: 'Plans by which it is sold',
      included: 'Add-ons that come with it',
      available: 'Add-ons that may be bought with it',
    },
  },
  Plan: {
    about: 'How a product is sold: phases and prices',
    properties: {
      name: 'Name of the plan',
      recurringBillingMode: 'Whether it is billed at the beginning or at the end of a period',
      billingPeriod: 'Billing period of its last phase',
      phases: 'Phases in their order',
      product: 'Product that it sells',
      priceList: 'First price list that has it',
      plansAllowedInBundle: 'How many subscriptions of the plan a bundle takes; -1: any number',
      effectiveDateForExistingSubscriptions: 'From when on its prices hold for those who have it already',
    },
  },
  Phase: {
    about: 'A stretch of a plan with prices of its own',
    properties: {
      type: 'Whether it is a trial, a discount, of fixed length, or without end',
      prices: 'Prices of a billing period',
      fixedPrices: 'Prices that are charged once',
      duration: 'How long it takes',
      usages: 'Prices of what is used',
      name: 'Name of the phase',
      recurringBillingPeriod: 'Billing period of the phase; null: nothing recurs',
    },
  },
  Duration: {
    about: 'A length of time',
    properties: { unit: 'Unit of time', number: 'How many; -1 with `UNLIMITED`' },
  },
  Usage: {
    about: 'A usage section: what is charged for use',
    properties: {
      tiers: 'Tiers, the lowest first',
      name: 'Name of the section',
      billingMode: 'Whether it is billed at the beginning or at the end of a period',
      limits: 'Bounds on what may be used',
      blocks: 'Blocks, where there are no tiers',
    },
  },
  Tier: {
    about: 'A tier of a usage section',
    properties: {
      blocks: 'Blocks that it prices',
      limits: 'Peaks that fall into it',
      fixedPrice: 'Prices that are charged once',
      recurringPrice: 'Prices of a billing period',
    },
  },
  TieredBlock: {
    about: 'Blocks of a unit in a tier',
    properties: {
      unit: 'Name of the unit',
      size: 'How many units make a block, as text',
      max: 'How many blocks the tier takes, as text; -1: any number',
      prices: 'Prices of a block',
    },
  },
  Block: {
    about: 'Blocks of a unit outside of tiers',
    properties: {
      type: 'Whether blocks are charged as they are used, or bought ahead',
      unit: 'Name of the unit',
      size: 'How many units make a block, as text',
      prices: 'Prices of a block',
      minTopUpCredit: 'How much of a block may be left when the next one is bought, as text',
    },
  },
  Limit: {
    about: 'Bounds on what may be used of a unit',
    properties: {
      unit: 'Name of the unit',
      max: 'The most, as text; -1: none',
      min: 'The least, as text; -1: none',
    },
  },
  Price: {
    about: 'A price in a currency',
    properties: { currency: 'Currency of the price', value: 'The price' },
  },
  PriceList: {
    about: 'Plans that are sold together',
    properties: { name: 'Name of the price list', plans: 'Names of its plans' },
  },
  PlanDetail: {
    about: 'A plan that can be bought now, on a price list',
    properties: {
      product: 'Name of the product',
      plan: 'Name of the plan',
      priceList: 'Name of the price list',
      finalPhaseBillingPeriod: 'Billing period of its last phase',
      finalPhaseRecurringPrice: 'Prices of its last phase',
    },
  },
  SimplePlan: {
    about: 'A plan with one recurring price, or a price in one more currency for it',
    properties: {
      planId: 'Name of the plan',
      productName: 'Product that it sells; a new one is added to the catalog',
      amount: 'Price of a billing period',
      currency: 'Currency of the price',
      trialLength: 'How long a free trial takes; 0: there is none',
      trialTimeUnit: 'Unit of the length of the trial',
      availableBaseProducts: 'Of an add-on: base products that it may be bought with',
    },
  },
  CatalogValidation: {
    about: 'What is wrong with a catalog',
    properties: {
      catalogValidationErrors: 'Why it would be refused; empty: it would not be',
      catalogValidationWarnings: 'What is allowed and probably not meant',
    },
  },
  CatalogValidationError: {
    about: 'Why a catalog would be refused',
    properties: { errorDescription: 'What is wrong, and where' },
  },
  CatalogValidationWarning: {
    about: 'What of a catalog is probably not meant',
    properties: { warningDescription: 'What it is, and where' },
  },
  CatalogChangeReport: {
    about: 'What an upload of a catalog would change for those who are subscribed',
    properties: {
      catalogValidationErrors: 'Why it would be refused; empty: it would not be',
      catalogValidationWarnings: 'What is allowed and probably not meant',
      priceChanges: 'Prices that would change, by subscription',
      unbillableAccounts: 'Accounts that could not be billed any more, the first of them',
      unbillableAccountCount: 'How many accounts that is, in all',
      subscriptions: 'How many live subscriptions were looked at',
      changedSubscriptions: 'How many of them would have another price',
    },
  },
  CatalogChangeReportError: {
    about: 'Why a catalog would be refused',
    properties: { errorDescription: 'What is wrong, and where' },
  },
  CatalogChangeReportWarning: {
    about: 'What of a catalog is probably not meant',
    properties: { warningDescription: 'What it is, and where' },
  },
  UnbillableAccount: {
    about: 'An account that could not be billed any more',
    properties: { errorDescription: 'Why it could not be' },
  },
  CatalogPriceChange: {
    about: 'A price of a subscription that would change',
    properties: {
      priceType: 'Whether it recurs, is charged once, or is for use',
      usage: 'Of a price of use: which one, and what else of it would change',
      effectiveDate: 'From when on',
      oldPrice: 'Price now; null: there is none',
      newPrice: 'Price as it would be; null: there is none',
      difference: 'New price less the old one',
      oldBillingPeriod: 'Billing period now',
      newBillingPeriod: 'Billing period as it would be',
    },
  },
  UsagePriceTerms: {
    about: 'Which price of use changes, and what else of it',
    properties: { ...priceTerms, tier: 'Number of the tier, from 1' },
  },
};
