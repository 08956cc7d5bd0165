import { expect } from 'chai';
import {
  ErrorCode,
  formatLocalDate,
  type InvoiceView,
  parseLocalDate,
  SystemTag,
  type Uuid,
} from '../../lib/index.ts';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { itemLines, openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

anyDatabase((_kind, open) => {
  describe('usage on invoices', () => {
    let engine: TestEngine;
    let accountId: Uuid;
    let subscriptionId: Uuid;
    afterEach(() => engine.close());

    /** A subscription from the start of a day on, of an account with that bill cycle day. */
    async function begin(
      planName: string,
      from: string,
      {
        bcd = 1,
        ...configuration
      }: { readonly bcd?: number; readonly [key: string]: string | number | undefined } = {},
    ): Promise<void> {
      engine = await openEngine(open, {
        now: `${from}T00:00:00Z`,
        catalog: usageCatalog,
        configuration: configuration as Record<string, string>,
      });
      const account = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: bcd });
      accountId = account.id;
      subscriptionId = (await engine.acme.createSubscription({ accountId, planName })).subscriptionId;
      await engine.settle();
    }

    /** `99 sms 2026-04-01`; the tracking id is the text unless given. */
    async function use(text: string, trackingId = text): Promise<void> {
      const [amount = '', unitType = '', recordDate = ''] = text.split(' ');
      const unitUsageRecords = [{ unitType, usageRecords: [{ recordDate, amount }] }];
      await engine.acme.recordUsage({ subscriptionId, trackingId, unitUsageRecords });
    }

    async function invoices(): Promise<readonly InvoiceView[]> {
      const all = await engine.acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
      return all.toSorted((a, b) => a.invoiceNumber - b.invoiceNumber);
    }

    async function lines(): Promise<readonly string[]> {
      return (await invoices()).map((invoice) => itemLines(invoice).join(', '));
    }

    async function last(): Promise<InvoiceView> {
      const invoice = (await invoices()).at(-1);
      if (invoice === undefined) throw new Error('no invoice');
      return engine.acme.getInvoice(invoice.id);
    }

    const run = (targetDate: string) =>
      engine.acme.invoices.generate({ accountId, targetDate: parseLocalDate(targetDate) });

    async function chargedThrough(): Promise<string | null> {
      const { chargedThrough: date } = await engine.acme.getSubscription(subscriptionId);
      return date === null ? null : formatLocalDate(date.date);
    }

    it(
      'usage E1 First period and an empty one: is billed when its period ends, and again when its invoice is void',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01');
        await use('99 sms 2026-04-01T00:00:00Z', 't1');
        await use('100 sms 2026-04-15', 't2');
        await engine.runTo('2026-05-01T00:00:00Z');
        expect(await lines()).to.deep.equal(['USAGE 2026-04-01..2026-05-01 5.9']);
        const first = await last();
        expect(first.trackingIds).to.deep.equal(['t1', 't2']);
        const [item] = first.items;
        expect(item).to.deep.include({
          rate: null,
          quantity: null,
          usageName: 'sms-usage',
          linkedItemId: null,
        });
        expect(JSON.parse(item?.itemDetails ?? '')).to.deep.equal({
          tierDetails: [
            { tier: 1, tierUnit: 'sms', tierPrice: 2.95, quantity: 2, tierBlockSize: 100, amount: 5.9 },
          ],
          amount: 5.9,
        });
        expect(await chargedThrough()).to.equal('2026-05-01');
        const { text } = await engine.acme.invoices.explain(item?.id ?? '');
        expect(text).to.contain('199 sms').and.to.contain('Tier 1: 2 blocks of 100 sms at 2.95 USD.');
        await engine.runTo('2026-06-01T00:00:00Z');
        expect((await lines()).at(-1)).to.equal('USAGE 2026-05-01..2026-06-01 0');
        expect((await last()).trackingIds).to.deep.equal([]);
      }),
    );

    it(
      'usage E1 First period and an empty one: a void releases what was billed',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01');
        const { AUTO_PAY_OFF } = SystemTag;
        await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [AUTO_PAY_OFF]);
        await use('199 sms 2026-04-15', 't1');
        await engine.runTo('2026-05-01T00:00:00Z');
        const { id } = await last();
        await engine.acme.invoices.void(id);
        expect(await chargedThrough()).to.equal(null);
        expect((await engine.acme.getInvoice(id)).trackingIds).to.deep.equal([]);
        const again = await run('2026-05-01');
        expect(itemLines(again)).to.deep.equal(['USAGE 2026-04-01..2026-05-01 5.9']);
        expect((await last()).trackingIds).to.deep.equal(['t1']);
        expect(await chargedThrough()).to.equal('2026-05-01');
      }),
    );

    it(
      'usage E4 Late usage making TOP_TIER cheaper: is given back as account credit',
      onEachDatabase(async () => {
        await begin('packs-top', '2026-04-01');
        await use('995 packs 2026-04-10');
        await engine.runTo('2026-05-01T00:00:00Z');
        expect(await lines()).to.deep.equal(['USAGE 2026-04-01..2026-05-01 10000']);
        await use('20 packs 2026-04-20');
        await engine.runTo('2026-06-01T00:00:00Z');
        const [, june] = await invoices();
        expect(june && itemLines(june)).to.deep.equal([
          'REPAIR_ADJ 2026-04-01..2026-05-01 -8980',
          'USAGE 2026-05-01..2026-06-01 0',
          'CBA_ADJ 2026-06-01..2026-06-01 8980',
        ]);
      }),
    );

    it(
      'usage E7 Look-back, N = 2: late usage is billed with its own dates as far as that goes back',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01');
        for (const date of ['05-01', '06-01', '07-01']) await engine.runTo(`2026-${date}T00:00:00Z`);
        await use('100 sms 2026-04-30', 'a');
        await use('199 sms 2026-05-01', 'b');
        await use('50 sms 2026-07-01', 'c');
        await use('300 sms 2026-07-16', 'd');
        await engine.runTo('2026-08-01T00:00:00Z');
        expect((await lines()).at(-1)).to.equal(
          'USAGE 2026-05-01..2026-06-01 5.9, USAGE 2026-07-01..2026-08-01 11.8',
        );
        expect((await last()).trackingIds).to.deep.equal(['b', 'c', 'd']);
      }),
    );

    it(
      'usage E10 Plan change within a day: is billed when the plan ends',
      onEachDatabase(async () => {
        await begin('api-std', '2026-01-01');
        await use('10 calls 2026-01-01T00:00:00Z');
        engine.clock.set('2026-01-01T02:00:00Z');
        await engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'api-plus' });
        await engine.settle();
        await use('20 calls 2026-01-01T02:00:00Z');
        await engine.runTo('2026-02-01T00:00:00Z');
        expect(await lines()).to.deep.equal([
          'USAGE 2026-01-01..2026-01-01 10',
          'USAGE 2026-01-01..2026-02-01 40',
        ]);
      }),
    );

    it(
      'usage E9 Short first interval: is not prorated, and is billed when it ends',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-03-20', { bcd: 15 });
        await use('130 sms 2026-03-20');
        await use('271 sms 2026-03-21');
        await use('199 sms 2026-04-15');
        expect(await codeOf(run('2026-04-14'))).to.equal(ErrorCode.INVOICE_NOTHING_TO_DO);
        const invoice = await run('2026-05-15');
        expect(itemLines(invoice)).to.deep.equal([
          'USAGE 2026-03-20..2026-04-15 14.75',
          'USAGE 2026-04-15..2026-05-15 5.9',
        ]);
      }),
    );

    it(
      'usage E12 Cancellation at an instant: is billed up to it',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-05-01');
        await use('50 sms 2026-05-01');
        await use('300 sms 2026-05-16T00:00:00Z');
        await use('100 sms 2026-05-20');
        await engine.runTo('2026-05-16T00:00:00Z');
        await engine.acme.subscriptions.cancel(subscriptionId);
        await engine.settle();
        expect(await lines()).to.deep.equal(['USAGE 2026-05-01..2026-05-16 11.8']);
        await engine.runTo('2026-08-01T00:00:00Z');
        expect(await lines()).to.have.lengthOf(1);
      }),
    );

    it(
      'usage §2.2 rule 3: is given back where records are void, once',
      onEachDatabase(async () => {
        await begin('api-std', '2026-04-01');
        await use('40 calls 2026-04-10', 'wrong');
        await use('2 calls 2026-04-11');
        await engine.runTo('2026-05-01T00:00:00Z');
        await engine.acme.usage.void(subscriptionId, 'wrong');
        await run('2026-05-01');
        expect((await lines()).at(-1)).to.equal(
          'REPAIR_ADJ 2026-04-01..2026-05-01 -40, CBA_ADJ 2026-05-01..2026-05-01 40',
        );
        expect(await codeOf(run('2026-05-01'))).to.equal(ErrorCode.INVOICE_NOTHING_TO_DO);
      }),
    );

    it(
      'usage E16 Fractions of a cent: a late point that changes no amount makes no invoice',
      onEachDatabase(async () => {
        await begin('ticks', '2026-04-01');
        await use('55 tick 2026-04-10');
        await engine.runTo('2026-05-01T00:00:00Z');
        expect(await lines()).to.deep.equal(['USAGE 2026-04-01..2026-05-01 3.69']);
        await use('1 tick 2026-04-11');
        await run('2026-05-01');
        expect((await lines()).at(-1)).to.equal('USAGE 2026-04-01..2026-05-01 0.06');
        expect(await codeOf(run('2026-05-01'))).to.equal(ErrorCode.INVOICE_NOTHING_TO_DO);
      }),
    );

    it(
      'usage E18 Recurring and usage together: stand on one invoice',
      onEachDatabase(async () => {
        await begin('club', '2026-03-13', { bcd: 13 });
        await use('6 videos 2026-03-14');
        const ahead = await engine.acme.invoices.dryRun({
          accountId,
          targetDate: parseLocalDate('2026-04-13'),
        });
        expect(ahead && itemLines(ahead)).to.deep.equal([
          'RECURRING 2026-04-13..2026-05-13 30',
          'USAGE 2026-03-13..2026-04-13 11',
        ]);
        expect(ahead?.trackingIds).to.deep.equal(['6 videos 2026-03-14']);
        await use('7 videos 2026-04-12');
        await engine.runTo('2026-04-13T00:00:00Z');
        expect(await lines()).to.deep.equal([
          'RECURRING 2026-03-13..2026-04-13 30',
          'RECURRING 2026-04-13..2026-05-13 30, USAGE 2026-03-13..2026-04-13 18',
        ]);
      }),
    );

    it(
      'usage E19 Capacity: is charged by the peaks',
      onEachDatabase(async () => {
        await begin('team-cap', '2026-01-01');
        await use('10 members 2026-01-03');
        await use('100 mbps 2026-01-04');
        await use('10 members 2026-02-03');
        await use('101 mbps 2026-02-04');
        for (const date of ['02-01', '03-01', '04-01']) await engine.runTo(`2026-${date}T00:00:00Z`);
        expect(await lines()).to.deep.equal([
          'USAGE 2026-01-01..2026-02-01 1',
          'USAGE 2026-02-01..2026-03-01 5',
          'USAGE 2026-03-01..2026-04-01 0',
        ]);
        await use('51 members 2026-02-20');
        await run('2026-04-01');
        expect((await lines()).at(-1)).to.equal('USAGE 2026-02-01..2026-03-01 5');
      }),
    );

    it(
      'usage E5 DETAIL against AGGREGATE: has an item for each line that says its price and blocks',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01', { 'org.service.invoice.item.result.behavior.mode': 'DETAIL' });
        await use('5325 sms 2026-04-15');
        await engine.runTo('2026-05-01T00:00:00Z');
        const { items } = await last();
        expect(items.map(({ rate, quantity, amount }) => [rate, quantity, amount].join(' '))).to.deep.equal([
          '2.95 10 29.5',
          '5.95 5 29.75',
        ]);
      }),
    );

    it(
      'usage §7.8: a unit that nothing charges parks the account where the tenant asks for that',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01', { 'org.service.invoice.parkAccountsWithUnknownUsage': 'true' });
        await use('1 mms 2026-04-15', 'unknown');
        await engine.runTo('2026-05-01T00:00:00Z');
        expect(await lines()).to.deep.equal([]);
        await engine.acme.usage.void(subscriptionId, 'unknown');
        await run('2026-05-01');
        expect(await lines()).to.deep.equal(['USAGE 2026-04-01..2026-05-01 0']);
      }),
    );

    it(
      'usage §7.5 rule 4: zero items that the tenant drops leave no invoice, but a charged-through date',
      onEachDatabase(async () => {
        await begin('sms-payg', '2026-04-01', { 'org.service.invoice.disable.usage.zero.amount': 'true' });
        await engine.runTo('2026-05-01T00:00:00Z');
        expect(await lines()).to.deep.equal([]);
        expect(await chargedThrough()).to.equal('2026-05-01');
        await use('5 sms 2026-05-04');
        await engine.runTo('2026-06-01T00:00:00Z');
        expect(await lines()).to.deep.equal(['USAGE 2026-05-01..2026-06-01 2.95']);
      }),
    );
  });
});
