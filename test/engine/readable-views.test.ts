import { anyDatabase, engineBefore, expect } from '../support/index.ts';

/** What a person reads of it. */
function read(view: unknown): never {
  return JSON.parse(JSON.stringify(view)) as never;
}

const instantText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Paths below an answer whose numbers are days or milliseconds. */
function unreadable(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => unreadable(each, `${path}[${index}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => unreadable(each, `${path}.${name}`));
  }
  const isDate = /(?:Date|Time|\.at|\.date|commitDate)$/.test(path) && typeof value === 'number';
  return isDate || (typeof value === 'number' && value > 15_000) ? [path] : [];
}

anyDatabase('views as JSON', (open) => {
  let accountId: string;
  const engine = engineBefore(open, { now: '2024-03-01T08:00:00Z' });
  before(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD', name: 'Ada' })).id;
    await engine.subscribe({ accountId, planName: 'solo-now' });
  });

  it('views as JSON show an account with its instants', async () => {
    const account = await engine.acme.getAccount(accountId);
    expect(read(account)).to.include({ id: accountId, name: 'Ada', createdDate: '2024-03-01T08:00:00.000Z' });
    expect(account.createdDate).to.eql(new Date(Date.UTC(2024, 2, 1, 8)));
    const page = await engine.acme.accounts.page({ offset: 0, limit: 10 });
    expect((read(page) as typeof page).rows[0]).to.eql(read(account));
  });

  it('views as JSON show a bundle with its subscriptions and their events', async () => {
    const [bundle] = await engine.acme.subscriptions.bundlesOfAccount(accountId);
    const shown: { subscriptions: { start: object; events: { effective: object }[] }[] } = read(bundle);
    const start = { at: '2024-03-01T08:00:00.000Z', date: '2024-03-01' };
    expect(shown.subscriptions[0]?.start).to.eql(start);
    expect(shown.subscriptions[0]?.events[0]?.effective).to.eql(start);
    expect(unreadable(shown)).to.eql([]);
  });

  it('views give days as text and instants as Date, each field by itself', async () => {
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const [item] = invoice?.items ?? [];
    expect(JSON.stringify({ from: item?.startDate, at: item?.createdDate })).to.equal(
      '{"from":"2024-03-01","at":"2024-03-01T08:00:00.000Z"}',
    );
    const catalog = await engine.acme.catalogs.current();
    expect(catalog.versions[0]?.effectiveDate).to.be.instanceOf(Date);
    expect(catalog.versions[0]?.plans.map(({ name }) => name)).to.include('solo-now');
  });

  it('views as JSON show an invoice with its dates and amounts', async () => {
    const [listed] = await engine.acme.invoices.ofAccount({ accountId });
    const invoice = await engine.acme.getInvoice(String(listed?.id));
    const shown: { items: { startDate: string; amount: string }[]; invoiceDate: string } = read(invoice);
    expect(shown.invoiceDate).to.equal('2024-03-01');
    expect(shown.items[0]?.startDate).to.equal('2024-03-01');
    expect(shown.items[0]?.amount).to.match(/^\d+(\.\d+)?$/);
    expect(unreadable(shown)).to.eql([]);
  });

  it('views as JSON show a payment with its transactions', async () => {
    const [payment] = await engine.acme.payments.ofAccount(accountId);
    const shown: { createdDate: string; transactions: { effectiveDate: string; amount: string }[] } =
      read(payment);
    expect(shown.transactions[0]?.effectiveDate).to.match(instantText);
    expect(shown.transactions[0]?.amount).to.match(/^\d+(\.\d+)?$/);
    expect(unreadable(shown)).to.eql([]);
  });

  it('views as JSON show the timeline of an account', async () => {
    const shown: { account: object; invoices: object[]; bundles: object[]; payments: object[] } = read(
      await engine.acme.accounts.timeline(accountId),
    );
    expect([shown.invoices.length, shown.bundles.length, shown.payments.length]).to.eql([1, 1, 1]);
    expect(unreadable(shown)).to.eql([]);
  });
});
