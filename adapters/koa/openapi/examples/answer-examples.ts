import { modelsByName } from '../../wire/model.ts';
import { exampleIds, same } from './named-examples.ts';

const { accountId, bundleId, subscriptionId, invoiceId, invoiceItemId } = exampleIds;
const { paymentId, paymentMethodId, transactionId, eventId, tenantId } = exampleIds;
const currency = 'USD';
const planName = 'lamp-monthly';
const phaseName = 'lamp-monthly-evergreen';
const createdAt = '2024-02-10T08:15:30.000Z';
const catalogEffectiveDate = '2024-01-01T00:00:00.000Z';
const price = { currency, value: 12.5 };

/** Returns an example response in dialect D. Missing fields are null; missing audit rows are an empty list. */
function answer(model: string, given: Readonly<Record<string, unknown>>) {
  const fields = modelsByName().get(model)?.fields ?? {};
  const names = Object.keys(fields).filter((name) => name in given || fields[name]?.absentable === false);
  return Object.fromEntries(names.map((name) => [name, given[name] ?? (name === 'auditLogs' ? [] : null)]));
}

const account = answer('Account', {
  accountId,
  externalKey: 'ada',
  referenceTime: createdAt,
  isPaymentDelegatedToParent: false,
  currency,
  billCycleDayLocal: 10,
  paymentMethodId,
  name: 'Ada',
  timeZone: 'UTC',
  email: 'ada@example.com',
  accountBalance: 0,
});
const paymentMethod = answer('PaymentMethod', {
  paymentMethodId,
  externalKey: 'card-1',
  accountId,
  isDefault: true,
  pluginName: 'sandbox',
});
const transaction = answer('PaymentTransaction', {
  transactionId,
  transactionExternalKey: transactionId,
  paymentId,
  paymentExternalKey: paymentId,
  transactionType: 'PURCHASE',
  amount: 12.5,
  currency,
  effectiveDate: createdAt,
  processedAmount: 12.5,
  processedCurrency: currency,
  status: 'SUCCESS',
});
const payment = answer('Payment', {
  accountId,
  paymentId,
  paymentNumber: '1',
  paymentExternalKey: paymentId,
  ...same(0, 'authAmount', 'capturedAmount', 'refundedAmount', 'creditedAmount'),
  purchasedAmount: 12.5,
  currency,
  paymentMethodId,
  transactions: [transaction],
});
const item = answer('InvoiceItem', {
  invoiceItemId,
  invoiceId,
  accountId,
  bundleId,
  subscriptionId,
  productName: 'Lamp',
  planName,
  phaseName,
  prettyProductName: 'Lamp',
  prettyPlanName: planName,
  prettyPhaseName: phaseName,
  itemType: 'RECURRING',
  description: phaseName,
  startDate: '2024-02-10',
  endDate: '2024-03-10',
  amount: 12.5,
  rate: 12.5,
  listRate: null,
  discounts: null,
  currency,
  quantity: 1,
  catalogEffectiveDate,
  unitPrice: 12.5,
  usage: [],
});
const invoice = answer('Invoice', {
  invoiceId,
  accountId,
  amount: 12.5,
  currency,
  status: 'COMMITTED',
  creditAdj: 0,
  refundAdj: 0,
  invoiceDate: '2024-02-10',
  targetDate: '2024-02-10',
  issuedDate: '2024-02-10',
  invoiceNumber: 1,
  balance: 0,
  items: [item],
  trackingIds: [],
  isParentInvoice: false,
});
const dryRunAnswer = {
  ...invoice,
  invoiceId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3d01',
  targetDate: '2024-03-10',
  invoiceNumber: null,
  balance: 12.5,
  items: [
    {
      ...item,
      invoiceItemId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3d02',
      invoiceId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3d01',
      startDate: '2024-03-10',
      endDate: '2024-04-10',
    },
  ],
};

const begun = {
  eventId,
  billingPeriod: 'MONTHLY',
  effectiveDate: createdAt,
  catalogEffectiveDate,
  plan: planName,
  product: 'Lamp',
  priceList: 'DEFAULT',
  phase: phaseName,
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
const phasePrice = { planName, phaseName, phaseType: 'EVERGREEN', recurringPrice: 12.5, usagePrices: [] };
const subscription = answer('Subscription', {
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
  planName,
  state: 'ACTIVE',
  sourceType: 'NATIVE',
  chargedThroughDate: '2024-03-10',
  billingStartDate: '2024-02-10',
  billCycleDayLocal: 10,
  events,
  prices: [answer('PhasePrice', phasePrice)],
  quantity: 1,
});
const bundle = answer('Bundle', {
  accountId,
  bundleId,
  externalKey: 'garden-1',
  subscriptions: [subscription],
  timeline: { accountId, bundleId, externalKey: 'garden-1', events, auditLogs: [] },
});

const phase = answer('Phase', {
  type: 'EVERGREEN',
  prices: [price],
  fixedPrices: [],
  duration: { unit: 'UNLIMITED', number: -1 },
  usages: [],
  name: phaseName,
  prettyName: phaseName,
  recurringBillingPeriod: 'MONTHLY',
  features: [],
});
const plan = answer('Plan', {
  name: planName,
  prettyName: planName,
  recurringBillingMode: 'IN_ADVANCE',
  billingPeriod: 'MONTHLY',
  phases: [phase],
  product: 'Lamp',
  priceList: 'DEFAULT',
  plansAllowedInBundle: -1,
  features: [],
});
const product = answer('Product', {
  type: 'BASE',
  ...same('Lamp', 'name', 'prettyName'),
  plans: [plan],
  ...same([], 'included', 'available', 'features'),
});
const catalog = answer('Catalog', {
  name: 'Lamps',
  effectiveDate: catalogEffectiveDate,
  currencies: [currency],
  ...same([], 'units', 'features'),
  products: [product],
  priceLists: [answer('PriceList', { name: 'DEFAULT', plans: [planName], prettyName: 'DEFAULT' })],
  rules: {
    changePolicy: [
      {
        ...same(
          null,
          'fromBillingPeriod',
          'fromPriceList',
          'fromProduct',
          'fromProductCategory',
          'phaseType',
        ),
        ...same(null, 'toBillingPeriod', 'toPriceList', 'toProduct', 'toProductCategory'),
        policy: 'IMMEDIATE',
      },
    ],
    changeAlignment: [],
    cancelPolicy: [
      {
        ...same(null, 'billingPeriod', 'phaseType', 'priceList', 'product', 'productCategory'),
        policy: 'END_OF_TERM',
      },
    ],
    createAlignment: [],
    billingAlignment: [],
    priceList: [],
  },
});
const planDetail = {
  product: 'Lamp',
  plan: planName,
  priceList: 'DEFAULT',
  finalPhaseBillingPeriod: 'MONTHLY',
  finalPhaseRecurringPrice: [price],
};

/** Complete responses of common operations. A test compares them with the responses of a server. */
export const answerExamples: Readonly<Record<string, unknown>> = {
  getAccount: account,
  getAccountByKey: account,
  getAccounts: [account],
  getPaymentMethod: paymentMethod,
  getPaymentMethodsForAccount: [paymentMethod],
  getOverdueAccount: answer('OverdueState', {
    name: '__KILLBILL__CLEAR__OVERDUE_STATE__',
    externalMessage: '',
    daysBetweenPaymentRetries: [8, 8, 8],
    ...same(false, 'isDisableEntitlementAndChangesBlocked', 'isBlockChanges'),
    isClearState: true,
  }),
  getInvoice: invoice,
  getInvoicesForAccount: [invoice],
  generateDryRunInvoice: dryRunAnswer,
  getPayment: payment,
  getPaymentsForAccount: [payment],
  getTenantByApiKey: answer('Tenant', { tenantId, apiKey: 'bob' }),
  getCatalogJson: [catalog],
  getAvailableBasePlans: [answer('PlanDetail', planDetail)],
  getSubscription: { ...subscription, redemptions: [] },
  getSubscriptionByKey: subscription,
  getAccountBundles: [bundle],
  getAllUsage: answer('RolledUpUsage', {
    subscriptionId,
    startDate: '2024-02-01T00:00:00.000Z',
    endDate: '2024-03-01T00:00:00.000Z',
    rolledUpUnits: [{ unitType: 'sms', amount: 5 }],
  }),
  recordUsageBulk: answer('UsageReport', {
    ...same(1, 'received', 'accepted'),
    ...same(0, 'duplicates', 'conflicts', 'rejected'),
    failures: [],
    failuresTruncated: false,
  }),
};
