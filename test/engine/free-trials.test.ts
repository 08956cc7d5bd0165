import type { Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBeforeEach, expect, expectCode, newEvents } from '../support/index.ts';

const DROPS = 'org.service.invoice.disable.trial.zero.amount';

eachDatabase.describe('free trials without an invoice (invoicing §5.1 rule 4)', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-03-01T06:00:00Z' });
  const { acme } = engine;
  let accountId: Uuid;
  beforeEach(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [DROPS]: true }));
  });

  const chargedThrough = async (subscriptionId: Uuid) =>
    (await acme.getSubscription(subscriptionId)).chargedThrough?.date;
  const charge = 'RECURRING 2024-03-31..2024-04-30 249.95';

  it('set the charged-through date to the end of the trial, and are followed by the bill for the first month', async () => {
    const events = newEvents(engine.database);
    await events();
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'pro-monthly' });
    expect(await events()).not.to.include('INVOICE_CREATION');
    expect(await engine.linesOf(accountId)).to.eql([]);
    expect(await chargedThrough(subscriptionId)).to.equal('2024-03-31');
    await expectCode(
      acme.invoices.generate({ accountId, targetDate: '2024-03-01' }),
      'INVOICE_NOTHING_TO_DO',
    );
    await engine.runTo('2024-03-31T06:00:00Z');
    expect(await engine.linesOf(accountId)).to.eql([charge]);
    expect(await chargedThrough(subscriptionId)).to.equal('2024-04-30');
  });

  it('continue until their end if they are canceled at the end of the term', async () => {
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'pro-monthly' });
    await acme.subscriptions.cancel(subscriptionId, {
      entitlementPolicy: 'END_OF_TERM',
      billingPolicy: 'END_OF_TERM',
    });
    expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE 2024-03-31 2024-03-31');
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await engine.linesOf(accountId)).to.eql([]);
  });

  it('keep their end after a plan change, and never move the charged-through date back', async () => {
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'pro-monthly' });
    await engine.runTo('2024-03-11T06:00:00Z');
    await engine.settle(acme.subscriptions.changePlan(subscriptionId, { planName: 'solo-monthly' }));
    expect(await chargedThrough(subscriptionId)).to.equal('2024-03-31');
    await engine.runTo('2024-04-05T06:00:00Z');
    const through = await chargedThrough(subscriptionId);
    await engine.settle(
      acme.subscriptions.changeQuantity(subscriptionId, {
        quantity: 2,
        effectiveFromDate: '2024-03-05',
        allowPastDate: true,
      }),
    );
    expect(await chargedThrough(subscriptionId)).to.equal(through);
  });

  it('keep their items on earlier invoices, but add no item to invoices with other charges', async () => {
    await acme.keyValues.delete('PER_TENANT_CONFIG');
    await engine.subscribe({ accountId, planName: 'pro-monthly' });
    const free = 'FIXED 2024-03-01..2024-03-31 0';
    expect(await engine.linesOf(accountId)).to.eql([free]);
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [DROPS]: true }));
    await engine.subscribe({ accountId, planName: 'solo-monthly' });
    expect(await engine.linesOf(accountId)).to.eql([free]);
  });
});
