import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { anyDatabase, expect } from '../support/http/index.ts';
import { aliasHeaders, createdId, outcomeOf, serveEach, xmlType } from '../support/http/serving.ts';
import { afterDays, exampleConfigs } from '../support/overdue/stage-configs.ts';

const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';
const catalog = catalogXml({
  effectiveDate: '2024-01-01T00:00:00Z',
  catalogName: 'Dunning',
  products: product('P'),
  plans: plan('p-monthly', 'P', { price: '249.95' }),
  priceLists: lists({ DEFAULT: ['p-monthly'] }),
});
const clearInK = {
  name: CLEAR,
  externalMessage: '',
  isDisableEntitlementAndChangesBlocked: false,
  isBlockChanges: false,
  isClearState: true,
  reevaluationIntervalDays: null,
};

anyDatabase('the overdue state of an account over HTTP', (open) => {
  const serving = serveEach(open);
  let accountId: string;

  beforeEach(async () => {
    const { call } = serving;
    await call('POST', '/1.0/kb/catalog/xml', { body: catalog, headers: xmlType });
    await call('POST', '/1.0/kb/overdue', { body: exampleConfigs.C });
    accountId = createdId(
      await call('POST', '/1.0/kb/accounts', {
        body: { currency: 'USD', timeZone: 'America/Los_Angeles' },
      }),
    );
  });

  /** It has no payment method. */
  async function subscribe(): Promise<void> {
    const body = { accountId, planName: 'p-monthly' };
    const made = await serving.call('POST', '/1.0/kb/subscriptions', { body });
    expect(made.status, made.text).to.equal(201);
    await serving.billing.settle();
  }

  async function passDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      serving.clock.advance({ days: 1 });
      await serving.billing.settle();
    }
  }

  const shown = async (query = '', headers = {}) => {
    const path = `/1.0/kb/accounts/${accountId}/overdue${query}`;
    return serving.call('GET', path, { headers });
  };

  it('overdue §10, http-api §4 line 9: dialect D shows the days of retries, dialect K does not', async () => {
    expect((await shown('', aliasHeaders)).json).to.eql(clearInK);
    expect((await shown()).json).to.eql({ ...clearInK, daysBetweenPaymentRetries: [8, 8, 8] });
    const settings = '{"org.service.payment.retry.days":"3,5"}';
    await serving.call('POST', '/1.0/kb/tenants/uploadPerTenantConfig', {
      body: settings,
      headers: { 'content-type': 'text/plain' },
    });
    expect((await shown()).json).to.deep.include({ daysBetweenPaymentRetries: [3, 5] });
  });

  it('overdue §10: follows the account from state to state, and back when all is paid', async () => {
    await subscribe();
    await passDays(5);
    expect((await shown('', aliasHeaders)).json).to.eql({
      ...clearInK,
      name: 'WARNING',
      isBlockChanges: true,
      isClearState: false,
      reevaluationIntervalDays: 2,
    });
    await passDays(2);
    expect((await shown('', aliasHeaders)).json).to.eql({
      ...clearInK,
      name: 'BLOCKED',
      isDisableEntitlementAndChangesBlocked: true,
      isClearState: false,
      reevaluationIntervalDays: 4,
    });
    const path = `/1.0/kb/accounts/${accountId}/invoicePayments?externalPayment=true`;
    expect((await serving.call('POST', path)).status).to.equal(201);
    await serving.billing.settle();
    expect((await shown('', aliasHeaders)).json).to.eql(clearInK);
  });

  it('overdue §10: an interval of weeks is shown in days, one of months not at all', async () => {
    const interval = (unit: string) =>
      `<autoReevaluationInterval><unit>${unit}</unit><number>2</number></autoReevaluationInterval>`;
    const due = (days: number) =>
      `<condition><timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>${days}</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds></condition>`;
    const xml = `<overdueConfig><accountOverdueStates><state name="S2">${due(2)}${interval('MONTHS')}</state><state name="S1">${due(1)}${interval('WEEKS')}</state></accountOverdueStates></overdueConfig>`;
    await serving.call('POST', '/1.0/kb/overdue/xml', { body: xml, headers: xmlType });
    await subscribe();
    await passDays(1);
    expect((await shown()).json).to.include({ name: 'S1', reevaluationIntervalDays: 14 });
    await passDays(1);
    expect((await shown()).json).to.include({ name: 'S2', reevaluationIntervalDays: null });
  });

  it('asOf shows the state of a day ahead, in dialect D with the way there and the reasons', async () => {
    await subscribe();
    const inK = await shown('?asOf=2024-02-17', aliasHeaders);
    expect(inK.json).to.eql({
      ...clearInK,
      name: 'BLOCKED',
      isDisableEntitlementAndChangesBlocked: true,
      isClearState: false,
      reevaluationIntervalDays: 4,
    });
    const { json } = await shown('?asOf=2024-02-17');
    const step = { externalMessage: '', daysBetweenPaymentRetries: [8, 8, 8], isClearState: false };
    expect(json).to.deep.include({
      name: 'BLOCKED',
      asOf: '2024-02-17',
      isExempt: false,
      daysBetweenPaymentRetries: [8, 8, 8],
      steps: [
        {
          ...step,
          date: '2024-02-15',
          name: 'WARNING',
          isDisableEntitlementAndChangesBlocked: false,
          isBlockChanges: true,
          reevaluationIntervalDays: 2,
        },
        {
          ...step,
          date: '2024-02-17',
          name: 'BLOCKED',
          isDisableEntitlementAndChangesBlocked: true,
          isBlockChanges: false,
          reevaluationIntervalDays: 4,
        },
      ],
    });
    const { reasons } = json as { readonly reasons: readonly object[] };
    expect(reasons[1]).to.eql({
      state: 'BLOCKED',
      holds: true,
      text: 'BLOCKED holds on 2024-02-17: unpaid since 2024-02-10, 7 days of 7.',
      criteria: [{ kind: 'TIME', holds: true, text: 'unpaid since 2024-02-10, 7 days of 7' }],
    });
    expect((await shown('', aliasHeaders)).json).to.eql(clearInK);
  });

  it('asOf takes a date-time as the day that it is for the account', async () => {
    await subscribe();
    expect((await shown('?asOf=2024-02-17T07:59:59Z')).json).to.include({
      asOf: '2024-02-16',
      name: 'WARNING',
    });
    expect((await shown('?asOf=2024-02-17T08:00:00Z')).json).to.include({
      asOf: '2024-02-17',
      name: 'BLOCKED',
    });
  });

  it('asOf refuses a day that is past, one too far ahead and what is none; an unknown account is 404', async () => {
    for (const query of ['?asOf=2024-02-09', '?asOf=2125-01-01', '?asOf=soon']) {
      const refused = await shown(query);
      expect(outcomeOf(refused), query).to.eql([400, 60_002]);
    }
    expect((await shown('?asOf=2024-02-10')).json).to.include({ name: CLEAR });
    accountId = '11111111-1111-4111-8111-111111111111';
    for (const query of ['', '?asOf=2024-02-17', '?asOf=2024-02-17T08:00:00Z'])
      expect((await shown(query)).json).to.include({ code: 3_002 });
  });

  it('overdue §2.1: a name that the configuration no longer has is shown with what is stored', async () => {
    await subscribe();
    await passDays(7);
    await serving.call('POST', '/1.0/kb/overdue', { body: { overdueStates: [afterDays('LATE', 90)] } });
    expect((await shown('', aliasHeaders)).json).to.eql({
      ...clearInK,
      name: 'BLOCKED',
      isDisableEntitlementAndChangesBlocked: true,
      isBlockChanges: true,
      isClearState: false,
    });
  });
});
