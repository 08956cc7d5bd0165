import type { Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('invoicing', (open) => {
  const begin = (now: string) => openEngine(open, { now });

  const invoicesOf = ({ acme }: TestEngine, accountId: Uuid) =>
    acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });

  const linesOf = async (opened: TestEngine, accountId: Uuid) =>
    (await invoicesOf(opened, accountId)).map(itemLines);

  it('bills the trial at 0, then the first month, and sets the bill cycle day of the account (invoicing E1 "Trial and phase")', async () => {
    const opened = await begin('2012-04-01T00:03:42Z');
    const account = await opened.payingAccount({ currency: 'USD' });
    const events = newEvents(opened.database);
    await events();
    const { subscriptionId } = await opened.subscribe({ accountId: account.id, planName: 'pro-monthly' });
    expect(await linesOf(opened, account.id)).to.eql([['FIXED 2012-04-01..2012-05-01 0']]);
    expect((await opened.acme.getAccount(account.id)).billCycleDayLocal).to.equal(1);
    const changes = await opened.acme.audit.history({ type: 'ACCOUNT', id: account.id });
    expect(changes.at(-1)).to.deep.include({ changeType: 'UPDATE', reasonCode: null });
    expect(changes.at(-1)?.snapshot).to.include({ billingCycleDayLocal: 1 });
    expect(await events()).to.eql([
      'SUBSCRIPTION_CREATION',
      'SUBSCRIPTION_CREATION',
      'ENTITLEMENT_CREATION',
      'ACCOUNT_CHANGE',
      'INVOICE_CREATION',
    ]);

    await opened.runTo('2012-05-01T00:03:42Z');
    expect(await linesOf(opened, account.id)).to.eql([
      ['FIXED 2012-04-01..2012-05-01 0'],
      ['RECURRING 2012-05-01..2012-06-01 249.95'],
    ]);
    expect((await opened.acme.getSubscription(subscriptionId)).chargedThrough?.date).to.equal('2012-06-01');
    expect((await events()).toSorted()).to.eql(
      [
        'TRIAL_ENDING',
        'SUBSCRIPTION_PHASE',
        'INVOICE_CREATION',
        'PAYMENT_SUCCESS',
        'INVOICE_PAYMENT_SUCCESS',
        'NULL_INVOICE',
      ].toSorted(),
    );
  });

  it('clamps a bill cycle day of 31 to the end of each month after a leading proration (invoicing E2 "Month ends")', async () => {
    const opened = await begin('2012-03-02T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD', billCycleDayLocal: 31 });
    const request = { accountId: account.id, planName: 'elite-monthly', phaseType: 'EVERGREEN' } as const;
    await opened.acme.createSubscription(request);
    for (const day of ['2012-03-02', '2012-03-31', '2012-04-30', '2012-05-31'])
      await opened.runTo(`${day}T00:00:00Z`);
    expect(await linesOf(opened, account.id)).to.eql([
      ['RECURRING 2012-03-02..2012-03-31 561.24'],
      ['RECURRING 2012-03-31..2012-04-30 599.95'],
      ['RECURRING 2012-04-30..2012-05-31 599.95'],
      ['RECURRING 2012-05-31..2012-06-30 599.95'],
    ]);
  });

  it('returns only the invoice of the target date in a dry run, without storing anything (invoicing E17 "Dry run is not cumulative")', async () => {
    const opened = await begin('2014-01-02T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await opened.subscribe({ accountId: account.id, planName: 'pro-monthly' });
    const before = await linesOf(opened, account.id);
    const events = newEvents(opened.database);
    await events();
    const dryRun = async (targetDate: string) => {
      const found = await opened.acme.invoices.dryRun({ accountId: account.id, targetDate: targetDate });
      return found === null ? null : itemLines(found);
    };
    expect(await dryRun('2014-02-28')).to.eql(['RECURRING 2014-02-01..2014-03-01 249.95']);
    expect(await dryRun('2014-04-01')).to.eql(['RECURRING 2014-04-01..2014-05-01 249.95']);
    expect(await dryRun('2014-05-03')).to.eql(['RECURRING 2014-05-01..2014-06-01 249.95']);
    expect(await linesOf(opened, account.id)).to.eql(before);
    expect(await events()).to.eql([]);
  });

  it('creates the invoice that its dry run returned', async () => {
    const opened = await begin('2014-01-02T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD', billCycleDayLocal: 14 });
    await opened.acme.createSubscription({ accountId: account.id, planName: 'solo-now' });
    await opened.subscribe({ accountId: account.id, planName: 'kit-monthly' });
    const targetDate = '2014-01-14';
    const foreseen = await opened.acme.invoices.dryRun({ accountId: account.id, targetDate });
    await opened.runTo('2014-01-14T00:00:00Z');
    expect((await linesOf(opened, account.id)).at(-1)).to.eql(foreseen === null ? null : itemLines(foreseen));
  });

  it('uses the time zone rules of each due date, and puts local dates on items (invoicing E19 "Zone")', async () => {
    const opened = await begin('2026-01-15T05:30:00Z');
    const account = await opened.payingAccount({ currency: 'USD', timeZone: 'America/New_York' });
    const { subscriptionId } = await opened.subscribe({ accountId: account.id, planName: 'team-now' });
    await opened.runTo('2026-02-15T05:29:59Z');
    expect(await linesOf(opened, account.id)).to.have.length(1);
    await opened.runTo('2026-02-15T05:30:00Z');
    expect(await linesOf(opened, account.id)).to.have.length(2);
    await opened.runTo('2026-03-15T04:29:59Z');
    expect(await linesOf(opened, account.id)).to.have.length(2);
    await opened.runTo('2026-03-15T04:30:00Z');
    expect((await linesOf(opened, account.id)).at(-1)).to.eql(['RECURRING 2026-03-15..2026-04-15 29.95']);
    const [last] = (await invoicesOf(opened, account.id)).slice(-1);
    expect(last?.invoiceDate).to.equal('2026-03-15');
    const { chargedThrough } = await opened.acme.getSubscription(subscriptionId);
    expect(chargedThrough?.at.toISOString()).to.equal('2026-04-15T04:30:00.000Z');
    await opened.runTo('2026-04-15T04:10:00Z');
    const items = [{ amount: '1' }];
    const [charge] = await opened.acme.invoices.addCharges({ accountId: account.id, items });
    const { invoiceDate } = await opened.acme.invoices.get(charge?.invoiceId ?? '');
    expect(invoiceDate).to.equal('2026-04-15');
    await opened.runTo('2026-04-15T04:30:00Z');
    expect((await linesOf(opened, account.id)).at(-1)).to.eql(['RECURRING 2026-04-15..2026-05-15 29.95']);
  });

  it('dates invoices, commits and payments on the day they are made, even after a clock jump', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD' });
    await opened.subscribe({ accountId: account.id, planName: 'solo-now' });
    await opened.runTo('2024-03-10T09:00:00Z');
    const invoices = await invoicesOf(opened, account.id);
    const days = invoices.map(({ targetDate, invoiceDate, commitDate }) =>
      [targetDate, invoiceDate, commitDate].map((day) => day && day).join(' '),
    );
    expect(days).to.eql([
      '2024-01-01 2024-01-01 2024-01-01',
      '2024-02-01 2024-03-10 2024-03-10',
      '2024-03-01 2024-03-10 2024-03-10',
    ]);
    const payments = await opened.acme.payments.ofAccount(account.id);
    const paidAt = payments.flatMap(({ transactions }) =>
      transactions.map(({ effectiveDate }) => effectiveDate.toISOString()),
    );
    expect(paidAt).to.eql([
      '2024-01-01T00:00:00.000Z',
      '2024-03-10T09:00:00.000Z',
      '2024-03-10T09:00:00.000Z',
    ]);
  });

  it('numbers the invoices of a tenant consecutively across accounts', async () => {
    const opened = await begin('2020-01-01T00:00:00Z');
    for (const externalKey of ['a', 'b', 'c']) {
      const account = await opened.payingAccount({ externalKey, currency: 'USD' });
      await opened.acme.createSubscription({ accountId: account.id, planName: 'solo-now' });
    }
    await opened.runTo('2020-02-01T00:00:00Z');
    const { rows } = await opened.acme.invoices.page({ offset: 0, limit: 100 });
    expect(rows.map((invoice) => invoice.invoiceNumber).toSorted((a, b) => a - b)).to.eql([1, 2, 3, 4, 5, 6]);
  });

  it('bills ahead in an explicit run, and fails with 4007 if nothing is left to bill', async () => {
    const opened = await begin('2020-01-01T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD' });
    await opened.subscribe({ accountId: account.id, planName: 'solo-now' });
    const request = { accountId: account.id, targetDate: '2020-02-01' };
    expect(itemLines(await opened.acme.generateInvoice(request))).to.eql([
      'RECURRING 2020-02-01..2020-03-01 19.95',
    ]);
    await expectCode(opened.acme.generateInvoice(request), 4007);
    await opened.runTo('2020-02-01T00:00:00Z');
    expect(await linesOf(opened, account.id)).to.have.length(2);
  });

  it('creates the same invoices for a clock jump over many due dates as for single steps', async () => {
    const opened = await begin('2020-01-31T00:00:00Z');
    const account = await opened.payingAccount({ currency: 'USD' });
    await opened.subscribe({ accountId: account.id, planName: 'solo-now' });
    await opened.runTo('2020-05-31T00:00:00Z');
    expect(await linesOf(opened, account.id)).to.eql([
      ['RECURRING 2020-01-31..2020-02-29 19.95'],
      ['RECURRING 2020-02-29..2020-03-31 19.95'],
      ['RECURRING 2020-03-31..2020-04-30 19.95'],
      ['RECURRING 2020-04-30..2020-05-31 19.95'],
      ['RECURRING 2020-05-31..2020-06-30 19.95'],
    ]);
  });

  it('parks an account without a currency in an automatic run, and rejects an explicit run with the reason', async () => {
    const opened = await begin('2020-01-01T00:00:00Z');
    await expectCode(opened.acme.generateInvoice({ accountId: (await opened.acme.createAccount({})).id }), 3);
  });
});
