import { type BillingError, decimal, ErrorCode, formatDecimal, instant } from '../../lib/index.ts';
import { parseLocalDate } from '../../lib/values/time/index.ts';
import { anyDatabase, engineBefore, expect } from '../support/index.ts';

anyDatabase.describe('host calls', (open) => {
  const engine = engineBefore(open, { now: '2024-03-01T08:00:00Z' });
  const { acme } = engine;

  const refusal = async (call: Promise<unknown>): Promise<BillingError> => {
    try {
      await call;
    } catch (error) {
      return error as BillingError;
    }
    throw new Error('it was not refused');
  };

  it('are rejected if the caller lacks a tenant or user, or if a policy or request is invalid', async () => {
    const { acme, billing, tenant } = engine;
    const noUser = billing.as({ tenant } as Parameters<typeof billing.as>[0]);
    const noTenant = billing.as({ user: 'test' } as Parameters<typeof billing.as>[0]);
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
    const policy = 'immediate' as 'IMMEDIATE';
    const refusals = [
      await refusal(noUser.accounts.create({ currency: 'USD' })),
      await refusal(noTenant.accounts.create({ currency: 'USD' })),
      await refusal(acme.subscriptions.cancel(subscriptionId, { billingPolicy: policy })),
      await refusal(acme.invoices.ofAccount(String(accountId) as never)),
    ];
    expect(refusals.map(({ code, message }) => [code, message])).to.eql([
      [60003, 'user is missing. Pass the user for audit rows to billing.as({ tenant, user }).'],
      [60003, 'tenant is missing. Pass the tenant to billing.as({ tenant, user }).'],
      [60002, 'billingPolicy immediate is not one of IMMEDIATE, END_OF_TERM and START_OF_TERM'],
      [60003, `request must be an object, not "${accountId}"`],
    ]);
  });

  it('accept text for ids, dates, instants and amounts', async () => {
    const { acme, billing, tenant } = engine;
    const text = billing.as({ tenant: String(tenant.id).toUpperCase(), user: 'test' });
    const account = await text.accounts.create({ currency: 'USD', referenceTime: '2024-03-01T06:30:00Z' });
    expect(account.referenceTime.toISOString()).to.equal('2024-03-01T06:30:00.000Z');
    const id = String(account.id).toUpperCase();
    expect((await text.accounts.get(id)).id).to.equal(account.id);
    const { subscriptionId } = await text.subscriptions.create(
      {
        accountId: id,
        planName: 'solo-now',
        priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '5.50' }],
      },
      { entitlementDate: '2024-03-01', billingDate: '2024-03-01T08:00:00Z' },
    );
    await engine.settle();
    const subscription = await text.subscriptions.get(subscriptionId);
    expect(subscription.billingStart?.at.toISOString()).to.equal('2024-03-01T08:00:00.000Z');
    const [item] = await text.invoices.addCredits({
      accountId: id,
      items: [{ amount: '5.50', startDate: '2024-03-01', description: 'Sorry' }],
    });
    expect(item && formatDecimal(item.amount)).to.equal('-5.5');
    expect(item?.startDate).to.equal('2024-03-01');
    const invoices = await acme.invoices.ofAccount({ accountId: id, startDate: '2024-03-01' });
    expect(invoices.length).to.be.greaterThan(0);
  });

  it('accept typed values instead of text', async () => {
    const account = await acme.createAccount({
      currency: 'USD',
      referenceTime: instant(Date.UTC(2024, 1, 1)),
    });
    const [item] = await acme.invoices.addCredits({
      accountId: account.id,
      items: [{ amount: decimal('1.25'), startDate: parseLocalDate('2024-02-29') }],
    });
    expect(item && formatDecimal(item.amount)).to.equal('-1.25');
  });

  it('accept days and Date objects from earlier results, even as requested dates', async () => {
    const { acme, clock } = engine;
    const first = await acme.createAccount({ currency: 'USD' });
    const again = await acme.createAccount({ currency: 'USD', referenceTime: first.referenceTime });
    expect(again.referenceTime).to.eql(first.referenceTime);
    for (const requestedDate of [first.createdDate, { at: first.createdDate }, { date: '2024-03-01' }]) {
      const { subscriptionId } = await acme.createSubscription(
        { accountId: first.id, planName: 'solo-now' },
        { entitlementDate: requestedDate, billingDate: requestedDate },
      );
      expect((await acme.getSubscription(subscriptionId)).start?.date).to.equal('2024-03-01');
    }
    const invalid = await refusal(acme.createAccount({ referenceTime: new Date(Number.NaN) }));
    expect([invalid.code, invalid.facts.field]).to.eql([60003, 'referenceTime']);
    expect(clock.now()).to.equal(first.createdDate.getTime());
  });

  it('are rejected with an error that names the invalid field, and change nothing', async () => {
    const { acme, billing } = engine;
    const account = await acme.createAccount({ currency: 'USD' });
    const credit = (item: object) =>
      acme.invoices.addCredits({ accountId: account.id, items: [{ amount: '1', ...item }] as never });
    const before = (await acme.accounts.page({ offset: 0, limit: 100 })).total;
    const cases: readonly (readonly [field: string, call: Promise<unknown>])[] = [
      ['accountId', acme.accounts.get('4711')],
      ['accountId', acme.accounts.get(4711 as never)],
      ['accountIds[1]', acme.accounts.balances([account.id, 'none'])],
      ['accountIds', acme.accounts.balances('none' as never)],
      ['parentAccountId', acme.accounts.create({ parentAccountId: 'none' })],
      ['referenceTime', acme.accounts.create({ referenceTime: 'yesterday' })],
      [
        'changes.referenceTime',
        acme.accounts.update(account.id, { changes: { referenceTime: '2024-02-30' } }),
      ],
      ['items[0].amount', credit({ amount: '5,50' })],
      ['items[0].amount', credit({ amount: 5.5 })],
      ['items[0].startDate', credit({ startDate: '1 March' })],
      ['items[0].startDate', credit({ startDate: '2023-02-29' })],
      ['targetDate', acme.invoices.generate({ accountId: account.id, targetDate: '2024-3' })],
      ['requestedDate', acme.subscriptions.cancel(account.id, { requestedDate: 'soon' })],
      ['requests[0].accountId', acme.subscriptions.createWithAddOns([{ accountId: 'none' }])],
      [
        'priceOverrides[0].recurringPrice',
        acme.subscriptions.create({
          accountId: account.id,
          planName: 'solo-now',
          priceOverrides: [{ recurringPrice: 'free' }],
        }),
      ],
      ['tenant', billing.as({ tenant: 'acme', user: 'test' }).accounts.get(account.id)],
      ['tenantId', billing.tenants.get('acme')],
    ];
    for (const [field, call] of cases) {
      const error = await refusal(call);
      expect(error, field).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
      expect(error.facts.field).to.equal(field);
      expect(error.message).to.match(/must be .*, not /);
    }
    expect((await acme.accounts.page({ offset: 0, limit: 100 })).total).to.equal(before);
    expect(await acme.subscriptions.bundlesOfAccount(account.id)).to.eql([]);
    expect(await acme.invoices.ofAccount({ accountId: account.id })).to.eql([]);
  });
});

/** Returns the JSON form of a view. */
function read(view: unknown): never {
  return JSON.parse(JSON.stringify(view)) as never;
}

const instantText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the paths in a response whose numbers are days or milliseconds. */
function unreadable(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => unreadable(each, `${path}[${index}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => unreadable(each, `${path}.${name}`));
  }
  const isDate = /(?:Date|Time|\.at|\.date|commitDate)$/.test(path) && typeof value === 'number';
  return isDate || (typeof value === 'number' && value > 15_000) ? [path] : [];
}

anyDatabase.describe('JSON views', (open) => {
  let accountId: string;
  const engine = engineBefore(open, { now: '2024-03-01T08:00:00Z' });
  const { acme } = engine;
  before(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD', name: 'Ada' })).id;
    await engine.subscribe({ accountId, planName: 'solo-now' });
  });

  it('contain the instants of an account', async () => {
    const account = await acme.getAccount(accountId);
    expect(read(account)).to.include({ id: accountId, name: 'Ada', createdDate: '2024-03-01T08:00:00.000Z' });
    expect(account.createdDate).to.eql(new Date(Date.UTC(2024, 2, 1, 8)));
    const page = await acme.accounts.page({ offset: 0, limit: 10 });
    expect((read(page) as typeof page).rows[0]).to.eql(read(account));
  });

  it('contain the subscriptions of a bundle and their events', async () => {
    const [bundle] = await acme.subscriptions.bundlesOfAccount(accountId);
    const shown: { subscriptions: { start: object; events: { effective: object }[] }[] } = read(bundle);
    const start = { at: '2024-03-01T08:00:00.000Z', date: '2024-03-01' };
    expect(shown.subscriptions[0]?.start).to.eql(start);
    expect(shown.subscriptions[0]?.events[0]?.effective).to.eql(start);
    expect(unreadable(shown)).to.eql([]);
  });

  it('use strings for days and Date objects for instants in each field', async () => {
    const [invoice] = await acme.invoices.ofAccount({ accountId, withItems: true });
    const [item] = invoice?.items ?? [];
    expect(JSON.stringify({ from: item?.startDate, at: item?.createdDate })).to.equal(
      '{"from":"2024-03-01","at":"2024-03-01T08:00:00.000Z"}',
    );
    const catalog = await acme.catalogs.current();
    expect(catalog.versions[0]?.effectiveDate).to.be.instanceOf(Date);
    expect(catalog.versions[0]?.plans.map(({ name }) => name)).to.include('solo-now');
  });

  it('contain the dates and amounts of an invoice', async () => {
    const [listed] = await acme.invoices.ofAccount({ accountId });
    const invoice = await acme.getInvoice(String(listed?.id));
    const shown: { items: { startDate: string; amount: string }[]; invoiceDate: string } = read(invoice);
    expect(shown.invoiceDate).to.equal('2024-03-01');
    expect(shown.items[0]?.startDate).to.equal('2024-03-01');
    expect(shown.items[0]?.amount).to.match(/^\d+(\.\d+)?$/);
    expect(unreadable(shown)).to.eql([]);
  });

  it('contain the transactions of a payment', async () => {
    const [payment] = await acme.payments.ofAccount(accountId);
    const shown: { createdDate: string; transactions: { effectiveDate: string; amount: string }[] } =
      read(payment);
    expect(shown.transactions[0]?.effectiveDate).to.match(instantText);
    expect(shown.transactions[0]?.amount).to.match(/^\d+(\.\d+)?$/);
    expect(unreadable(shown)).to.eql([]);
  });

  it('contain the timeline of an account', async () => {
    const shown: { account: object; invoices: object[]; bundles: object[]; payments: object[] } = read(
      await acme.accounts.timeline(accountId),
    );
    expect([shown.invoices.length, shown.bundles.length, shown.payments.length]).to.eql([1, 1, 1]);
    expect(unreadable(shown)).to.eql([]);
  });
});
