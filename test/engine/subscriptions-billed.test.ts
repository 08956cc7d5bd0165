import { isDeepStrictEqual } from 'node:util';
import type { Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('invoice runs for subscriptions', (open) => {
  let engine: TestEngine;

  async function begin(now: string): Promise<void> {
    engine = await openEngine(open, { now });
  }

  const linesOf = (accountId: Uuid): Promise<readonly string[]> => engine.linesOf(accountId);

  it('bill the first recurring period on local dates (subscriptions W1 "Zone rules")', async () => {
    await begin('2017-03-02T07:30:00Z');
    const { acme } = engine;
    const account = await acme.createAccount({ currency: 'USD', timeZone: 'America/Los_Angeles' });
    await acme.createSubscription({ accountId: account.id, planName: 'pro-monthly' });
    await engine.runTo('2017-04-01T06:29:59Z');
    expect(await linesOf(account.id)).to.eql(['FIXED 2017-03-01..2017-03-31 0']);
    expect((await acme.getAccount(account.id)).billCycleDayLocal).to.equal(31);

    await engine.runTo('2017-04-01T06:30:00Z');
    expect(await linesOf(account.id)).to.eql([
      'FIXED 2017-03-01..2017-03-31 0',
      'RECURRING 2017-03-31..2017-04-30 249.95',
    ]);
  });

  it('set the bill cycle day and the charged-through date of a subscription in the first run (subscriptions W3 "Create")', async () => {
    await begin('2024-03-01T08:00:00Z');
    const { acme } = engine;
    const account = await acme.createAccount({ currency: 'USD' });
    engine.clock.set('2024-03-01T09:15:00Z');
    const { subscriptionId } = await acme.createSubscription({
      accountId: account.id,
      planName: 'pro-monthly',
    });
    expect(await acme.getSubscription(subscriptionId)).to.include({
      billCycleDayLocal: null,
      chargedThrough: null,
    });

    await engine.billing.settle();
    const { billCycleDayLocal, chargedThrough } = await acme.getSubscription(subscriptionId);
    expect(billCycleDayLocal).to.equal(31);
    expect(chargedThrough?.date).to.equal('2024-03-31');
  });

  it('prorate the first period up to the requested bill cycle day (subscriptions W16)', async () => {
    await begin('2018-06-21T00:00:00Z');
    const { acme } = engine;
    const account = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 21 });
    const request = { accountId: account.id, planName: 'solo-now', billCycleDayLocal: 15 };
    const { subscriptionId } = await acme.createSubscription(request);
    await engine.runTo('2018-07-15T00:00:00Z');
    expect(await linesOf(account.id)).to.eql([
      'RECURRING 2018-06-21..2018-07-15 15.96',
      'RECURRING 2018-07-15..2018-08-15 19.95',
    ]);
    expect(await acme.getSubscription(subscriptionId)).to.include({ billCycleDayLocal: 15 });
  });

  it('multiply amounts by the quantity, and stop billing at the end of the term', async () => {
    await begin('2023-01-01T00:00:00Z');
    const { acme } = engine;
    const account = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await acme.createSubscription({ accountId: account.id, planName: 'term-3m', quantity: 2 });
    await engine.runTo('2023-12-01T00:00:00Z');
    expect(await linesOf(account.id)).to.eql([
      'RECURRING 2023-01-01..2023-02-01 80',
      'RECURRING 2023-02-01..2023-03-01 80',
      'RECURRING 2023-03-01..2023-04-01 80',
    ]);
  });

  it('skip a subscription without a stored start, log a warning and bill the others (subscriptions §19.2 rule 2)', async () => {
    await begin('2024-01-01T00:00:00Z');
    const { acme, storage, tenant, logger } = engine;
    const account = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const sell = (planName: string) => acme.createSubscription({ accountId: account.id, planName });
    const { subscriptionId } = await sell('pro-monthly');
    await engine.settle(sell('solo-now'));
    const authorship = {
      userName: 'test',
      reasonCode: null,
      comments: null,
      createdDate: engine.clock.now(),
    };
    await storage.write(tenant, { ...authorship, userTokenOf: () => account.id }, async (session) => {
      const stored = await session.subscriptions.findEvents([subscriptionId]);
      const start = stored.filter(({ type }) => type === 'CREATE');
      await session.subscriptions.setEventActivity(
        start.map(({ id }) => ({ id, isActive: false, deactivatedBy: null })),
      );
    });
    await engine.runTo('2024-02-01T00:00:00Z');
    expect((await linesOf(account.id)).toSorted()).to.eql([
      'FIXED 2024-01-01..2024-01-31 0',
      'RECURRING 2024-01-01..2024-02-01 19.95',
      'RECURRING 2024-02-01..2024-03-01 19.95',
    ]);
    const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    const warned = { accountId: account.id, subscriptionIds: [subscriptionId] };
    expect(warnings().filter((fields) => isDeepStrictEqual({ ...fields, ...warned }, fields))).to.not.be
      .empty;
    const before = warnings().length;
    await acme.generateInvoice({ accountId: account.id, targetDate: '2024-03-01' });
    const later = warnings().slice(before);
    expect(later).to.have.length(1);
    expect(later[0]).to.deep.include(warned);
  });

  it('cover a term that is already over when the subscription is created', async () => {
    await begin('2023-12-01T00:00:00Z');
    const { acme } = engine;
    const account = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await acme.createSubscription(
      { accountId: account.id, planName: 'term-3m' },
      { billingDate: '2023-01-01' },
    );
    await engine.billing.settle();
    expect(await linesOf(account.id)).to.eql([
      'RECURRING 2023-01-01..2023-02-01 40',
      'RECURRING 2023-02-01..2023-03-01 40',
      'RECURRING 2023-03-01..2023-04-01 40',
    ]);
  });
});
