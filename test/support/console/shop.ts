import { Billing, type BillingOptions } from '../../../adapters/node/billwright.ts';
import { uuidGenerator } from '../../../adapters/node/index.ts';
import { pdfRenderer } from '../../../adapters/pdf/index.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import type { DatabaseTemplate } from '../databases.ts';
import { plainHasher } from '../plain-hasher.ts';
import { migrated, storageOf } from '../storage.ts';
import { recordingLogger } from '../system-time.ts';
import { shopCatalog } from './catalog.ts';

export const SHOP_KEY = 'meadow';
const SHOP_OPENED = '2026-09-01T08:00:00Z';
/** Time of the clock in the tests. */
export const TODAY = '2026-12-07';

/** Why the gateway declines the payments of Bruno. */
export const DECLINED = 'Your card has insufficient funds.';

const overdueAfter = (number: number) => ({
  timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number } as const,
});

/** The payments of the sandbox gateway, also those that the template has made. */
const ledger = memoryLedger();

/** Returns a sandbox gateway that declines purchases of accounts while they are in the set. */
export function decliningGateway(declined: ReadonlySet<string>): ReturnType<typeof sandboxGateway> {
  const gateway = sandboxGateway({ ledger });
  const { purchase } = gateway;
  return Object.assign(gateway, {
    purchase: async (...[request, context]: Parameters<typeof purchase>) =>
      purchase(declined.has(request.accountId) ? { ...request, properties: declines } : request, context),
  });
}

/** Makes the sandbox gateway decline a purchase. */
const declines = [
  { key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true' },
  { key: 'GATEWAY_ERROR_CODE', value: 'insufficient_funds' },
  { key: 'GATEWAY_ERROR', value: DECLINED },
];

/** Opens an engine for the console. The engine closes the storage. */
export async function openShop(
  storage: Storage<never>,
  options: Partial<BillingOptions<never>> & { readonly clock: FakeClock },
): Promise<Billing<never>> {
  return Billing.open({
    hasher: plainHasher(),
    logger: recordingLogger(),
    documentRenderer: pdfRenderer(),
    pushSender: null,
    gateways: [decliningGateway(new Set())],
    ...options,
    storage,
  });
}

/** A tenant with everything that the pages of the console show, after three months of business. */
export const consoleShop: DatabaseTemplate = {
  name: 'console_shop',
  from: migrated,
  async prepare(database) {
    const clock = fakeClock(SHOP_OPENED);
    const declined = new Set<string>();
    const storage = storageOf(database);
    const billing = await openShop(storage, { clock, gateways: [decliningGateway(declined)] });
    await billing.security.ensureAdministrator('admin', 'password');
    const { id } = await billing.tenants.create(
      { userName: 'test' },
      { apiKey: SHOP_KEY, apiSecret: 'secret', externalKey: 'Meadow Ltd.' },
    );
    await billing.tenants.create({ userName: 'test' }, { apiKey: 'orchard', apiSecret: 'secret' });
    await addUsers(storage, id);
    const acme = billing.as({ tenant: id, user: 'shop' });
    await sell(acme);
    await join(acme);
    await billing.settleThrough(clock, '2026-11-20');
    declined.add((await acme.accounts.getByKey('bruno')).id);
    await billing.settleThrough(clock, '2026-12-05');
    await support(billing.as({ tenant: id, user: 'maria', reason: 'Ticket 4711' }));
    await billing.settleThrough(clock, TODAY);
    await billing.close();
  },
};

/** Users with the password `password`: one who may only read, and one without tenants. */
async function addUsers({ system }: Storage<never>, tenantId: Uuid): Promise<void> {
  const ids = uuidGenerator();
  const user = {
    passwordHash: await plainHasher().hash('password'),
    credentialVersion: 1,
    isActive: true,
    roles: [],
    allTenants: false,
  };
  const permissions = ['account:credit', 'coupon:view', 'feature:view'];
  await system.insertUserIfAbsent({
    ...user,
    id: ids.next(),
    name: 'clerk',
    permissions,
    tenantIds: [tenantId],
  });
  await system.insertUserIfAbsent({
    ...user,
    id: ids.next(),
    name: 'newcomer',
    permissions: [],
    tenantIds: [],
  });
}

async function sell(acme: TenantBilling): Promise<void> {
  await acme.uploadCatalog(shopCatalog());
  await acme.overdue.upload({
    overdueStates: [
      {
        name: 'SUSPENDED',
        condition: overdueAfter(21),
        isDisableEntitlement: true,
        externalMessage: 'Your service is paused until you pay',
      },
      { name: 'WARNED', condition: overdueAfter(4), isBlockChanges: true, externalMessage: 'Please pay' },
    ],
  });
  await acme.keyValues.add(
    'PER_TENANT_CONFIG',
    JSON.stringify({ 'org.service.invoice.creditNotes': 'true' }),
  );
  await acme.coupons.create({ code: 'SPRING', name: 'Spring', percentOff: '20', duration: { periods: 6 } });
}

/** Three customers. Chiyo has an add-on, and Ada has a child account. */
async function join(acme: TenantBilling): Promise<void> {
  const joined = async (externalKey: string, name: string, planName: string) => {
    const email = `${externalKey}@example.com`;
    const account = await acme.createAccount({
      externalKey,
      name,
      email,
      currency: 'USD',
      address1: '1 Main Street',
    });
    await acme.addPaymentMethod({ accountId: account.id, pluginName: 'sandbox', isDefault: true });
    const { subscriptionId, bundleId } = await acme.createSubscription({
      accountId: account.id,
      externalKey: `sub-${externalKey}`,
      planName,
    });
    return { accountId: account.id, subscriptionId, bundleId };
  };
  const ada = await joined('ada', 'Ada Larsen', 'basic-monthly');
  await joined('bruno', 'Bruno Keller', 'basic-monthly');
  const chiyo = await joined('chiyo', 'Chiyo Arai', 'team-monthly');
  await acme.createSubscription({
    accountId: chiyo.accountId,
    bundleId: chiyo.bundleId,
    planName: 'backup-monthly',
  });
  const calls = { unitType: 'call', usageRecords: [{ recordDate: '2026-11-10', amount: '243' }] };
  await acme.usage.record({
    subscriptionId: ada.subscriptionId,
    trackingId: 'november',
    unitUsageRecords: [calls],
  });
  await acme.createAccount({
    externalKey: 'ada-norway',
    name: 'Ada Larsen Norway',
    currency: 'USD',
    parentAccountId: ada.accountId,
  });
}

/** Makes the recent changes of a support agent. */
async function support(maria: TenantBilling): Promise<void> {
  const ada = await maria.accounts.getByKey('ada');
  await maria.accounts.update(ada.id, { changes: { address1: '7 Harbour Road', city: 'Bergen' } });
  await maria.customFields.add({ type: 'ACCOUNT', id: ada.id }, [{ name: 'segment', value: 'Partner' }]);
  const chiyo = await maria.accounts.getByKey('chiyo');
  const [invoice] = await maria.invoices.ofAccount({ accountId: chiyo.id, withItems: true });
  const item = invoice?.items.find(({ amount }) => amount.greaterThan(1));
  if (invoice === undefined || item === undefined) throw new Error('Chiyo has no invoice');
  await maria.invoices.adjustItem({
    accountId: chiyo.id,
    invoiceId: invoice.id,
    invoiceItemId: item.id,
    amount: '1',
    description: 'Outage',
  });
}
