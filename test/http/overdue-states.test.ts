import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { aliasHeaders, anyDatabase, createdId, expect } from '../support/http/index.ts';
import { expectStatus, outcomeOf, plainType, serveEach, xmlType } from '../support/http/serving.ts';
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

anyDatabase.describe('overdue state API', (open) => {
  const serving = serveEach(open);
  let accountId: string;

  beforeEach(async () => {
    const { post } = serving;
    await post('/catalog/xml', catalog, xmlType);
    await post('/overdue', exampleConfigs.C);
    accountId = createdId(await post('/accounts', { currency: 'USD', timeZone: 'America/Los_Angeles' }));
  });

  /** Subscribes an account without a payment method. */
  async function subscribe(): Promise<void> {
    const body = { accountId, planName: 'p-monthly' };
    expectStatus(await serving.post('/subscriptions', body), 201);
    await serving.billing.settle();
  }

  async function passDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      serving.clock.advance({ days: 1 });
      await serving.billing.settle();
    }
  }

  const shown = async (query = '', headers = {}) => {
    return serving.get(`/accounts/${accountId}/overdue${query}`, headers);
  };

  it('shows the retry days in dialect D only (overdue §10, http-api §4 line 9)', async () => {
    expect((await shown('', aliasHeaders)).json).to.eql(clearInK);
    expect((await shown()).json).to.eql({ ...clearInK, daysBetweenPaymentRetries: [8, 8, 8] });
    const settings = '{"org.service.payment.retry.days":"3,5"}';
    await serving.post('/tenants/uploadPerTenantConfig', settings, plainType);
    expect((await shown()).json).to.deep.include({ daysBetweenPaymentRetries: [3, 5] });
  });

  it('shows every state of the account until all invoices are paid (overdue §10)', async () => {
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

  it('converts an interval of weeks to days and omits an interval of months (overdue §10)', async () => {
    const interval = (unit: string) =>
      `<autoReevaluationInterval><unit>${unit}</unit><number>2</number></autoReevaluationInterval>`;
    const due = (days: number) =>
      `<condition><timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>${days}</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds></condition>`;
    const xml = `<overdueConfig><accountOverdueStates><state name="S2">${due(2)}${interval('MONTHS')}</state><state name="S1">${due(1)}${interval('WEEKS')}</state></accountOverdueStates></overdueConfig>`;
    await serving.post('/overdue/xml', xml, xmlType);
    await subscribe();
    await passDays(1);
    expect((await shown()).json).to.include({ name: 'S1', reevaluationIntervalDays: 14 });
    await passDays(1);
    expect((await shown()).json).to.include({ name: 'S2', reevaluationIntervalDays: null });
  });

  it('returns the state on a future asOf date, including the path and reasons only in dialect D', async () => {
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

  it('interprets a date-time in asOf as a day in the account’s time zone', async () => {
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

  it('rejects a past, distant or invalid date in asOf and returns 404 for an unknown account', async () => {
    for (const query of ['?asOf=2024-02-09', '?asOf=2125-01-01', '?asOf=soon'])
      expect(outcomeOf(await shown(query)), query).to.eql([400, 60_002]);
    expect((await shown('?asOf=2024-02-10')).json).to.include({ name: CLEAR });
    accountId = '11111111-1111-4111-8111-111111111111';
    for (const query of ['', '?asOf=2024-02-17', '?asOf=2024-02-17T08:00:00Z'])
      expect((await shown(query)).json).to.include({ code: 3_002 });
  });

  it('shows the stored state name even if the configuration no longer contains it (overdue §2.1)', async () => {
    await subscribe();
    await passDays(7);
    await serving.post('/overdue', { overdueStates: [afterDays('LATE', 90)] });
    expect((await shown('', aliasHeaders)).json).to.eql({
      ...clearInK,
      name: 'BLOCKED',
      isDisableEntitlementAndChangesBlocked: true,
      isBlockChanges: true,
      isClearState: false,
    });
  });
});
