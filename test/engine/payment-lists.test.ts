import type { GatewaySearch, Page, PaymentGateway, Uuid } from '../../lib/index.ts';
import { externalPaymentGateway } from '../../lib/payments/index.ts';
import { eachDatabaseByTurns, engineBefore, expect, expectCode } from '../support/index.ts';
import type { Account, PaymentView } from '../support/plain-views.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const ALL = { offset: 0, limit: 100 };

const EXTERNAL = '__EXTERNAL_PAYMENT__';

eachDatabaseByTurns.describe('payment lists and payment searches (payments §11)', (open) => {
  let account: Account;
  let other: Account;
  let searches: GatewaySearch[] = [];
  let answer: (search: GatewaySearch) => unknown = () => ({ rows: [], total: 0 });

  /** Returns a gateway that finds the methods of the test and pays like the external gateway. */
  const searching = (): PaymentGateway => ({
    ...externalPaymentGateway(),
    name: 'searching',
    searchPayments: async (search) => {
      searches.push(search);
      return answer(search) as never;
    },
  });

  const engine = engineBefore(open, () => ({
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    gateways: [searching()],
  }));
  const { acme } = engine;
  before(async () => {
    account = await engine.payingAccount({ currency: 'USD' });
    other = await acme.createAccount({ currency: 'USD' });
    await acme.addPaymentMethod({ accountId: other.id, pluginName: 'searching', isDefault: true });
    await pay(account, 'Ümlaut_1');
    await pay(account, 'second%', true);
    await pay(other, 'third');
  });
  beforeEach(() => {
    searches = [];
  });

  function pay({ id: accountId }: Account, externalKey: string, isDeclined = false) {
    const properties = isDeclined
      ? [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true', isUpdatable: false }]
      : [];
    return acme.payments.purchase({ accountId, amount: '10', externalKey, properties });
  }

  const keysOf = ({ rows }: Page<PaymentView>) => rows.map(({ externalKey }) => externalKey);
  const search = async (key: string) => keysOf(await acme.payments.search(key, ALL));

  it('return payments in creation order or in reverse order, with their counts', async () => {
    const { payments } = acme;
    const first = await payments.page({ offset: 0, limit: 2 });
    expect(keysOf(first)).to.eql(['Ümlaut_1', 'second%']);
    expect(first).to.deep.include({ total: 3, max: 3 });
    expect(keysOf(await payments.page({ offset: 0, limit: -2 }))).to.eql(['third', 'second%']);
    expect(await payments.page({ offset: 0, limit: 0 })).to.eql({ rows: [], total: 3, max: 3 });
  });

  it('return only the payments of the requested gateway', async () => {
    const { payments } = acme;
    const page = await payments.page({ ...ALL, pluginName: 'searching' });
    expect(keysOf(page)).to.eql(['third']);
    expect(page).to.deep.include({ total: 1, max: 3 });
    await expectCode(payments.page({ ...ALL, pluginName: 'nobody' }), 'PAYMENT_NO_SUCH_PAYMENT_PLUGIN');
  });

  it('match payments by a complete payment, account or method id, or by part of a key', async () => {
    const [payment] = (await acme.payments.page(ALL)).rows;
    expect(await search(payment?.id.toUpperCase() ?? '')).to.eql(['Ümlaut_1']);
    expect(await search(account.id)).to.eql(['Ümlaut_1', 'second%']);
    expect(await search(payment?.paymentMethodId ?? '')).to.eql(['Ümlaut_1', 'second%']);
    expect(await search('üMLAUT')).to.eql(['Ümlaut_1']);
    expect(await search('%')).to.eql(['second%']);
    expect(await search('t_1')).to.eql(['Ümlaut_1']);
    expect(await search('d_')).to.eql([]);
    expect(await search(NOWHERE)).to.eql([]);
  });

  it('match payments by state if the search key is part of a state name', async () => {
    expect(await search('_FAILED')).to.eql(['second%']);
    expect(await search('PURCHASE_SUCCESS')).to.eql(['Ümlaut_1', 'third']);
    expect(await search('AUTH')).to.eql([]);
    expect(await acme.payments.search('_FAILED', ALL)).to.deep.include({ total: 1, max: 3 });
  });

  it('accept search clauses for states, keys, authors and dates', async () => {
    expect(await search('_q=1&state_name=PURCHASE_FAILED')).to.eql(['second%']);
    expect(await search('_q=1&last_success_state_name=PURCHASE_SUCCESS&external_key[like]=%25thi%25')).to.eql(
      ['third'],
    );
    expect(await search(`_q=1&accountId[neq]=${account.id}`)).to.eql(['third']);
    expect(await search('_q=1&created_by=test&updated_by=test')).to.have.length(3);
    expect(await search('_q=1&created_by=nobody')).to.eql([]);
    expect(await search('_q=1&updated_date[gte]=2012-05-01&created_date[lt]=2012-05-02')).to.have.length(3);
    await expectCode(search('_q=1&amount=3'), 'INVALID_PARAMETER');
  });

  it('query the requested gateway, and omit payments that are not stored', async () => {
    const { payments } = acme;
    const [first, , third] = (await payments.page(ALL)).rows;
    answer = () => ({
      rows: [third?.id, NOWHERE, first?.id, third?.id].map((kbPaymentId) => ({ kbPaymentId })),
      total: 7,
    });
    const found = await payments.search('card 4242', { offset: 3, limit: 10, pluginName: 'searching' });
    expect(keysOf(found)).to.eql(['third', 'Ümlaut_1']);
    expect(found).to.deep.include({ total: 7, max: 7 });
    expect(searches).to.eql([{ searchKey: 'card 4242', offset: 3, limit: 10, properties: [] }]);
    const one = await payments.search('card 4242', { offset: 0, limit: 1, pluginName: 'searching' });
    expect(keysOf(one)).to.eql(['third']);
  });

  it('use the stored payments if the gateway has no search operation', async () => {
    const { payments } = acme;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    await acme.addPaymentMethod({ accountId, pluginName: EXTERNAL, isDefault: true });
    const { payment } = await payments.purchase({ accountId, amount: '1', externalKey: 'third, by check' });
    const search = (key: string) => payments.search(key, { ...ALL, pluginName: EXTERNAL });
    const found = await search('third');
    expect(keysOf(found)).to.eql(['third, by check']);
    expect(found).to.deep.include({ total: 1, max: 4 });
    expect(keysOf(await search(payment.id))).to.eql(['third, by check']);
    expect(keysOf(await search('_SUCCESS'))).to.eql(['third, by check']);
    expect(keysOf(await search('second%'))).to.eql([]);
    expect(searches).to.eql([]);
  });

  it('fail if the requested gateway fails or is unknown', async () => {
    const { payments } = acme;
    for (const bad of [null, {}, { rows: 'many', total: 1 }, { rows: [], total: -1 }]) {
      answer = () => bad;
      const failedSearch = payments.search('x', { ...ALL, pluginName: 'searching' });
      await expectCode(failedSearch, 'PAYMENT_PLUGIN_SEARCH_PAYMENTS');
    }
    answer = () => {
      throw new Error('no books');
    };
    await expectCode(
      payments.search('x', { ...ALL, pluginName: 'searching' }),
      'PAYMENT_PLUGIN_SEARCH_PAYMENTS',
    );
    await expectCode(
      payments.search('x', { ...ALL, pluginName: 'nobody' }),
      'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
    );
  });

  it('need the same number of SQL statements for a page with attempts as for one payment', async () => {
    const sent = (limit: number) =>
      engine.statementsOf(() => acme.payments.page({ offset: 0, limit, withAttempts: true }));
    expect(await sent(3)).to.have.length((await sent(1)).length);
  });
});
