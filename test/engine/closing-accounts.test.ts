import type { CloseOptions, Uuid } from '../../lib/index.ts';
import { formatDecimal, SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode, newEvents, rowsOf } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('closing an account', (open) => {
  let newTypes: () => Promise<readonly string[]>;
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  beforeEach(async () => {
    newTypes = newEvents(engine.database);
  });

  const close = (id: Uuid, options?: CloseOptions) => engine.acme.accounts.close(id, options);
  const subscribe = (accountId: Uuid) => engine.acme.createSubscription({ accountId, planName: 'solo-now' });

  async function itemsOf(accountId: Uuid): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.flatMap(({ items }) =>
      items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`),
    );
  }

  const tagsOf = async (accountId: Uuid) =>
    (await engine.acme.tags.ofAccount(accountId)).map(
      ({ objectType, tagDefinitionName }) => `${objectType} ${tagDefinitionName}`,
    );

  const topicsOf = async (rows: string) =>
    (await rowsOf(engine.database, `select topic from ${rows}`)).map(({ topic }) => topic);
  const planned = () =>
    topicsOf("bw_queue_entries where kind = 'NOTIFICATION' and processing_state = 'AVAILABLE'");

  /** Charges the given account, or a new one without a payment method. */
  async function charged(amount: string, account?: Account): Promise<Uuid> {
    const { id } = account ?? (await engine.acme.createAccount({ currency: 'USD' }));
    await engine.charge(id, amount);
    return id;
  }

  /** Charges 100.00. The gateway processes only 40.00. */
  async function partlyPaid(): Promise<Uuid> {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 0, PROCESSED_AMOUNT: '40' });
    const id = await engine.settle(charged('100', await engine.payingAccount({ currency: 'USD' })));
    expect(await engine.balancesOf(id)).to.eql(['60', '0']);
    await newTypes();
    return id;
  }

  it('adjusts the items of a partly paid invoice, and keeps the payment as credit (accounts E9)', async () => {
    const id = await partlyPaid();
    await close(id, { itemAdjustUnpaidInvoices: true });
    expect(await itemsOf(id)).to.eql(['EXTERNAL_CHARGE 100', 'ITEM_ADJ -100', 'CBA_ADJ 40']);
    expect(await engine.balancesOf(id)).to.eql(['-40', '40']);
    expect(await tagsOf(id)).to.eql(['ACCOUNT AUTO_INVOICING_OFF']);
    expect(await newTypes()).to.eql(['TAG_CREATION', 'INVOICE_ADJUSTMENT', 'BLOCKING_STATE']);
    await expectCode(subscribe(id), 6000);
  });

  it('emits one event per adjusted item of an invoice (invoicing §16)', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const items = [{ amount: '1' }, { amount: '2' }];
    await engine.settle(engine.acme.invoices.addCharges({ accountId: id, items, autoCommit: true }));
    await newTypes();
    await close(id, { itemAdjustUnpaidInvoices: true });
    expect((await newTypes()).filter((type) => type === 'INVOICE_ADJUSTMENT')).to.have.length(2);
  });

  it('writes an invoice off instead of adjusting its items if both are requested (accounts E9)', async () => {
    const id = await partlyPaid();
    await close(id, { itemAdjustUnpaidInvoices: true, writeOffUnpaidInvoices: true });
    expect(await itemsOf(id)).to.eql(['EXTERNAL_CHARGE 100']);
    expect(await engine.balancesOf(id)).to.eql(['0', '0']);
    expect(await tagsOf(id)).to.eql(['ACCOUNT AUTO_INVOICING_OFF', 'INVOICE WRITTEN_OFF']);
    expect(await newTypes()).to.eql(['TAG_CREATION', 'TAG_CREATION', 'INVOICE_ADJUSTMENT', 'BLOCKING_STATE']);
    await expectCode(subscribe(id), 6000);
  });

  it('leaves invoices unpaid if no flag is set, and changes nothing if repeated', async () => {
    const id = await engine.settle(charged('10'));
    await newTypes();
    await close(id);
    expect(await newTypes()).to.eql(['TAG_CREATION', 'BLOCKING_STATE']);
    await close(id);
    expect(await newTypes()).to.eql([]);
    expect(await engine.balancesOf(id)).to.eql(['10', '0']);
    const states = await rowsOf(engine.database, `select state_name from bw_blocking_states`);
    expect(states.map((row) => row.state_name)).to.eql(['CLOSE_ACCOUNT']);
  });

  it('covers the remaining unpaid invoices when repeated, but not the adjusted items', async () => {
    const id = await charged('10');
    await close(id);
    await close(id, { itemAdjustUnpaidInvoices: true });
    await close(id, { itemAdjustUnpaidInvoices: true });
    expect(await itemsOf(id)).to.eql(['EXTERNAL_CHARGE 10', 'ITEM_ADJ -10']);
  });

  it('can be repeated after another blocking state has reopened the account to subscriptions', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await close(id);
    const openedAt = engine.clock.now();
    const clearing = { service: 'account-service', stateName: 'OPEN_ACCOUNT' };
    engine.clock.advance({ days: 1 });
    await engine.acme.blocking.add({ type: 'ACCOUNT', id }, clearing);
    await engine.acme.tags.remove({ type: 'ACCOUNT', id }, [SystemTag.AUTO_INVOICING_OFF]);
    await subscribe(id);
    engine.clock.advance({ days: 1 });
    await close(id);
    await expectCode(subscribe(id), 6000);
    const states = await engine.acme.blocking.ofAccount(id, { services: ['account-service'] });
    expect(states.map(({ stateName }) => stateName)).to.eql([
      'CLOSE_ACCOUNT',
      'OPEN_ACCOUNT',
      'CLOSE_ACCOUNT',
    ]);
    expect(states[0]).to.include({
      type: 'ACCOUNT',
      isBlockChange: true,
      isBlockEntitlement: false,
      isBlockBilling: false,
    });
    expect(states[0]?.effective.at.getTime()).to.equal(openedAt);
  });

  it("adjusts committed unpaid invoices on the account's local date, but not drafts or invoices of children", async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD', timeZone: 'America/New_York' });
    const child = await engine.acme.createAccount({ currency: 'USD', parentAccountId: id });
    const charge = (accountId: Uuid, autoCommit: boolean) =>
      engine.acme.invoices.addCharges({ accountId, autoCommit, items: [{ amount: '10' }] });
    await charge(id, true);
    await charge(id, false);
    await charge(child.id, true);
    await engine.acme.invoices.addTaxes({ accountId: id, autoCommit: true, items: [{ amount: '2' }] });
    await close(id, { itemAdjustUnpaidInvoices: true });
    const expected = ['EXTERNAL_CHARGE 10', 'ITEM_ADJ -10', 'EXTERNAL_CHARGE 10', 'TAX 2', 'ITEM_ADJ -2'];
    expect(await itemsOf(id)).to.have.members(expected);
    const invoices = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
    const adjustment = invoices.flatMap(({ items }) => items).find(({ itemType }) => itemType === 'ITEM_ADJ');
    expect(adjustment?.startDate).to.equal('2023-12-31');
    expect(invoices.filter(({ status }) => status === 'DRAFT')).to.have.length(1);
    expect(await itemsOf(child.id)).to.eql(['EXTERNAL_CHARGE 10']);
    expect(await tagsOf(child.id)).to.eql([]);
    await subscribe(child.id);
  });

  it('describes adjustments with the comment of the call, or "Close Account" if the call has no comment', async () => {
    const descriptionOf = async (id: Uuid) => {
      const [invoice] = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
      return invoice?.items[1]?.description;
    };
    const first = await charged('10');
    await close(first, { itemAdjustUnpaidInvoices: true });
    expect(await descriptionOf(first)).to.equal('Close Account');
    const second = await charged('10');
    const caller = { tenant: engine.tenant, user: 'demo', comment: 'moved away' };
    await engine.billing.as(caller).accounts.close(second, { itemAdjustUnpaidInvoices: true });
    expect(await descriptionOf(second)).to.equal('moved away');
  });

  it('removes the planned work of the account on request, but not the work of other accounts', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const other = await engine.acme.createAccount({ currency: 'USD' });
    await engine.settle(subscribe(id));
    const own = await planned();
    await engine.settle(subscribe(other.id));
    expect(own).to.not.eql([]);
    await close(id);
    expect((await planned()).length).to.equal(2 * own.length);
    await close(id, { removeFutureNotifications: true });
    expect((await planned()).length).to.equal(own.length);
    expect(await topicsOf("bw_queue_history where processing_state = 'REMOVED'")).to.have.members(own);
    await engine.runTo('2024-02-02T00:00:00Z');
    expect(await itemsOf(id)).to.have.length(1);
    expect(await itemsOf(other.id)).to.have.length(2);
  });

  it('keeps its own scheduled cancellations when it removes planned work', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await engine.settle(subscribe(id));
    await close(id, { cancelAllSubscriptions: true, removeFutureNotifications: true });
    expect(await planned()).to.eql(['subscription-service:subscription-events']);
    await engine.settle();
    await newTypes();
    await engine.runTo('2024-02-01T00:00:00Z');
    expect((await newTypes()).filter((type) => /CANCEL/.test(type))).to.eql(['SUBSCRIPTION_CANCEL']);
    const { billingEnd } = await engine.acme.getSubscription(subscriptionId);
    expect(billingEnd?.date).to.equal('2024-02-01');
    expect(await itemsOf(id)).to.have.length(1);
  });

  it('ends the service of all subscriptions immediately, and their billing at the end of the invoiced period', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const { subscriptionId: ended } = await subscribe(id);
    const live = [await subscribe(id), await subscribe(id)];
    await engine.settle();
    const policies = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;
    await engine.settle(engine.acme.subscriptions.cancel(ended, policies));
    await newTypes();
    await close(id, { cancelAllSubscriptions: true });
    expect((await newTypes()).filter((type) => /CANCEL/.test(type))).to.eql([
      'SUBSCRIPTION_CANCEL',
      'ENTITLEMENT_CANCEL',
      'SUBSCRIPTION_CANCEL',
      'ENTITLEMENT_CANCEL',
    ]);
    for (const { subscriptionId } of live) {
      const { state, billingEnd, chargedThrough } = await engine.acme.getSubscription(subscriptionId);
      expect(state).to.equal('CANCELLED');
      expect(billingEnd).to.eql(chargedThrough);
    }
    expect(await engine.acme.getSubscription(ended)).to.include({ state: 'ACTIVE' });
    await close(id, { cancelAllSubscriptions: true });
    expect((await newTypes()).filter((type) => /CANCEL/.test(type))).to.eql([]);
  });

  it('cancels a fixed term at its end, even if an earlier plan was invoiced beyond that end', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const request = { accountId, planName: 'pro-annual', phaseType: 'EVERGREEN' } as const;
    const { subscriptionId } = await engine.subscribe(request);
    await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    const change = { planName: 'term-3m', billingPolicy: 'IMMEDIATE' } as const;
    await engine.acme.subscriptions.changePlan(subscriptionId, change);
    await close(accountId, { cancelAllSubscriptions: true });
    const { state, billingEnd } = await engine.acme.getSubscription(subscriptionId);
    expect([state, billingEnd?.date]).to.eql(['CANCELLED', '2024-04-01']);
  });

  describe('with a pending invoice run', () => {
    /** Creates an account whose subscription of 19.95 was paid on 01-01 and is canceled immediately on 01-11. */
    async function cancelled(): Promise<Uuid> {
      const { id } = await engine.payingAccount({ currency: 'USD' });
      const { subscriptionId } = await subscribe(id);
      await engine.runTo('2024-01-11T00:00:00Z');
      await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      return id;
    }
    const CREDITED = ['RECURRING 19.95', 'REPAIR_ADJ -13.51', 'CBA_ADJ 13.51'];

    it('credits an uninvoiced cancellation before the account is closed', async () => {
      const id = await cancelled();
      await close(id);
      expect(await itemsOf(id)).to.eql(CREDITED);
      expect(await engine.balancesOf(id)).to.eql(['-13.51', '13.51']);
      await engine.runTo('2024-03-01T00:00:00Z');
      expect(await itemsOf(id)).to.eql(CREDITED);
    });

    it('credits an uninvoiced cancellation before the account is closed, even if a background worker processes the queue', async () => {
      const ids: Uuid[] = [];
      for (let each = 0; each < 8; each += 1) {
        engine.clock.set('2024-01-01T00:00:00Z');
        ids.push(await cancelled());
        if (each === 0) engine.billing.start();
        await close(ids[each] as Uuid);
      }
      await engine.settle();
      for (const id of ids) expect(await itemsOf(id)).to.eql(CREDITED);
    });

    it('leaves the work of other accounts in the queue', async () => {
      const { id: other } = await engine.payingAccount({ currency: 'USD' });
      const { subscriptionId } = await subscribe(other);
      const id = await cancelled();
      await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await close(id);
      expect(await itemsOf(other)).to.eql(['RECURRING 19.95']);
      await engine.settle();
      expect(await itemsOf(other)).to.eql(CREDITED);
    });

    it('processes due work before the account is closed, in the order of the queue', async () => {
      const { id } = await engine.payingAccount({ currency: 'USD' });
      await engine.settle(subscribe(id));
      engine.clock.set('2024-03-15T00:00:00Z');
      await close(id, { cancelAllSubscriptions: true });
      expect(await itemsOf(id)).to.eql(['RECURRING 19.95', 'RECURRING 19.95', 'RECURRING 19.95']);
      expect(await engine.balancesOf(id)).to.eql(['0', '0']);
    });

    it('waits for work that another node holds, and fails at the time limit for a busy account', async () => {
      const id = await cancelled();
      const claim = {
        node: 'another',
        claimId: '11111111-1111-4111-8111-111111111111' as Uuid,
        limit: 1,
        topics: ['SUBSCRIPTION_CANCEL'],
        businessNow: engine.clock.now(),
        systemNowMs: engine.systemClock.nowMs(),
        leaseEndsAtMs: engine.systemClock.nowMs() + 3_600_000,
      };
      const settings = JSON.stringify({ 'org.service.invoice.globalLock.retries': '2' });
      await engine.acme.keyValues.add('PER_TENANT_CONFIG', settings);
      const held = await engine.storage.queue.claim(claim);
      expect(held).to.have.length(1);
      await newTypes();
      await expectCode(close(id), 'BUSY');
      expect(await newTypes(), 'nothing is written').to.eql([]);
      expect(await tagsOf(id)).to.eql([]);
      await engine.storage.queue.release(held, engine.systemClock.nowMs());
      await close(id);
      expect(await itemsOf(id)).to.eql(CREDITED);
    });
  });

  it('is rejected for an unknown account', () =>
    expectCode(close('11111111-1111-4111-8111-111111111111' as Uuid), 3002));

  it('keeps AUTO_INVOICING_OFF if the account already had the tag', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.tags.add({ type: 'ACCOUNT', id }, [SystemTag.AUTO_INVOICING_OFF]);
    await close(id);
    expect(await tagsOf(id)).to.eql(['ACCOUNT AUTO_INVOICING_OFF']);
  });
});
