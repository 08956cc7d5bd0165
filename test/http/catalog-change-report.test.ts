import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { aliasHeaders, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { createAccount, createdId, expectStatus, serveOnce, xmlType } from '../support/http/serving.ts';

eachDatabaseByTurns.describe('catalog change report over HTTP', (open) => {
  const serving = serveOnce(open);

  const path = '/1.0/kb/catalog/xml/changeReport';

  it('is the same JSON document in both dialects, and stores nothing', async () => {
    const { call, billing, post, get } = serving;
    const first = pricedCatalog({ effectiveDate: '2024-01-01', price: '40.00' });
    await post('/catalog/xml', first, xmlType);
    const accountId = await createAccount({ call });
    const subscription = await post('/subscriptions', { accountId, planName: 'heat-monthly' });
    await billing.settle();
    const candidate = pricedCatalog({
      effectiveDate: '2024-04-01',
      price: '52.50',
      forExisting: '2024-05-01',
    });
    const reply = expectStatus(await call('POST', path, { body: candidate, headers: xmlType }), 200);
    expect(reply.headers.get('content-type')).to.equal('application/json');
    const { bundleId } = (await get(`/subscriptions/${createdId(subscription)}`)).json as {
      bundleId: string;
    };
    expect(reply.json).to.eql({
      catalogValidationErrors: [],
      catalogValidationWarnings: [],
      priceChanges: [
        {
          accountId,
          bundleId,
          subscriptionId: createdId(subscription),
          planName: 'heat-monthly',
          phaseName: 'heat-monthly-evergreen',
          priceType: 'RECURRING',
          usage: null,
          currency: 'USD',
          effectiveDate: '2024-05-01T00:00:00.000Z',
          effectiveLocalDate: '2024-05-01',
          oldPrice: 40,
          newPrice: 52.5,
          difference: 12.5,
          oldBillingPeriod: 'MONTHLY',
          newBillingPeriod: 'MONTHLY',
          catalogEffectiveDate: '2024-04-01T00:00:00.000Z',
        },
      ],
      unbillableAccounts: [],
      unbillableAccountCount: 0,
      subscriptions: 1,
      changedSubscriptions: 1,
    });
    const inK = await call('POST', path, { body: candidate, headers: { ...aliasHeaders, ...xmlType } });
    expect(inK.json).to.eql(reply.json);
    const { json: versions } = await get('/catalog', aliasHeaders);
    expect(versions).to.have.length(1);
  });

  it('has status 200 even for an invalid document, and lists the errors', async () => {
    const reply = await serving.call('POST', path, {
      body: '<catalog><nothing/></catalog>',
      headers: xmlType,
    });
    expect(reply.status).to.equal(200);
    const { catalogValidationErrors: errors, ...rest } = reply.json as {
      catalogValidationErrors: { errorDescription: string }[];
    };
    expect(errors).to.have.length(1);
    expect(errors[0]?.errorDescription).to.match(/^line 1, column \d+: /);
    expect(rest).to.include({ subscriptions: 0, changedSubscriptions: 0 });
  });

  it('requires the upload permission and XML', async () => {
    const anonymous = await serving.call('POST', path, {
      body: pricedCatalog({ effectiveDate: '2024-04-01', price: '1' }),
      headers: { ...xmlType, authorization: undefined },
    });
    expect(anonymous.status).to.equal(401);
    expect((await serving.call('POST', path, { body: {} })).status).to.equal(415);
  });
});
