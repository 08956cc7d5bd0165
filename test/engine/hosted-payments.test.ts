import type { EntitlementPlugin, InvoicePlugin } from '../../lib/index.ts';
import { ErrorCode, formatDecimal, parseLocalDate } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { HostedEngine } from '../support/index.ts';
import { codeOf, engineBefore, expect, hostedEngine, itemLines } from '../support/index.ts';

eachDatabaseByTurns.describe('operations in a host transaction (payments §5.1)', (open) => {
  let inside: HostedEngine['inside'];

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { gateways: [engine.gateway] }));
  });

  it('are rejected and store nothing if they call a gateway', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const code = await inside((acme) => codeOf(acme.payments.purchase({ accountId, amount: '10' })));
    expect(code).to.equal(ErrorCode.INVALID_PARAMETER);
    expect(await engine.acme.payments.ofAccount(accountId)).to.eql([]);
    expect(engine.ledger.all().filter((entry) => entry.accountId === accountId)).to.eql([]);
  });

  it('are part of the transaction if they pay by check or transfer', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const pluginName = '__EXTERNAL_PAYMENT__';
    const { id: paymentMethodId } = await engine.acme.paymentMethods.add({ accountId, pluginName });
    const pay = { accountId, paymentMethodId, amount: '10' };
    const undone = inside(async (acme) => {
      expect((await acme.payments.purchase(pay)).transaction.status).to.equal('SUCCESS');
      throw new Error('the host has changed its mind');
    });
    expect(await codeOf(undone)).to.be.instanceOf(Error);
    expect(await engine.acme.payments.ofAccount(accountId)).to.eql([]);
    await inside((acme) => acme.payments.purchase(pay));
    expect(await engine.acme.payments.ofAccount(accountId)).to.have.length(1);
  });
});

// accounts §9, ruling R41
eachDatabaseByTurns.describe('account closings in a host transaction', (open) => {
  let inside: HostedEngine['inside'];

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine));
  });

  it('cannot close an account while work is due, because due work cannot run inside the transaction', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
    await engine.runTo('2024-01-11T00:00:00Z');
    const code = await inside(async (acme) => {
      await acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      return codeOf(acme.accounts.close(id));
    });
    expect(code).to.equal(ErrorCode.BUSY);
    expect(await engine.acme.tags.ofAccount(id)).to.eql([]);
    await engine.settle();
    await inside((acme) => acme.accounts.close(id));
    const tags = await engine.acme.tags.ofAccount(id);
    expect(tags.map(({ tagDefinitionName }) => tagDefinitionName)).to.eql(['AUTO_INVOICING_OFF']);
    const invoices = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
    const items = invoices.flatMap((invoice) => invoice.items);
    const repairs = items.filter(({ itemType }) => itemType === 'REPAIR_ADJ');
    expect(repairs.map(({ amount }) => formatDecimal(amount))).to.eql(['-13.51']);
  });
});

// invoicing §13
eachDatabaseByTurns.describe('runs with invoice plugins in a host transaction', (open) => {
  let inside: HostedEngine['inside'];
  let aborts = false;
  const existing: number[] = [];
  const plugin: InvoicePlugin = {
    name: 'tax',
    priorCall: async () => ({ aborted: aborts }),
    getAdditionalInvoiceItems: async (...[, , , { existingInvoices }]) => {
      existing.push((await Array.fromAsync(existingInvoices())).length);
      return { items: [{ itemType: 'TAX', amount: '1' }] };
    },
  };

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { invoicePlugins: [plugin] }));
  });

  it("show the host's changes to plugins, and commit plugin items together with those changes", async () => {
    const accountId = await inside(async (acme) => {
      const { id } = await acme.createAccount({ currency: 'USD' });
      await acme.invoices.addCharges({ accountId: id, items: [{ amount: '3' }], autoCommit: true });
      await acme.createSubscription({ accountId: id, planName: 'solo-now' });
      await acme.generateInvoice({ accountId: id });
      return id;
    });
    expect(existing.splice(0).at(-1)).to.equal(1);
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.map(itemLines).at(-1)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19.95',
      'TAX 2024-01-01 1',
    ]);
  });

  it('store nothing if a plugin aborts them', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId, planName: 'solo-now' });
    aborts = true;
    expect(await inside((acme) => codeOf(acme.generateInvoice({ accountId })))).to.equal(
      ErrorCode.INVOICE_NOTHING_TO_DO,
    );
    aborts = false;
    expect(await engine.acme.invoices.ofAccount({ accountId })).to.eql([]);
  });
});

// subscriptions §22
eachDatabaseByTurns.describe('operations with entitlement plugins in a host transaction', (open) => {
  let inside: HostedEngine['inside'];
  const outcomes: string[] = [];
  const plugin: EntitlementPlugin = {
    name: 'host',
    before: {
      CREATE: async () => ({ replace: { billingDate: { date: parseLocalDate('2024-01-15') } } }),
      CANCEL: async () => ({ abort: 'not now' }),
    },
    succeeded: async ({ operation }) => {
      outcomes.push(`${operation} done`);
    },
    failed: async ({ operation }) => {
      outcomes.push(`${operation} failed`);
    },
  };

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { entitlementPlugins: [plugin] }));
  });
  beforeEach(() => {
    outcomes.length = 0;
  });

  it('let plugins replace terms, and store nothing if a plugin aborts them', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const { created, code } = await inside(async (acme) => {
      const made = await acme.createSubscription({ accountId, planName: 'solo-now' });
      return { created: made, code: await codeOf(acme.subscriptions.cancel(made.subscriptionId)) };
    });
    expect(code).to.equal(ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED);
    expect(outcomes).to.eql(['CREATE done', 'CANCEL failed']);
    const stored = await engine.acme.getSubscription(created.subscriptionId);
    expect(stored.billingStart?.date).to.equal('2024-01-15');
    expect(stored.cancelled).to.equal(null);
  });

  it('inform plugins of their success, even if the host rolls back later', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const changedMind = inside(async (acme) => {
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      throw new Error('the host changed its mind');
    });
    expect(await changedMind.catch((error: Error) => error.message)).to.equal('the host changed its mind');
    expect(outcomes).to.eql(['CREATE done']);
    expect(await engine.acme.subscriptions.bundlesOfAccount(accountId)).to.eql([]);
  });
});
