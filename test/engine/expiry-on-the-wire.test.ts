import { Subscription } from '../../adapters/koa/models/subscription.ts';
import type { JsonText } from '../../adapters/koa/wire/json-pieces.ts';
import { renderingWithoutAudit } from '../../adapters/koa/wire/wire-type.ts';
import { eachDatabaseByTurns, expect, openEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('expired fixed-term subscription', (open) => {
  it('shows its former plan in the library and over HTTP (json-models §6)', async () => {
    const engine = await openEngine(open, { now: '2023-01-01T00:00:00Z' });
    const account = await engine.payingAccount({ currency: 'USD' });
    const request = { accountId: account.id, planName: 'term-3m' };
    const { subscriptionId } = await engine.acme.createSubscription(request);
    await engine.runTo('2023-04-01T00:00:00Z');
    const view = await engine.acme.getSubscription(subscriptionId);
    expect(view.state).to.equal('EXPIRED');
    expect(view.events.at(-1)).to.include({ eventType: 'STOP_BILLING', plan: 'term-3m' });
    const outline = await engine.billing.outlines.subscription(
      await engine.billing.context({ tenant: engine.tenant, user: 'test' }),
      subscriptionId,
    );
    const json = Subscription.write(outline, renderingWithoutAudit('D'));
    const events = [...(json.events as Iterable<JsonText>)].map((event) => event.toJSON());
    expect(events.at(-1)).to.include({
      eventType: 'STOP_BILLING',
      plan: 'term-3m',
      product: 'Solo',
      priceList: 'DEFAULT',
      phase: 'term-3m-fixedterm',
      billingPeriod: 'MONTHLY',
    });
    expect(events.at(0)).to.include({ plan: 'term-3m' });
  });
});
