import { createCatalog } from '../../../lib/catalog/index.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { atReferenceTime } from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { lists, phase, plan, version } from '../../support/catalogs/catalog-document.ts';
import type { AccountParts, Life } from '../../support/subscriptions/example.ts';
import {
  account,
  at,
  created,
  day,
  passed,
  rowsOf,
  storedOf,
  viewOf,
} from '../../support/subscriptions/example.ts';
import { expect, formatDecimal, formatInstant, formatLocalDate, localDateOf } from '../../support/unit.ts';

const PRO = { planName: 'pro-monthly' };

function cycleDaysOf(life: Life): readonly number[] {
  const histories = [life];
  const { events } = billingEvents({ account: life.account, histories, plans: life.catalog });
  return events.map((event) => event.billCycleDayLocal);
}

function instantOf(date: string, parts: AccountParts): string {
  return formatInstant(atReferenceTime(day(date), account(parts)).at);
}

describe('subscription dates and events', () => {
  it('use the zone rules of each date (subscriptions W1 "Zone rules")', () => {
    const parts = { zone: 'America/Los_Angeles', referenceTime: '2017-03-02T07:30:00Z' };
    const life = created({ account: account(parts), request: PRO, now: at(parts.referenceTime) });

    expect(storedOf(life)).to.eql([
      'CREATE 2017-03-01 pro-monthly-trial',
      'PHASE 2017-03-31 pro-monthly-evergreen',
    ]);
    expect(rowsOf(viewOf(life))).to.eql([
      'START_ENTITLEMENT 2017-03-02T07:30:00.000Z',
      'START_BILLING 2017-03-02T07:30:00.000Z',
      'PHASE 2017-04-01T06:30:00.000Z',
    ]);
    expect(cycleDaysOf(life)).to.eql([31, 31]);
    expect(instantOf('2017-07-10', parts)).to.equal('2017-07-11T06:30:00.000Z');
    expect(formatLocalDate(localDateOf(at('2017-07-11T07:15:00Z'), life.account.timeZone))).to.equal(
      '2017-07-11',
    );
  });

  it('use month arithmetic on the local date (subscriptions W2)', () => {
    const catalog = createCatalog([
      version({
        effectiveDate: '2023-01-01',
        plans: plan('p-m', 'P', {
          initialPhases: phase('DISCOUNT', { unit: 'MONTHS', number: 3, fixed: '5' }),
        }),
      }),
    ]);
    const now = at('2023-03-01T03:47:56Z');
    const life = created({
      account: account({ zone: 'America/New_York', referenceTime: '2023-03-01T03:47:56Z' }),
      request: { planName: 'p-m' },
      now,
      catalog,
    });

    expect(storedOf(life)).to.eql(['CREATE 2023-02-28 p-m-discount', 'PHASE 2023-05-28 p-m-evergreen']);
    expect(rowsOf(viewOf(life)).at(-1)).to.equal('PHASE 2023-05-29T02:47:56.000Z');
    expect(cycleDaysOf(life)).to.eql([28, 28]);
  });

  it('begin when the subscription is created, and include the next phase (subscriptions W3 "Create")', () => {
    const customer = account({ referenceTime: '2024-03-01T08:00:00Z' });
    const life = created({ account: customer, request: PRO, now: at('2024-03-01T09:15:00Z') });
    const view = viewOf(life);

    expect(rowsOf(view)).to.eql([
      'START_ENTITLEMENT 2024-03-01T09:15:00.000Z',
      'START_BILLING 2024-03-01T09:15:00.000Z',
      'PHASE 2024-03-31T09:15:00.000Z',
    ]);
    expect(view).to.include({ state: 'ACTIVE', phaseType: 'TRIAL', billCycleDayLocal: null, quantity: 1 });
    const shown = view.prices.map(({ phaseName, phaseType, fixedPrice, recurringPrice }) => [
      phaseName,
      phaseType,
      fixedPrice && formatDecimal(fixedPrice),
      recurringPrice && formatDecimal(recurringPrice),
    ]);
    expect(shown).to.eql([
      ['pro-monthly-trial', 'TRIAL', '0', null],
      ['pro-monthly-evergreen', 'EVERGREEN', null, '249.95'],
    ]);
    expect(cycleDaysOf(life), 'the day that the first invoice run gives the account').to.eql([31, 31]);
    expect(viewOf({ ...life, account: { ...customer, billCycleDayLocal: 31 } }).billCycleDayLocal).to.equal(
      31,
    );
  });

  it('respect separate entitlement and billing dates (subscriptions W4 "Two dates")', () => {
    const life = created({
      account: account(),
      request: PRO,
      options: { entitlementDate: { date: day('2024-08-10') }, billingDate: { date: day('2024-08-12') } },
      now: at('2024-08-07'),
    });

    expect(viewOf(passed(life, at('2024-08-09'))).state).to.equal('PENDING');
    const started = viewOf(passed(life, at('2024-08-10')));
    expect(started).to.include({ state: 'ACTIVE', planName: 'pro-monthly' });
    expect(started.billingStart && formatLocalDate(started.billingStart.date)).to.equal('2024-08-12');
    expect(rowsOf(started)).to.eql([
      'START_ENTITLEMENT 2024-08-10T00:00:00.000Z',
      'START_BILLING 2024-08-12T00:00:00.000Z',
      'PHASE 2024-09-11T00:00:00.000Z',
    ]);
  });

  it('include each price change for existing subscriptions (subscriptions W17)', () => {
    const priced = (effectiveDate: string, price: string, forExisting?: string) =>
      version({
        effectiveDate,
        plans: plan('p-m', 'P', {
          price,
          more: forExisting
            ? `<effectiveDateForExistingSubscriptions>${forExisting}T00:00:00Z</effectiveDateForExistingSubscriptions>`
            : '',
        }),
        priceLists: lists({ DEFAULT: ['p-m'] }),
      });
    const catalog = createCatalog([
      priced('2018-01-01', '49.95'),
      priced('2018-04-01', '59.95', '2018-05-01'),
      priced('2018-07-01', '69.95', '2018-08-01'),
    ]);
    const life = created({
      account: account({ billCycleDayLocal: 15 }),
      request: { planName: 'p-m' },
      now: at('2018-03-15'),
      catalog,
    });

    expect(rowsOf(viewOf(passed(life, at('2018-12-01'))))).to.eql([
      'START_ENTITLEMENT 2018-03-15T00:00:00.000Z',
      'START_BILLING 2018-03-15T00:00:00.000Z',
    ]);
  });

  it('end with the fixed term of the base subscription (subscriptions W18 "Fixed term")', () => {
    const life = created({ account: account(), request: { planName: 'term-3m' }, now: at('2023-01-01') });
    expect(rowsOf(viewOf(life))).to.eql([
      'START_ENTITLEMENT 2023-01-01T00:00:00.000Z',
      'START_BILLING 2023-01-01T00:00:00.000Z',
      'STOP_BILLING 2023-04-01T00:00:00.000Z',
    ]);
    expect(viewOf(passed(life, at('2023-03-31'))).state).to.equal('ACTIVE');

    const expired = viewOf(passed(life, at('2023-04-01')));
    expect(expired).to.include({ cancelled: null, billingEnd: null, state: 'EXPIRED', planName: 'term-3m' });
  });

  it('handle gaps, repeated hours and missing dates as specified (subscriptions W22)', () => {
    const newYork = 'America/New_York';
    expect(instantOf('2026-03-08', { zone: newYork, referenceTime: '2026-01-10T07:30:00Z' }), 'a').to.equal(
      '2026-03-08T07:00:00.000Z',
    );
    expect(instantOf('2026-11-01', { zone: newYork, referenceTime: '2026-06-01T05:30:00Z' }), 'b').to.equal(
      '2026-11-01T05:30:00.000Z',
    );
    expect(
      instantOf('2024-03-30', { zone: 'America/Nuuk', referenceTime: '2024-01-11T01:30:00Z' }),
      'c',
    ).to.equal('2024-03-31T00:59:59.000Z');
    const apia = { zone: 'Pacific/Apia', referenceTime: '2011-11-01T20:00:00Z' };
    expect(instantOf('2011-12-30', apia), 'd').to.equal('2011-12-30T10:00:00.000Z');
    expect(instantOf('2011-12-31', apia), 'd').to.equal('2011-12-30T20:00:00.000Z');
  });
});
