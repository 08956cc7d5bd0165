import { createRunningSubscription, expectRefusal, expectStatus, serveOnce } from '../support/http/index.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

eachDatabaseByTurns.describe('bill cycle day and quantity API', (open) => {
  const serving = serveOnce(open);
  const { call } = serving;
  let path: string;

  before(async () => {
    path = `/1.0/kb/subscriptions/${await createRunningSubscription(serving)}`;
  });

  const refused: readonly (readonly [name: string, query: string, body: unknown, code: number])[] = [
    ['a day of 0', '/bcd', { billCycleDayLocal: 0 }, 60003],
    ['a day of 32', '/bcd', { billCycleDayLocal: 32 }, 60003],
    ['a missing day', '/bcd', {}, 60003],
    ['a missing body for a day', '/bcd', undefined, 60003],
    ['a non-numeric day', '/bcd', { billCycleDayLocal: 'first' }, 60001],
    ['a day from a past date', '/bcd?effectiveFromDate=2001-01-01', { billCycleDayLocal: 3 }, 60002],
    ['a day from an invalid date', '/bcd?effectiveFromDate=soon', { billCycleDayLocal: 3 }, 60002],
    ['a quantity of 0', '/quantity', { quantity: 0 }, 60003],
    ['a missing quantity', '/quantity', {}, 60003],
    ['a missing body for a quantity', '/quantity', undefined, 60003],
    ['a quantity from a past date', '/quantity?effectiveFromDate=2001-01-01', { quantity: 3 }, 60002],
    ['a quantity from an invalid date', '/quantity?effectiveFromDate=soon', { quantity: 3 }, 60002],
  ];
  for (const [name, query, body, code] of refused)
    it(`rejects ${name} and stores nothing`, async () => {
      const before = await call('GET', path);
      expectRefusal(await call('PUT', `${path}${query}`, body === undefined ? {} : { body }), 400, code);
      expect((await call('GET', path)).json).to.eql(before.json);
    });

  it('applies a change immediately, or on a past date if forced', async () => {
    const day = await call(
      'PUT',
      `${path}/bcd?effectiveFromDate=2001-01-01&forceNewBcdWithPastEffectiveDate=true`,
      { body: { billCycleDayLocal: 10 } },
    );
    expect(day.status, day.text).to.equal(204);
    expectStatus(await call('PUT', `${path}/quantity`, { body: { quantity: 3 } }), 204);
    expect((await call('GET', path)).json).to.include({ billCycleDayLocal: 10, quantity: 3 });
    expect(
      await call(
        'PUT',
        `${path}/quantity?effectiveFromDate=2001-01-01&forceNewQuantityWithPastEffectiveDate=true`,
        { body: { quantity: '4' } },
      ),
    ).to.include({ status: 204 });
  });

  it('returns 404 for a missing subscription', async () => {
    const unknown = '/1.0/kb/subscriptions/00000000-0000-7000-8000-000000000000';
    for (const [sub, body] of [
      ['bcd', { billCycleDayLocal: 3 }],
      ['quantity', { quantity: 3 }],
    ] as const) {
      expectRefusal(await call('PUT', `${unknown}/${sub}`, { body }), 404, 1082);
    }
  });
});
