import { createRunningSubscription, eachDatabaseByTurns, expect, serveOnce } from '../support/http/index.ts';

eachDatabaseByTurns.describe('subscription lifecycle over HTTP', (open) => {
  const serving = serveOnce(open);
  const { call } = serving;
  let path: string;

  before(async () => {
    path = `/1.0/kb/subscriptions/${await createRunningSubscription(serving)}`;
  });

  const sprout = { planName: 'sprout-monthly' };
  const refused: readonly (readonly [
    name: string,
    method: 'PUT' | 'DELETE',
    query: string,
    body: unknown,
  ])[] = [
    ['a product without a price list', 'PUT', '', { productName: 'Sprout', billingPeriod: 'MONTHLY' }],
    ['a missing body', 'PUT', '', undefined],
    ['a date together with a policy', 'PUT', '?requestedDate=2030-01-01&billingPolicy=IMMEDIATE', sprout],
    ['the policy ILLEGAL', 'PUT', '?billingPolicy=ILLEGAL', sprout],
    ['an unknown policy', 'PUT', '?billingPolicy=SOON', sprout],
    ['an invalid date', 'PUT', '?requestedDate=soon', sprout],
    ['a quantity of zero', 'PUT', '', { ...sprout, quantity: 0 }],
    ['a cancellation with an unknown policy', 'DELETE', '?entitlementPolicy=START_OF_TERM', undefined],
    ['a cancellation at an invalid date', 'DELETE', '?requestedDate=soon', undefined],
    ['a cancellation before the start', 'DELETE', '?requestedDate=2000-01-01', undefined],
    ['an uncancellation of a running subscription', 'PUT', '/uncancel', undefined],
    ['an undo without a pending change', 'PUT', '/undoChangePlan', undefined],
  ];
  for (const [name, method, query, body] of refused)
    it(`rejects ${name} and stores nothing`, async () => {
      const before = await call('GET', path);
      const reply = await call(method, `${path}${query}`, body === undefined ? {} : { body });
      expect(reply.status, reply.text).to.equal(400);
      expect((await call('GET', path)).json).to.eql(before.json);
    });

  it('returns the cancellation date and the billing end date of a canceled subscription', async () => {
    const query = 'requestedDate=2030-01-01&useRequestedDateForBilling=true';
    expect((await call('DELETE', `${path}?${query}`)).status).to.equal(204);
    expect((await call('GET', path)).json).to.include({
      cancelledDate: '2030-01-01',
      billingEndDate: '2030-01-01',
    });
    expect((await call('PUT', `${path}/uncancel`)).status).to.equal(204);
    expect((await call('GET', path)).json).to.include({ cancelledDate: null, billingEndDate: null });
  });
});
