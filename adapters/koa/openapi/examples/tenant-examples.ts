import { fieldedResources, taggedResources } from '../../routes/objects/objects.ts';
import { exampleIds } from './example-ids.ts';

const { customFieldId, tagDefinitionId, tenantId } = exampleIds;

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

/** A catalog of one plan, whose rules hold wherever nothing else is said. */
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

/** Bodies of requests on tenants, catalogs, tags, custom fields, users and nodes, by operation. */
export const tenantExamples: Readonly<Record<string, unknown>> = {
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
    description: 'served before others',
    applicableObjectTypes: ['ACCOUNT', 'BUNDLE'],
  },
  ...Object.fromEntries(taggedResources.map(({ noun }) => [`create${noun}Tags`, [tagDefinitionId]])),
  ...Object.fromEntries(
    fieldedResources.flatMap(({ noun }) => [
      [`create${noun}CustomFields`, [{ name: 'colour', value: 'red' }]],
      [`modify${noun}CustomFields`, [{ customFieldId, value: 'blue' }]],
    ]),
  ),
  triggerNodeCommand: {
    nodeCommandType: 'RESTART_PLUGIN',
    nodeCommandProperties: [{ key: 'pluginKey', value: 'payment-test' }],
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
  issueToken: { grant_type: 'password', username: 'admin', password: 'password' },
};
