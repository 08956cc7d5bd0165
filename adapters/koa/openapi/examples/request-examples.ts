import { LINES_TYPE } from '../../routing/body.ts';
import { fieldedResources, taggedResources } from '../../routing/objects.ts';
import { exampleIds } from './named-examples.ts';

const { accountId, customFieldId, invoiceItemId, paymentId } = exampleIds;
const { subscriptionId, tagDefinitionId, tenantId } = exampleIds;
const state = { service: 'fraud', stateName: 'suspected' };
const usage = {
  subscriptionId,
  trackingId: 'usage-2024-06-01',
  unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2024-06-01', amount: 5 }] }],
};
const some = { amount: 3, currency: 'USD' };
const formFields = [{ key: 'amount', value: '10' }];
const paymentMethod = { pluginName: 'sandbox' };

/**
 * Returns the example bodies of a payment operation. There is one for the route with the payment's id, and one for the
 * route without it.
 */
function onPayment(name: string, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { [name]: body, [`${name}ByExternalKey`]: { ...body, paymentExternalKey: 'order-17' } };
}

const plan = {
  name: 'pot-monthly',
  recurringBillingMode: 'IN_ADVANCE',
  effectiveDate: '2024-02-10',
  pricelistName: 'DEFAULT',
  phases: [
    { type: 'TRIAL', durationUnit: 'DAYS', durationLength: 30 },
    {
      type: 'EVERGREEN',
      durationUnit: 'UNLIMITED',
      durationLength: -1,
      recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: '9.5' }] },
    },
  ],
};

const catalog = `<catalog>
  <effectiveDate>2024-01-01T00:00:00Z</effectiveDate>
  <catalogName>Lamps</catalogName>
  <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
  <currencies><currency>USD</currency></currencies>
  <products><product name="Lamp"><category>BASE</category></product></products>
  <rules>
    <changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
    <cancelPolicy><cancelPolicyCase><policy>END_OF_TERM</policy></cancelPolicyCase></cancelPolicy>
  </rules>
  <plans>
    <plan name="lamp-monthly">
      <product>Lamp</product>
      <finalPhase type="EVERGREEN">
        <duration><unit>UNLIMITED</unit></duration>
        <recurring>
          <billingPeriod>MONTHLY</billingPeriod>
          <recurringPrice><price><currency>USD</currency><value>12.50</value></price></recurringPrice>
        </recurring>
      </finalPhase>
    </plan>
  </plans>
  <priceLists><defaultPriceList name="DEFAULT"><plans><plan>lamp-monthly</plan></plans></defaultPriceList></priceLists>
</catalog>
`;

/** Example request bodies by operation. The contract tests send these bodies. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  createTenant: { apiKey: 'bob', apiSecret: 'secret' },
  uploadPluginConfiguration: 'url=https://example.com',
  uploadPluginPaymentStateMachineConfig: '<stateMachineConfig/>',
  uploadPerTenantConfiguration: '{"org.killbill.payment.retry.days":"1,1,1"}',
  insertUserKeyValue: 'red',
  uploadCatalogXmlOriginal: catalog,
  uploadCatalogXml: catalog,
  validateCatalogXml: catalog,
  reportCatalogChanges: catalog,
  addSimplePlan: {
    planId: 'lamp-monthly',
    productName: 'Lamp',
    productCategory: 'BASE',
    currency: 'USD',
    amount: 12.5,
    billingPeriod: 'MONTHLY',
  },
  createCatalogEntries: {
    plans: [{ ...plan, productName: 'Pot' }],
    products: [{ name: 'Pot', category: 'BASE' }],
  },
  createPlan: { ...plan, productName: 'Canopy', effectiveDateForExistingSubscriptions: '2024-02-11' },
  updatePlan: plan.phases,
  createTagDefinition: {
    name: 'vip',
    description: 'served first',
    applicableObjectTypes: ['ACCOUNT', 'BUNDLE'],
  },
  ...Object.fromEntries(taggedResources.map(({ noun }) => [`create${noun}Tags`, [tagDefinitionId]])),
  ...Object.fromEntries(
    [...fieldedResources, { noun: 'Coupon' }].flatMap(({ noun }) => [
      [`create${noun}CustomFields`, [{ name: 'color', value: 'red' }]],
      [`modify${noun}CustomFields`, [{ customFieldId, value: 'blue' }]],
    ]),
  ),
  triggerNodeCommand: {
    nodeCommandType: 'RESTART_PLUGIN',
    nodeCommandProperties: [{ key: 'pluginKey', value: 'sandbox' }],
  },
  fixBusEntries: [4_000_000_001],
  reinsertBusEntries: [4_000_000_001],
  fixNotifications: [4_000_000_001],
  reinsertNotifications: [4_000_000_001],
  addUserRoles: { username: 'clerk', password: 'password', roles: ['admin'], tenants: [] },
  updateUserPassword: { password: 'another one' },
  updateUserRoles: { roles: ['admin'] },
  updateUserTenants: { allTenants: false, tenantIds: [tenantId] },
  addRoleDefinition: { role: 'clerk', permissions: ['tag:add', 'account'] },
  updateRoleDefinition: { role: 'clerk', permissions: ['tag:add'] },
  createApiClient: { clientId: 'shop', clientSecret: 'client secret', roles: ['admin'] },
  createSession: { username: 'admin', password: 'password' },
  issueToken: { grant_type: 'password', username: 'admin', password: 'password' },
  createAccount: { externalKey: 'ada', currency: 'EUR' },
  queryOperation: { arguments: [accountId] },
  callOperation: { arguments: [{ externalKey: 'ada', currency: 'EUR' }] },
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
  consumeFeature: { amount: 5, key: 'request-17' },
  releaseFeature: { key: 'request-17' },
  overrideFeature: { value: '1000', per: 'MONTH', reason: 'launch offer' },
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
  setInvoiceNote: { note: 'Thank you for your order' },
  adjustInvoiceItem: { accountId, invoiceItemId, amount: 4, currency: 'USD' },
  createCredits: [{ accountId, amount: 2 }],
  uploadInvoiceTranslation: 'invoiceTitle=Beleg',
  uploadCatalogTranslation: 'gold=Gold',
  uploadSeller: {
    name: 'Orchard GmbH',
    address1: 'Am Hang 1',
    city: 'Graz',
    postalCode: '8010',
    country: 'AT',
    taxId: 'ATU12345675',
    iban: 'AT611904300234573201',
    paymentTermsDays: 14,
    notes: { DE: 'Innergemeinschaftliche Lieferung', '*': 'Thank you' },
    accentColor: '#0a5cff',
    logo: { mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  },
  createCoupon: { code: 'SPRING', percentOff: 20, duration: 'PERIODS', durationCount: 3 },
  updateCoupon: { name: 'Spring sale', maxRedemptions: 100 },
  redeemCoupon: { subscriptionId, rebill: true },
  redeemSubscriptionCoupon: { code: 'SPRING', rebill: true },
  uploadInvoiceTemplate: '<p>{{text.invoiceTitle}}</p>',
  uploadInvoiceMPTemplate: '<p>{{text.invoiceTitle}}</p>',
  uploadOverdueConfigJson: {
    overdueStates: [{ name: 'LATE', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 50 } }],
  },
  uploadOverdueConfigXml:
    '<overdueConfig><accountOverdueStates><state name="LATE"><condition><numberOfUnpaidInvoicesEqualsOrExceeds>50</numberOfUnpaidInvoicesEqualsOrExceeds></condition></state></accountOverdueStates></overdueConfig>',
  createPaymentMethod: {
    ...paymentMethod,
    externalKey: 'card-1',
    pluginInfo: { properties: [{ key: 'token', value: 'tok_1' }] },
  },
  ...onPayment('captureAuthorization', some),
  ...onPayment('completeTransaction', {}),
  ...onPayment('voidPayment', {}),
  ...onPayment('refundPayment', some),
  ...onPayment('chargebackPayment', some),
  ...onPayment('chargebackReversalPayment', { transactionExternalKey: 'chargeback-1' }),
  processPayment: { transactionType: 'AUTHORIZE', ...some, paymentExternalKey: 'order-17' },
  processPaymentByExternalKey: { transactionType: 'PURCHASE', ...some },
  notifyStateChanged: { paymentId, status: 'SUCCESS' },
  createComboPayment: {
    account: { externalKey: 'ada', currency: 'USD' },
    paymentMethod,
    transaction: { transactionType: 'PURCHASE', amount: 3, currency: 'USD' },
  },
  updatePaymentTransactionState: {
    transactionStatus: 'PAYMENT_FAILURE',
    currentPaymentStateName: 'PURCHASE_FAILED',
  },
  completeInvoicePaymentTransaction: {},
  createRefundWithAdjustments: some,
  createChargeback: some,
  createChargebackReversal: { transactionExternalKey: 'chargeback-1' },
  createInstantPayment: { accountId },
  buildFormDescriptor: { formFields },
  buildComboFormDescriptor: {
    account: { externalKey: 'ada', currency: 'USD' },
    paymentMethod,
    hostedPaymentPageFields: { formFields },
  },
  processNotification: '{"paid":true}',
  receiveGatewayNotification: 'paid',
  configureSandbox: { CONFIGURE_ACTION: 'ACTION_CLEAR' },
  configureSandboxAlias: { CONFIGURE_ACTION: 'ACTION_CLEAR' },
};

/** Returns the example in the given media type, or undefined if the operation has no body. */
export function requestExample(operationId: string, type: string): unknown {
  const example = requestExamples[operationId];
  if (typeof example === 'string') return example;
  if (type === LINES_TYPE) return linesOf(example);
  if (type === 'application/json' || type === 'application/x-www-form-urlencoded') return example;
  return xmlExamples[operationId];
}

/** XML examples of operations whose main example is JSON. */
const xmlExamples: Readonly<Record<string, unknown>> = {
  uploadOverdueConfigJson: requestExamples.uploadOverdueConfigXml,
};

function linesOf(elements: unknown): string {
  return (elements as readonly unknown[]).map((each) => `${JSON.stringify(each)}\n`).join('');
}
