import { exampleIds } from './example-ids.ts';

const { eventId, accountId, bundleId, subscriptionId, tenantId } = exampleIds;

const begun = {
  eventId,
  billingPeriod: 'MONTHLY',
  effectiveDate: '2024-02-10T08:15:30.000Z',
  catalogEffectiveDate: '2024-01-01T00:00:00.000Z',
  plan: 'lamp-monthly',
  product: 'Lamp',
  priceList: 'DEFAULT',
  phase: 'lamp-monthly-evergreen',
  eventType: 'START_ENTITLEMENT',
  isBlockedBilling: false,
  isBlockedEntitlement: false,
  serviceName: 'entitlement-service',
  serviceStateName: 'ENT_STARTED',
  auditLogs: [],
};
const events = [
  begun,
  {
    ...begun,
    eventId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3d00',
    eventType: 'START_BILLING',
    serviceName: 'billing-service',
    serviceStateName: 'START_BILLING',
  },
];
const subscription = {
  accountId,
  bundleId,
  subscriptionId,
  externalKey: 'subscription-1',
  bundleExternalKey: 'garden-1',
  startDate: '2024-02-10',
  productName: 'Lamp',
  productCategory: 'BASE',
  billingPeriod: 'MONTHLY',
  phaseType: 'EVERGREEN',
  priceList: 'DEFAULT',
  planName: 'lamp-monthly',
  state: 'ACTIVE',
  sourceType: 'NATIVE',
  cancelledDate: null,
  chargedThroughDate: '2024-03-10',
  billingStartDate: '2024-02-10',
  billingEndDate: null,
  billCycleDayLocal: 10,
  events,
  prices: [
    {
      planName: 'lamp-monthly',
      phaseName: 'lamp-monthly-evergreen',
      phaseType: 'EVERGREEN',
      fixedPrice: null,
      recurringPrice: 12.5,
      usagePrices: [],
    },
  ],
  priceOverrides: null,
  quantity: 1,
  auditLogs: [],
};
const bundle = {
  accountId,
  bundleId,
  externalKey: 'garden-1',
  subscriptions: [subscription],
  timeline: { accountId, bundleId, externalKey: 'garden-1', events, auditLogs: [] },
  auditLogs: [],
};
const catalog = {
  name: 'Lamps',
  effectiveDate: '2024-01-01T00:00:00.000Z',
  currencies: ['USD'],
  units: [],
  products: [
    {
      type: 'BASE',
      name: 'Lamp',
      prettyName: 'Lamp',
      plans: [
        {
          name: 'lamp-monthly',
          prettyName: 'lamp-monthly',
          recurringBillingMode: 'IN_ADVANCE',
          billingPeriod: 'MONTHLY',
          phases: [
            {
              type: 'EVERGREEN',
              prices: [{ currency: 'USD', value: 12.5 }],
              fixedPrices: [],
              duration: { unit: 'UNLIMITED', number: -1 },
              usages: [],
              name: 'lamp-monthly-evergreen',
              prettyName: 'lamp-monthly-evergreen',
              recurringBillingPeriod: 'MONTHLY',
            },
          ],
          product: 'Lamp',
          priceList: 'DEFAULT',
          plansAllowedInBundle: -1,
          effectiveDateForExistingSubscriptions: null,
        },
      ],
      included: [],
      available: [],
    },
  ],
  priceLists: [{ name: 'DEFAULT', plans: ['lamp-monthly'], prettyName: 'DEFAULT' }],
  rules: {
    changePolicy: [
      {
        fromBillingPeriod: null,
        fromPriceList: null,
        fromProduct: null,
        fromProductCategory: null,
        phaseType: null,
        toBillingPeriod: null,
        toPriceList: null,
        toProduct: null,
        toProductCategory: null,
        policy: 'IMMEDIATE',
      },
    ],
    changeAlignment: [],
    cancelPolicy: [
      {
        billingPeriod: null,
        phaseType: null,
        priceList: null,
        product: null,
        productCategory: null,
        policy: 'END_OF_TERM',
      },
    ],
    createAlignment: [],
    billingAlignment: [],
    priceList: [],
  },
};

/** The same on tenants, catalogs, subscriptions and usage. */
export const subscriptionAnswers: Readonly<Record<string, unknown>> = {
  getTenantByApiKey: { tenantId, externalKey: null, apiKey: 'bob', apiSecret: null, auditLogs: [] },
  getCatalogJson: [catalog],
  getAvailableBasePlans: [
    {
      product: 'Lamp',
      plan: 'lamp-monthly',
      priceList: 'DEFAULT',
      finalPhaseBillingPeriod: 'MONTHLY',
      finalPhaseRecurringPrice: [{ currency: 'USD', value: 12.5 }],
    },
  ],
  getSubscription: subscription,
  getSubscriptionByKey: subscription,
  getAccountBundles: [bundle],
  getAllUsage: {
    subscriptionId,
    startDate: '2024-02-01T00:00:00.000Z',
    endDate: '2024-03-01T00:00:00.000Z',
    rolledUpUnits: [{ unitType: 'sms', amount: 5 }],
  },
  recordUsageBulk: {
    received: 1,
    accepted: 1,
    duplicates: 0,
    conflicts: 0,
    rejected: 0,
    failures: [],
    failuresTruncated: false,
  },
};
