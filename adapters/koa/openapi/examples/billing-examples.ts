import { exampleIds } from './example-ids.ts';

const { accountId, invoiceItemId, subscriptionId } = exampleIds;
const state = { service: 'fraud', stateName: 'suspected' };
const usage = {
  subscriptionId,
  trackingId: 'usage-2024-06-01',
  unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2024-06-01', amount: 5 }] }],
};

/** Bodies of requests on accounts, subscriptions, usage and invoices, by operation. */
export const billingExamples: Readonly<Record<string, unknown>> = {
  createAccount: { externalKey: 'ada', currency: 'EUR' },
  updateAccount: { notes: 'changed' },
  addEmail: { accountId, email: 'second@example.com' },
  addAccountBlockingState: state,
  addBundleBlockingState: state,
  addSubscriptionBlockingState: state,
  transferBundle: { accountId, subscriptions: [{ subscriptionId, externalKey: 'transferred' }] },
  renameExternalKey: { externalKey: 'renamed' },
  createSubscription: {
    accountId,
    productName: 'Sprout',
    productCategory: 'BASE',
    billingPeriod: 'MONTHLY',
    priceList: 'DEFAULT',
  },
  createSubscriptionWithAddOns: [
    { accountId, planName: 'archive-monthly' },
    { accountId, planName: 'bloom-monthly' },
  ],
  createSubscriptionsWithAddOns: [
    { baseEntitlementAndAddOns: [{ accountId, planName: 'sprout-monthly' }] },
    { baseEntitlementAndAddOns: [{ accountId, planName: 'almanac-quarterly' }] },
  ],
  changeSubscriptionPlan: {
    productName: 'Sprout',
    billingPeriod: 'MONTHLY',
    priceList: 'DEFAULT',
    quantity: 2,
  },
  updateSubscriptionBCD: { billCycleDayLocal: 20 },
  updateSubscriptionQuantity: { quantity: 3 },
  recordUsage: usage,
  recordUsageBulk: [usage],
  generateDryRunInvoice: {
    dryRunType: 'SUBSCRIPTION_ACTION',
    dryRunAction: 'START_BILLING',
    productName: 'Sprout',
    productCategory: 'BASE',
    billingPeriod: 'MONTHLY',
    priceListName: 'DEFAULT',
    effectiveDate: '2025-02-01',
    priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: 5 }],
  },
  createExternalCharges: [{ amount: 1.5, description: 'set-up' }],
  createTaxItems: [{ amount: 0.2 }],
  createMigrationInvoice: [
    { itemType: 'RECURRING', amount: 19.95, planName: 'gold', startDate: '2023-11-01' },
  ],
  adjustInvoiceItem: { accountId, invoiceItemId, amount: 4, currency: 'USD' },
  createCredits: [{ accountId, amount: 2 }],
  uploadInvoiceTranslation: 'invoiceTitle=Beleg',
  uploadCatalogTranslation: 'gold=Gold',
  uploadInvoiceTemplate: '<p>{{text.invoiceTitle}}</p>',
  uploadInvoiceMPTemplate: '<p>{{text.invoiceTitle}}</p>',
  uploadOverdueConfigJson: {
    overdueStates: [{ name: 'LATE', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 50 } }],
  },
  uploadOverdueConfigXml:
    '<overdueConfig><accountOverdueStates><state name="LATE"><condition><numberOfUnpaidInvoicesEqualsOrExceeds>50</numberOfUnpaidInvoicesEqualsOrExceeds></condition></state></accountOverdueStates></overdueConfig>',
};
