import fc from 'fast-check';
import { defineCatalog } from '../../adapters/node/billwright.ts';
import type { AccountInput, LocalDate, Uuid } from '../../lib/index.ts';
import { addDays, formatLocalDate, parseLocalDate } from '../../lib/index.ts';
import { anyDatabase, eachDatabaseByTurns } from '../support/databases.ts';
import {
  engineBefore,
  expect,
  expectCode,
  fixture,
  itemLines,
  openEngine,
  specCatalog,
  type TestEngine,
} from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const catalog = fixture('catalogs/phases-ahead.xml');

const offers: readonly (readonly string[])[] = [
  ['solo-monthly'],
  ['pro-monthly', 'solo-now'],
  ['pro-annual', 'team-now'],
  ['elite-monthly', 'kit-monthly'],
  ['club-monthly'],
  ['club-monthly', 'term-3m'],
  ['term-3m'],
];

/** Days after 2024-01-17 on which a trial changes to its phase, and a three-month term ends. */
const TRIAL_END = 30;
const TERM_END = 91;

eachDatabaseByTurns.describe('phases that are not stored yet', (open) => {
  const begin = (now: string, sells: URL = catalog) => openEngine(open, { now, catalog: sells });

  async function subscribed(opened: TestEngine, planName: string, input: AccountInput = { currency: 'USD' }) {
    const { id: accountId } = await opened.acme.createAccount(input);
    await opened.subscribe({ accountId, planName });
    return accountId;
  }

  const invoicesOf = ({ acme }: TestEngine, accountId: Uuid): Promise<readonly InvoiceView[]> =>
    acme.invoices.ofAccount({ accountId, withItems: true });

  async function linesOf(opened: TestEngine, accountId: Uuid): Promise<readonly string[]> {
    return (await invoicesOf(opened, accountId)).flatMap(itemLines);
  }

  async function foreseen({ acme }: TestEngine, accountId: Uuid, targetDate: string) {
    const found = await acme.invoices.dryRun({ accountId, targetDate });
    return found && itemLines(found);
  }

  it('are included in a dry run for a distant date', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const accountId = await subscribed(opened, 'three-phases');
    expect(await foreseen(opened, accountId, '2024-03-31')).to.eql(['RECURRING 2024-03-31..2024-04-30 10']);
    expect(await foreseen(opened, accountId, '2024-06-30')).to.eql(['RECURRING 2024-06-30..2024-07-31 50']);
  });

  it('are followed in a dry run by the end of the term, after which nothing is billed', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const accountId = await subscribed(opened, 'trial-then-term');
    expect(await foreseen(opened, accountId, '2024-04-30'), 'the expiry itself bills nothing').to.equal(null);
    expect(await foreseen(opened, accountId, '2024-10-15'), 'the last invoice before').to.eql([
      'RECURRING 2024-03-31..2024-04-30 10',
    ]);
    await opened.acme.generateInvoice({ accountId, targetDate: '2024-10-15' });
    expect(await linesOf(opened, accountId)).to.eql([
      'FIXED 2024-01-01..2024-01-31 0',
      'RECURRING 2024-01-31..2024-02-29 10',
      'RECURRING 2024-02-29..2024-03-31 10',
      'RECURRING 2024-03-31..2024-04-30 10',
    ]);
    expect(await foreseen(opened, accountId, '2024-10-15')).to.equal(null);
  });

  it('are billed by a run for a distant date without being repaired when they are stored', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const accountId = await subscribed(opened, 'three-phases');
    const targetDate = parseLocalDate('2024-09-01');
    expect(itemLines(await opened.acme.generateInvoice({ accountId, targetDate }))).to.eql([
      'RECURRING 2024-01-31..2024-02-29 10',
      'RECURRING 2024-02-29..2024-03-31 10',
      'RECURRING 2024-03-31..2024-04-30 10',
      'RECURRING 2024-04-30..2024-05-31 50',
      'RECURRING 2024-05-31..2024-06-30 50',
      'RECURRING 2024-06-30..2024-07-31 50',
      'RECURRING 2024-07-31..2024-08-31 50',
      'RECURRING 2024-08-31..2024-09-30 50',
    ]);
    for (const day of ['2024-01-31', '2024-04-30', '2024-08-31']) await opened.runTo(`${day}T12:00:00Z`);
    expect(await invoicesOf(opened, accountId)).to.have.length(2);
    await opened.runTo('2024-09-30T00:00:00Z');
    expect((await linesOf(opened, accountId)).at(-1)).to.equal('RECURRING 2024-09-30..2024-10-31 50');
  });

  it('are billed by a due queue entry that is processed before the PHASE event of the same day', async () => {
    const opened = await begin('2024-01-01T08:00:00Z');
    const { acme } = opened;
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    opened.clock.set('2024-01-01T09:00:00Z');
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'ten-days' });
    await opened.settle();
    const trial = 'FIXED 2024-01-01..2024-01-31 0';
    const discount = 'RECURRING 2024-01-31..2024-02-10 3.45';
    await opened.runTo('2024-01-31T08:00:00Z');
    expect(await linesOf(opened, accountId)).to.eql([trial, discount]);
    const shown = async () => (await acme.getSubscription(subscriptionId)).events.length;
    expect(await shown(), 'only stored phases are shown').to.equal(3);

    await opened.runTo('2024-01-31T09:00:00Z');
    expect(await linesOf(opened, accountId)).to.eql([trial, discount]);
    expect(await shown()).to.equal(4);
    await opened.runTo('2024-02-10T09:00:00Z');
    expect(await linesOf(opened, accountId)).to.eql([
      trial,
      discount,
      'RECURRING 2024-02-10..2024-02-29 30.65',
    ]);
  });

  it('multiply the setup fee by the quantity set at creation', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const { id: accountId } = await opened.acme.createAccount({ currency: 'USD' });
    await opened.subscribe({ accountId, planName: 'set-up-fee', quantity: 3 });
    expect((await linesOf(opened, accountId)).toSorted()).to.eql([
      'FIXED 2024-01-01 30',
      'RECURRING 2024-01-01..2024-02-01 90',
    ]);
  });

  it('set the missing bill cycle day of an account from its first subscription', async () => {
    const opened = await begin('2024-01-10T00:00:00Z');
    const { acme } = opened;
    const { id: alone } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: alone, planName: 'set-up-fee', billCycleDayLocal: 15 });
    const { id: both } = await acme.createAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: both, planName: 'set-up-fee', billCycleDayLocal: 20 });
    await opened.settle(acme.createSubscription({ accountId: both, planName: 'set-up-fee' }));
    expect((await acme.getAccount(alone)).billCycleDayLocal).to.equal(15);
    expect((await acme.getAccount(both)).billCycleDayLocal).to.equal(20);
  });

  it('require an account currency in a dry run and in a run', async () => {
    const opened = await begin('2024-01-01T00:00:00Z');
    const { acme } = opened;
    const { id: accountId } = await acme.createAccount({});
    await expectCode(acme.createSubscription({ accountId, planName: 'set-up-fee' }), 3);
    await expectCode(acme.generateInvoice({ accountId }), 3);
    await expectCode(acme.invoices.dryRun({ accountId }), 3);
  });

  it('are the same in a dry run as in the next run, for any plan and date', async () => {
    const start = parseLocalDate('2024-01-17');
    const cases = fc.record({
      days: fc.array(fc.integer({ min: 1, max: 430 }), { minLength: 4, maxLength: 6 }),
      billCycleDay: fc.integer({ min: 0, max: 31 }),
    });
    const check = fc.asyncProperty(cases, async ({ days, billCycleDay }) => {
      const opened = await begin(`${formatLocalDate(start)}T06:00:00Z`, specCatalog);
      const chosen = new Set([...days, TRIAL_END, TERM_END]);
      const dates = [...chosen].toSorted((a, b) => a - b).map((each) => addDays(start, each));
      await expectPredicted(opened, dates, billCycleDay);
    });
    await fc.assert(check, { numRuns: 2, endOnFailure: true });
  });

  /** Runs dry runs for all dates first, then moves the clock to each of them. */
  async function expectPredicted(opened: TestEngine, dates: readonly LocalDate[], billCycleDay: number) {
    const accountIds: Uuid[] = [];
    for (const offer of offers) accountIds.push(await customer(opened, offer, billCycleDay));
    await opened.settle();
    const dryRunAnswer: (readonly string[] | null)[][] = [];
    const invoicedBefore: number[] = [];
    for (const accountId of accountIds) {
      const answers: (readonly string[] | null)[] = [];
      for (const date of dates) answers.push(await foreseen(opened, accountId, formatLocalDate(date)));
      dryRunAnswer.push(answers);
      invoicedBefore.push((await invoicesOf(opened, accountId)).length);
    }
    for (const [index, date] of dates.entries()) {
      await opened.runTo(`${formatLocalDate(date)}T23:59:59Z`);
      for (const [number, accountId] of accountIds.entries()) {
        const last = (await invoicesOf(opened, accountId)).slice(invoicedBefore[number]).at(-1);
        const answer = dryRunAnswer[number]?.[index] ?? null;
        const about = `${offers[number]} on ${formatLocalDate(date)}`;
        if (answer !== null) expect(last && itemLines(last), about).to.eql(answer);
        else if (last) {
          // A date with a phase or an end has its own dry run result, which may be empty.
          expect(last.targetDate, about).to.not.equal(date);
          expect(await eventDates(opened, accountId), about).to.include(date);
        }
      }
    }
  }

  async function eventDates({ acme }: TestEngine, accountId: Uuid): Promise<readonly LocalDate[]> {
    const bundles = await acme.subscriptions.bundlesOfAccount(accountId);
    return bundles.flatMap(({ timeline }) => timeline.map(({ effective }) => parseLocalDate(effective.date)));
  }

  async function customer({ acme }: TestEngine, offer: readonly string[], billCycleDayLocal: number) {
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal });
    for (const planName of offer) await acme.createSubscription({ accountId, planName });
    return accountId;
  }
});

const millennium = { unit: 'YEARS', number: 1_000 } as const;
const triennial = { billingPeriod: 'TRIENNIAL', price: { USD: '30.00' } } as const;

/** The longest supported phases and billing periods. */
const longest = defineCatalog({
  name: 'Long',
  effectiveDate: '0001-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Oak: { category: 'BASE' } },
  plans: {
    'oak-longest': {
      product: 'Oak',
      initialPhases: [
        { type: 'TRIAL', duration: millennium, fixed: 0 },
        { type: 'DISCOUNT', duration: millennium, recurring: triennial },
      ],
      finalPhase: { type: 'FIXEDTERM', duration: millennium, recurring: triennial },
    },
    'oak-triennial': { product: 'Oak', finalPhase: { type: 'EVERGREEN', recurring: triennial } },
  },
  priceLists: { DEFAULT: ['oak-longest', 'oak-triennial'] },
  rules: {
    changePolicy: [{ policy: 'IMMEDIATE' }],
    cancelPolicy: [{ policy: 'IMMEDIATE' }],
    billingAlignment: [{ alignment: 'SUBSCRIPTION' }],
  },
}).toXml();

for (const { now, zone, first, recent, last } of [
  {
    now: '8999-12-31T23:59:59Z',
    zone: '+14:00',
    first: '8900-01-01',
    recent: '8996-01-01',
    last: '9100-01-01',
  },
  {
    now: '1970-01-02T00:00:00Z',
    zone: '-12:00',
    first: '1870-01-01',
    recent: '1967-01-01',
    last: '2070-01-01',
  },
]) {
  anyDatabase.describe(`billing at the clock limits, ${now}`, (open) => {
    const engine = engineBefore(open, {
      now,
      catalog: longest,
      configuration: {
        'org.service.invoice.maxNumberOfMonthsInFuture': 1_200,
        'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1,
      },
    });

    for (const [planName, date, invoices] of [
      ['oak-triennial', recent, 2],
      ['oak-triennial', last, 0],
      ['oak-longest', first, 1],
      ['oak-longest', last, 0],
    ] as const)
      it(`bills and previews ${planName} from ${date}`, async () => {
        const { acme, logger } = engine;
        const { id: accountId } = await engine.payingAccount({ currency: 'USD', timeZone: zone });
        const start = date;
        const dates = { entitlementDate: start, billingDate: start };
        const { subscriptionId } = await acme.createSubscription({ accountId, planName }, dates);
        await engine.settle();
        expect(await acme.invoices.ofAccount({ accountId })).to.have.length(invoices);
        const upcoming = await acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
        expect(upcoming?.items).to.have.length(1);
        await acme.invoices.dryRun({ accountId, targetDate: last });
        await engine.cancelAt(subscriptionId, last);
        await acme.subscriptions.uncancel(subscriptionId);
        expect(logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
      });
  });
}
