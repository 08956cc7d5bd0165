import { createRunningSubscription, eachDatabaseByTurns, expect, serveOnce } from '../support/http/index.ts';

eachDatabaseByTurns('cancelling and changing over HTTP', (open) => {
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
    ['a product without price list', 'PUT', '', { productName: 'Sprout', billingPeriod: 'MONTHLY' }],
    ['no body', 'PUT', '', undefined],
    ['date and policy', 'PUT', '?requestedDate=2030-01-01&billingPolicy=IMMEDIATE', sprout],
    ['policy ILLEGAL', 'PUT', '?billingPolicy=ILLEGAL', sprout],
    ['no policy', 'PUT', '?billingPolicy=SOON', sprout],
    ['no date', 'PUT', '?requestedDate=soon', sprout],
    ['a quantity of nothing', 'PUT', '', { ...sprout, quantity: 0 }],
    ['to cancel by no policy', 'DELETE', '?entitlementPolicy=START_OF_TERM', undefined],
    ['to cancel at no date', 'DELETE', '?requestedDate=soon', undefined],
    ['to cancel before the start', 'DELETE', '?requestedDate=2000-01-01', undefined],
    ['to uncancel what runs', 'PUT', '/uncancel', undefined],
    ['to undo no change', 'PUT', '/undoChangePlan', undefined],
  ];
  for (const [name, method, query, body] of refused) {
    it(`a call on a subscription refuses ${name}, and stores nothing`, async () => {
      const before = await call('GET', path);
      const reply = await call(method, `${path}${query}`, body === undefined ? {} : { body });
      expect(reply.status, reply.text).to.equal(400);
      expect((await call('GET', path)).json).to.eql(before.json);
    });
  }

  it('shows the ends of a cancelled subscription as dates', async () => {
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
