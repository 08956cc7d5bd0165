import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { PaymentGateway, TenantRef } from '../../lib/index.ts';
import { anyDatabase, eachDatabase, type TestDatabase } from '../support/databases.ts';
import {
  expect,
  migrated,
  plainHasher,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';

const NOW = '2024-03-01T08:00:00Z';

function start(database: TestDatabase, gateways: readonly PaymentGateway[]) {
  return Billing.open<never>({
    storage: storageOf(database),
    clock: fakeClock(NOW),
    systemClock: pushableSystemClock(),
    hasher: plainHasher(),
    pushSender: null,
    logger: recordingLogger(),
    gateways,
  });
}

async function payingAccount(billing: Billing<never>, tenant: TenantRef, pluginName: string) {
  const acme = billing.as({ tenant: tenant.id, user: 'clerk' });
  const { id: accountId } = await acme.createAccount({ currency: 'EUR' });
  const method = await acme.addPaymentMethod({ accountId, pluginName, isDefault: true });
  return { acme, accountId, method };
}

eachDatabase.describe('gateway with a former name (payments §2.1)', (open) => {
  it('serves payment methods and payments that were stored under that name', async () => {
    const database = await open(migrated);
    const ledger = memoryLedger();
    const before = await start(database, [sandboxGateway({ name: 'killbill-payment-test', ledger })]);
    const tenant = await before.tenants.create({ userName: 'ops' }, { apiKey: 'acme', apiSecret: 'secret' });
    const { accountId, acme: former } = await payingAccount(before, tenant, 'killbill-payment-test');
    const { payment } = await former.payments.purchase({ accountId, amount: '10' });
    await before.close();

    const billing = await start(database, [sandboxGateway({ ledger })]);
    const acme = billing.as({ tenant: tenant.id, user: 'clerk' });
    const { transaction } = await acme.payments.refund({ paymentId: payment.id, amount: '4' });
    expect(transaction.status).to.equal('SUCCESS');
    await acme.invoices.addCharges({ accountId, items: [{ amount: '7' }], autoCommit: true });
    await billing.settle();
    const [invoice] = await acme.invoices.ofAccount({ accountId });
    expect(`${invoice?.amount} ${invoice?.balance}`).to.equal('7 0');
    expect((await acme.paymentMethods.ofAccount(accountId)).map(({ pluginName }) => pluginName)).to.eql([
      'killbill-payment-test',
    ]);
    await billing.close();
  });
});

anyDatabase.describe('sandbox gateway under several names (payments §2.4 rule 2)', (open) => {
  it('keeps the payment methods of each name separate in lists, searches and refreshes', async () => {
    const billing = await start(await open(migrated), [sandboxGateway()]);
    const tenant = await billing.tenants.create({ userName: 'ops' }, { apiKey: 'acme', apiSecret: 'secret' });
    const { acme, accountId, method } = await payingAccount(billing, tenant, 'sandbox');
    const other = await acme.addPaymentMethod({ accountId, pluginName: 'killbill-payment-test' });
    expect([method.pluginName, other.pluginName]).to.eql(['sandbox', 'killbill-payment-test']);
    await acme.paymentMethods.refresh({ accountId });
    const listed = await acme.paymentMethods.ofAccount(accountId);
    expect(listed.map(({ id, isActive, isDefault }) => [id, isActive, isDefault])).to.have.deep.members([
      [method.id, true, true],
      [other.id, true, false],
    ]);
    const found = await acme.paymentMethods.search(accountId, { offset: 0, limit: 10, withPluginInfo: true });
    expect(found.rows.map(({ id }) => id)).to.have.members([method.id, other.id]);
    expect(found.total).to.equal(2);
    await billing.close();
  });

  it('does not serve a former name under which the host registers another gateway', async () => {
    const own = sandboxGateway({ name: 'killbill-payment-test' });
    const billing = await start(await open(migrated), [sandboxGateway(), own]);
    const tenant = await billing.tenants.create({ userName: 'ops' }, { apiKey: 'acme', apiSecret: 'secret' });
    const { acme, accountId } = await payingAccount(billing, tenant, own.name);
    await acme.payments.purchase({ accountId, amount: '10' });
    expect(own.ledger.all()).to.have.length(1);
    await billing.close();
  });

  it('cannot share a former name with another gateway', async () => {
    const formerly = sandboxGateway({ name: 'old' });
    const renamed = ['one', 'two'].map((name) => ({ ...sandboxGateway({ name }), formerly }));
    const refusal = await start(await open(migrated), renamed).catch((error: Error) => error.message);
    expect(refusal).to.equal('Two payment gateways have the same name: old');
  });
});
