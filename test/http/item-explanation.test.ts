import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { aliasHeaders, createAccount, expectStatus, serveOnce, xmlType } from '../support/http/serving.ts';

eachDatabaseByTurns.describe('invoice item explanation API', (open) => {
  const serving = serveOnce(open);

  it('returns the same facts, steps and text in both dialects', async () => {
    const { call, billing, post, get } = serving;
    const catalog = pricedCatalog({ effectiveDate: '2020-01-01', price: '31.00' });
    await post('/catalog/xml', catalog, xmlType);
    const body = { currency: 'USD', billCycleDayLocal: 1 };
    const accountId = await createAccount({ call }, body);
    await post('/subscriptions?billingDate=2024-01-15&entitlementDate=2024-01-15', {
      accountId,
      planName: 'heat-monthly',
    });
    await billing.settle();
    const invoices = await get(`/accounts/${accountId}/invoices?includeInvoiceComponents=true`);
    const [invoice] = invoices.json as readonly {
      readonly items: readonly { readonly invoiceItemId: string; readonly invoiceId: string }[];
    }[];
    const item = invoice?.items[0];
    const path = `/1.0/kb/invoiceItems/${item?.invoiceItemId}/explanation`;
    const reply = expectStatus(await call('GET', path), 200);
    expect(reply.json).to.deep.include({
      invoiceItemId: item?.invoiceItemId,
      invoiceId: item?.invoiceId,
      itemType: 'RECURRING',
      amount: 17,
      computedAmount: 17,
      currency: 'USD',
      planName: 'heat-monthly',
      phaseName: 'heat-monthly-evergreen',
      startDate: '2024-01-15',
      endDate: '2024-02-01',
      catalogEffectiveDate: '2020-01-01T00:00:00.000Z',
      linkedInvoiceItemId: null,
      nextEvent: null,
      rule: 'LEADING',
      price: 31,
      quantity: 1,
      billingPeriod: 'MONTHLY',
      billingMode: 'IN_ADVANCE',
      billCycleDayLocal: 1,
      isAccountAligned: true,
      isRequestedBillCycleDay: false,
      rules: [{ rule: 'BILLING_ALIGNMENT', result: 'ACCOUNT', isDefault: true, conditions: [], event: null }],
      periodStartDate: '2024-01-15',
      periodEndDate: '2024-02-01',
      prorationFixedDays: 0,
      amountInForce: null,
      repairable: null,
      invoiceBalance: null,
      accountCredit: null,
      steps: [
        {
          operation: 'PRORATE',
          base: 31,
          factor: null,
          days: 17,
          totalDays: 31,
          ratio: 0.548387097,
          unrounded: 17.000000007,
          result: 17,
        },
      ],
    });
    expect(reply.json).to.have.nested.include({
      'event.eventType': 'CREATE',
      'event.isPriceChange': false,
      'event.datedBy': null,
      'event.phasesFrom': '2024-01-15',
      'event.blockedBy.length': 0,
      'planEvent.eventType': 'CREATE',
      'event.effectiveLocalDate': '2024-01-15',
    });
    expect(reply.text).to.contain('31.00 USD × 17/31 days = 17.000000007, rounded half up to 17.00 USD');
    expect((await call('GET', path, { headers: aliasHeaders })).json).to.eql(reply.json);
  });

  it('returns 404 with the item error code for a missing item', async () => {
    const path = '/1.0/kb/invoiceItems/11111111-1111-4111-8111-111111111111/explanation';
    const reply = await serving.call('GET', path);
    expect([reply.status, reply.json]).to.have.nested.property('[0]', 404);
    expect(reply.json).to.include({ code: 4011 });
  });
});
