import { aliasHeaders, createAccount, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { createdId, exampleCatalog, expectStatus, serveOnce, xmlType } from '../support/http/serving.ts';

type Json = Readonly<Record<string, unknown>>;

eachDatabaseByTurns.describe('numeric dates from typed clients in dialect K', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  before(async () => {
    await serving.post('/catalog', await exampleCatalog(), xmlType);
    accountId = await createAccount(serving);
  });

  const inK = (path: string, body: unknown) => serving.post(`/${path}`, body, aliasHeaders);
  const read = async (path: string) => (await serving.get(`/${path}`)).json as Json;

  it('are accepted in charges, credits and taxes (R46)', async () => {
    const dates = { startDate: [2012, 9, 25], endDate: [2012, 10, 5] };
    for (const [path, startDate] of [
      [`invoices/charges/${accountId}?autoCommit=true`, '2012-09-25'],
      [`invoices/taxes/${accountId}?autoCommit=true`, '2012-09-25'],
      // The call date is the date of a credit.
      ['credits?autoCommit=true', '2024-02-10'],
    ] as const) {
      const { status, json } = await inK(path, [{ accountId, amount: 3, ...dates }]);
      expect(status, path).to.equal(201);
      expect((json as readonly Json[])[0], path).to.include({ startDate });
    }
  });

  it('are accepted in a migration invoice (R46)', async () => {
    const item = { amount: 3, itemType: 'EXTERNAL_CHARGE', startDate: [2012, 9, 5], endDate: [2012, 9, 25] };
    const made = expectStatus(await inK(`invoices/migration/${accountId}`, [item]), 201);
    const { items } = await read(`invoices/${createdId(made)}`);
    expect((items as readonly Json[])[0]).to.include({ startDate: '2012-09-05', endDate: '2012-09-25' });
  });

  it('are accepted in a dry run (R46)', async () => {
    const body = {
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'START_BILLING',
      planName: 'canopy-monthly',
      effectiveDate: [2024, 3, 1],
    };
    const path = `invoices/dryRun?accountId=${accountId}&targetDate=2024-03-01`;
    const { status, json } = await inK(path, body);
    expect(status).to.equal(200);
    const same = await inK(path, { ...body, effectiveDate: '2024-03-01' });
    const datesOf = (invoice: unknown) =>
      (invoice as { readonly items: readonly Json[] }).items.map(({ startDate, amount }) => [
        startDate,
        amount,
      ]);
    expect(datesOf(json)).to.eql(datesOf(same.json));
    expect(datesOf(json)).to.not.deep.equal([]);
  });

  it('are treated as missing only if a Go client left them unset (http-api §9 rule 6)', async () => {
    const unset = '0001-01-01T00:00:00.000Z';
    const made = await inK('accounts', { currency: 'USD', referenceTime: unset });
    const { referenceTime } = await read(`accounts/${createdId(made)}`);
    expect(referenceTime).to.equal('2024-02-10T08:15:30.000Z');
    const charge = { accountId, amount: 3, currency: 'USD', startDate: '0001-01-01', endDate: '0001-01-01' };
    const charged = await inK(`invoices/charges/${accountId}`, [charge]);
    expect((charged.json as readonly Json[])[0]).to.include({ startDate: '2024-02-10', endDate: null });
    const inD = await createAccount(serving, { currency: 'USD', referenceTime: unset });
    expect((await read(`accounts/${inD}`)).referenceTime).to.equal(unset);
  });

  it('can be milliseconds, seven numbers or a date where a date-time is expected (R46)', async () => {
    for (const [referenceTime, shown] of [
      [1_348_558_200_000, '2012-09-25T07:30:00.000Z'],
      [[2012, 9, 25, 7, 30, 15, 0], '2012-09-25T07:30:15.000Z'],
      [[2012, 9, 25], '2012-09-25T00:00:00.000Z'],
    ] as const) {
      const made = expectStatus(await inK('accounts', { referenceTime }), 201);
      expect(await read(`accounts/${createdId(made)}`)).to.include({ referenceTime: shown });
    }
  });

  it('are rejected with the field name if they are invalid, and are always rejected in dialect D (R46)', async () => {
    const refused = await inK(`invoices/charges/${accountId}`, [{ amount: 3, startDate: [2012, 9, 31] }]);
    expect(refused.json).to.include({
      code: 60001,
      message: 'InvoiceItemJson 0.startDate is not a date (yyyy-MM-dd): a list',
    });
    const timed = await inK('accounts', { referenceTime: [2012, 9, 25, 7] });
    expect(timed.json).to.include({
      code: 60001,
      message: 'AccountJson referenceTime is not a date-time: a list',
    });
    const inD = await serving.post(`/invoices/charges/${accountId}`, [
      { amount: 3, startDate: [2012, 9, 25] },
    ]);
    expect([inD.status, (inD.json as Json).code]).to.eql([400, 60001]);
  });
});
