import type { ModelTexts } from './model-text.ts';

const started = 'Ignored in requests, where a parameter of the query says it';

export const subscriptionModels: ModelTexts = {
  Bundle: {
    about: 'A base subscription with its add-ons, or a standalone one',
    properties: {
      accountId: 'Id of the account; in a transfer, the account that the bundle goes to',
      externalKey: 'Key of the caller, held by one living bundle of the tenant; by default the id',
      subscriptions: 'Its subscriptions; in a transfer, new keys for them',
      timeline: 'What happened to its subscriptions, in one list',
    },
  },
  BundleTimeline: {
    about: 'What happened to the subscriptions of a bundle',
    properties: { externalKey: 'Key of the bundle', events: 'Events of all its subscriptions, by date' },
  },
  Subscription: {
    about: 'A plan that an account has, from a day on',
    properties: {
      accountId: 'Id of the account that subscribes',
      bundleId: 'Id of the bundle; on creation, of the existing one that it is added to',
      bundleExternalKey: 'Key of the bundle; by default the id of the bundle',
      startDate: `When the service begins. ${started}`,
      productName: 'Product of the plan; on creation an alternative to `planName`',
      billingPeriod: 'Billing period of the plan; on creation an alternative to `planName`',
      phaseType: 'Phase that it is in; in requests, the one to begin with',
      priceList: 'Price list of the plan; on creation an alternative to `planName`',
      planName: 'Name of the plan; excludes product, billing period and price list',
      state: 'Whether it is to come, runs, is paused, or has ended',
      sourceType: 'Whether it was created here, came from another system or from another account',
      cancelledDate: 'When the service ends or ended',
      chargedThroughDate: 'Up to when it is invoiced',
      billingStartDate: `When billing begins. ${started}`,
      billingEndDate: 'When billing ends or ended',
      billCycleDayLocal: 'Day of the month on which its billing periods begin; null: not known yet',
      events: 'What happened to it and what is to come, by date',
      prices: 'Prices of its phases in the currency of the account',
      priceOverrides: 'Prices of its own, in place of those of the plan',
      quantity: 'How many it is for; what is charged is multiplied by it; by default 1',
    },
  },
  SubscriptionEvent: {
    about: 'A moment from which on something of a subscription is different',
    properties: {
      eventId: 'Id of the event',
      effectiveDate: 'When it takes effect',
      billingPeriod: 'Billing period from then on; where something ends, until then',
      catalogEffectiveDate: 'Effective date of the catalog version of the plan',
      plan: 'Plan from then on; where something ends, until then',
      product: 'Product from then on; where something ends, until then',
      priceList: 'Price list from then on; where something ends, until then',
      phase: 'Phase from then on; where something ends, until then',
      eventType: 'What changes',
      isBlockedBilling: 'Whether nothing is billed from then on',
      isBlockedEntitlement: 'Whether the service is stopped from then on',
      serviceName: 'Service that it comes from',
      serviceStateName: 'State that the service tells',
    },
  },
  BulkSubscriptionsBundle: {
    about: 'Subscriptions that are created in one bundle',
    properties: { baseEntitlementAndAddOns: 'The base subscription and its add-ons' },
  },
  PhasePrice: {
    about: 'Prices of a phase of a subscription; in requests, those that replace the prices of the plan',
    properties: {
      fixedPrice: 'Price that is charged once',
      recurringPrice: 'Price of a billing period',
      usagePrices: 'Prices of what is used',
    },
  },
  UsagePrice: {
    about: 'Prices of one usage section of a phase',
    properties: {
      billingMode: 'Whether it is billed at the beginning or at the end of a period',
      tierPrices: 'Prices by tier, the lowest first',
    },
  },
  TierPrice: {
    about: 'Prices of one tier',
    properties: {
      blockPrices: 'Prices of its blocks',
      recurringPrice: 'Price of a period in which the peak falls into the tier',
    },
  },
  BlockPrice: {
    about: 'Price of blocks of one unit in a tier',
    properties: {
      unitName: 'Name of the unit in the catalog',
      size: 'How many units make a block',
      price: 'Price of a block',
      max: 'How many blocks the tier takes; -1: any number',
    },
  },
  SubscriptionUsageRecord: {
    about: 'What a subscription has used',
    properties: {
      trackingId:
        'Id of the caller for this record, so that a repeat is not counted twice; by default a new one',
      unitUsageRecords: 'What was used, by unit',
    },
  },
  UnitUsageRecord: {
    about: 'What was used of one unit',
    properties: { usageRecords: 'Amounts by day or moment' },
  },
  UsageRecord: {
    about: 'What was used on a day or at a moment',
    properties: {
      recordDate: 'Day, in the time zone of the account, or moment of the use',
      amount: 'How many units; 0 or more',
    },
  },
  UsageReport: {
    about: 'What became of the lines of a bulk call',
    properties: {
      received: 'Number of lines that were read',
      accepted: 'Number of lines that were recorded',
      duplicates: 'Number of lines that were recorded before, with the same content',
      conflicts: 'Number of lines whose tracking id was used before for something else',
      rejected: 'Number of lines that were refused',
      failures: 'Lines that were not recorded; with `report=FULL` every line',
      failuresTruncated: 'Whether there are more of them than are listed',
    },
  },
  UsageReportLine: {
    about: 'What became of one line',
    properties: {
      index: 'Number of the line, from 0',
      subscriptionId: 'Id of the subscription, where the line names one that exists',
      trackingId: 'Tracking id of the line, where it has one',
      status: 'What became of it',
      code: 'Why it was not recorded',
      message: 'The same in words',
    },
  },
  RolledUpUsage: {
    about: 'What a subscription used in a stretch of time',
    properties: {
      startDate: 'Beginning of the stretch, included',
      endDate: 'End of the stretch, excluded',
      rolledUpUnits: 'Sums by unit',
    },
  },
  RolledUpUnit: {
    about: 'What was used of one unit',
    properties: { amount: 'How many units' },
  },
  UnbilledUsage: {
    about: 'Usage of a day that is on no invoice',
    properties: {
      amount: 'How many units',
      reason: 'Why it is on no invoice',
      usageName: 'Name of the usage section that would bill it, if there is one',
      startDate: 'The day, or beginning of the billed period',
      endDate: 'Its end, excluded',
    },
  },
};
