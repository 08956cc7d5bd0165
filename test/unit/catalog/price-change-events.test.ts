import type { Catalog, PlanStep, RecurringStep } from '../../../lib/catalog/index.ts';
import { CatalogVersion, createCatalog } from '../../../lib/catalog/index.ts';
import {
  addDays,
  cycleDate,
  cycleDatesOf,
  firstCycleAfter,
  formatInstant,
  instantAt,
  isMonthBased,
  localDateOf,
  localTime,
  maxDate,
  timeZone,
  UTC,
} from '../../../lib/values/time/index.ts';
import { at, lists, phase, plan, price, TRIAL, version } from '../../support/catalogs/catalog-document.ts';
import { expect, type Instant, type LocalDate } from '../../support/unit.ts';

interface Parts {
  readonly price?: string;
  readonly forExisting?: string;
  readonly period?: string;
  readonly initialPhases?: string;
  readonly finalPhase?: string;
}

function priced(effectiveDate: string, parts: Parts): CatalogVersion {
  const { price: recurring = '10.00', forExisting, ...more } = parts;
  const dated =
    forExisting === undefined
      ? ''
      : `<effectiveDateForExistingSubscriptions>${forExisting}</effectiveDateForExistingSubscriptions>`;
  return version({
    effectiveDate,
    units: ['u'],
    plans: plan('p-m', 'P', { price: recurring, ...more, more: dated }),
  });
}

/** Returns a catalog with versions of `p-m`: `date price [date for existing subscriptions]`. */
function sold(...versions: readonly (string | CatalogVersion)[]): Catalog {
  return createCatalog(
    versions.map((each) => {
      if (typeof each !== 'string') return each;
      const [date = '', price, forExisting] = each.split(' ');
      return priced(date, { ...(price && { price }), ...(forExisting && { forExisting }) });
    }),
  );
}

function without(effectiveDate: string): CatalogVersion {
  return version({ effectiveDate, plans: plan('q-m', 'P'), priceLists: lists({ DEFAULT: ['q-m'] }) });
}

function step(kind: 'PLAN' | `PHASE of ${string}`, date: string, catalog: Catalog): PlanStep {
  const effective = { at: at(date), date: localDateOf(at(date), UTC) };
  const chosen = kind === 'PLAN' ? date : kind.replace('PHASE of ', '');
  const { plan: resolved } = catalog.resolvePlan('p-m', at(date), at(chosen));
  return { kind: kind === 'PLAN' ? kind : 'PHASE', effective, planName: 'p-m', phase: resolved.finalPhase };
}

function end(date: string) {
  return { kind: 'END' as const, effective: { at: at(date), date: localDateOf(at(date), UTC) } };
}

const REFERENCE = localTime(8 * 3_600);

/** Returns `date price version` of each change. With a bill cycle day, changes are aligned, at 08:00 UTC. */
function changes(
  catalog: Catalog,
  steps: Parameters<Catalog['priceChangeEvents']>[0]['steps'],
  billCycleDay?: number,
): readonly string[] {
  const alignment = billCycleDay && {
    periodStartFrom: (date: LocalDate, { step: { effective }, period: billingPeriod }: RecurringStep) => {
      const cycle = cycleDatesOf({
        localDate: effective.date,
        billingPeriod,
        billCycleDayLocal: billCycleDay,
      });
      const earliest = isMonthBased(billingPeriod) ? date : maxDate(date, addDays(effective.date, 1));
      return cycleDate(cycle, firstCycleAfter(cycle, addDays(earliest, -1)));
    },
    dated: (date: ReturnType<typeof localDateOf>) => ({ at: instantAt(date, REFERENCE, UTC), date }),
  };
  return catalog
    .priceChangeEvents({ steps, zone: UTC }, alignment || undefined)
    .map(
      ({ effective, version: supplied, phase: changed }) =>
        `${shown(effective.at)} ${changed.recurring?.price?.prices[0]?.amount?.text} ${shown(supplied.effectiveDate)}`,
    );
}

/** Returns the changes for a subscription that chose the plan on that date. */
function changesFrom(date: string, catalog: Catalog, billCycleDay?: number): readonly string[] {
  return changes(catalog, [step('PLAN', date, catalog)], billCycleDay);
}

function shown(instant: Instant): string {
  return formatInstant(instant).replace('T00:00:00.000Z', '').replace(':00:00.000Z', '');
}

const heat = createCatalog([
  priced('2024-01-01', { price: '40.00' }),
  priced('2024-04-01', { price: '52.00', forExisting: '2024-05-01' }),
  priced('2024-07-01', { price: '64.00', forExisting: '2024-08-01' }),
]);

describe('price changes for existing subscriptions', () => {
  it('apply on the date set by the version (catalog W3)', () =>
    expect(changesFrom('2024-03-15', heat)).to.eql([
      '2024-05-01 52.00 2024-04-01',
      '2024-08-01 64.00 2024-07-01',
    ]));

  it('apply on the next bill cycle date if they are aligned (catalog W4)', () =>
    expect(changesFrom('2024-03-15', heat, 15)).to.eql([
      '2024-05-15T08 52.00 2024-04-01',
      '2024-08-15T08 64.00 2024-07-01',
    ]));

  it('use only the latest version if an aligned cycle contains two versions (catalog W5)', () => {
    const catalog = sold('2024-01-01 70.00', '2024-05-12 55.00 2024-05-12', '2024-05-20 88.00 2024-05-20');
    const steps = [step('PLAN', '2024-05-03', catalog)];
    expect(changes(catalog, steps, 3)).to.eql(['2024-06-03T08 88.00 2024-05-20']);
    expect(changes(catalog, steps)).to.eql(['2024-05-12 55.00 2024-05-12', '2024-05-20 88.00 2024-05-20']);
  });

  it('apply to subscriptions created before an entry change, but not to later subscriptions (catalog W18 "Entries to versions")', () => {
    const catalog = sold(
      '2024-01-01 10.00',
      '2024-02-01 10.00',
      '2024-05-01 12.00 2024-06-01',
      '2024-07-01 12.00 2024-07-01',
    );
    expect(changesFrom('2024-01-10', catalog)).to.eql(['2024-06-01 12.00 2024-05-01']);
    expect(changesFrom('2024-05-02', catalog)).to.eql([]);
  });

  it('apply to an XML plan on the date set by its version, even if catalog entries exist (catalog W19 "Overlay")', () => {
    const catalog = sold('2024-01-01 10.00', '2024-03-01 10.00', '2024-04-01 11.00 2024-05-01');
    expect(changesFrom('2024-02-10', catalog)).to.eql(['2024-05-01 11.00 2024-04-01']);
  });

  it('come only from versions after the version of the last plan change (catalog §6.4 rules 1 and 2)', () => {
    expect(changesFrom('2024-04-10', heat)).to.eql(['2024-08-01 64.00 2024-07-01']);
    expect(changesFrom('2024-07-10', heat)).to.eql([]);
    const changed = [step('PLAN', '2024-03-15', heat), step('PLAN', '2024-04-10', heat)];
    expect(changes(heat, changed)).to.eql(['2024-08-01 64.00 2024-07-01']);
  });

  it('stop at the first version without the plan (catalog §6.4 rule 2)', () => {
    const catalog = sold(
      '2024-01-01 40.00',
      '2024-04-01 52.00 2024-05-01',
      without('2024-06-01'),
      '2024-07-01 64.00 2024-08-01',
    );
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-05-01 52.00 2024-04-01']);
  });

  it('begin with the first later version, even if the version of the plan change does not contain the plan (catalog §6.4 rule 2)', () => {
    const catalog = sold('2024-01-01 40.00', without('2024-03-01'), '2024-04-01 52.00 2024-05-01');
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-05-01 52.00 2024-04-01']);
    expect(changesFrom('2024-02-15', catalog)).to.eql([]);
  });

  it('exclude a version that does not change the plan (catalog §6.4 rule 2)', () => {
    const changing = priced('2024-04-01', { price: '52.00', forExisting: '2024-08-01' });
    const catalog = createCatalog([
      priced('2024-01-01', { price: '40.00' }),
      changing,
      new CatalogVersion({
        effectiveDate: at('2024-07-01'),
        frame: changing.frame,
        products: changing.productParts,
        plans: changing.planParts,
      }),
    ]);
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-08-01 52.00 2024-04-01']);
  });

  it('are evaluated again from each CHANGE and PHASE, and end with the subscription (catalog §6.4 rules 3 and 4)', () => {
    const steps = (date: string) => [
      step('PLAN', '2024-03-15', heat),
      step('PHASE of 2024-03-15', date, heat),
    ];
    expect(changes(heat, steps('2024-04-20'))).to.eql([
      '2024-05-01 52.00 2024-04-01',
      '2024-08-01 64.00 2024-07-01',
    ]);
    // A phase that begins on or after the date already has the new price.
    for (const date of ['2024-05-01', '2024-05-20']) {
      const expected = date === '2024-05-01' ? [] : ['2024-05-01 52.00 2024-04-01'];
      expect(changes(heat, steps(date))).to.eql([...expected, '2024-08-01 64.00 2024-07-01']);
    }
    expect(changes(heat, [step('PLAN', '2024-03-15', heat), end('2024-08-01')])).to.eql([
      '2024-05-01 52.00 2024-04-01',
    ]);
  });

  it('affect only the current phase, so that a trial stays free', () => {
    const trial = { initialPhases: TRIAL };
    const catalog = createCatalog([
      priced('2024-01-01', { price: '40.00', ...trial }),
      priced('2024-04-01', { price: '52.00', forExisting: '2024-04-01', ...trial }),
    ]);
    const [first] = catalog.versions[0]?.plans ?? [];
    const begun = step('PLAN', '2024-03-15', catalog);
    const inTrial = { ...begun, phase: first?.initialPhases[0] ?? begun.phase };
    expect(changes(catalog, [inTrial, step('PHASE of 2024-03-15', '2024-04-14', catalog)])).to.eql([]);
  });

  it('exclude versions that change neither recurring prices nor usages, ignoring trailing zeros (catalog §6.4 rule 8)', () => {
    const catalog = sold(
      '2024-01-01 40.00',
      '2024-04-01 40.0 2024-05-01',
      '2024-05-01 41.00 2024-06-01',
      '2024-06-01 41.0 2024-07-01',
    );
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-06-01 41.00 2024-05-01']);
  });

  it('include versions that change only usages (catalog §6.4 rule 8)', () => {
    const metered = (amount: string) => ({
      finalPhase: phase('EVERGREEN', {
        price: '40.00',
        usages: `<usage name="calls" billingMode="IN_ARREAR" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>
          <tiers><tier><blocks><tieredBlock><unit>u</unit><size>1</size><prices>${price('USD', amount)}</prices>
          <max>-1</max></tieredBlock></blocks></tier></tiers></usage>`,
      }),
    });
    const catalog = createCatalog([
      priced('2024-01-01', metered('1.00')),
      priced('2024-04-01', { ...metered('1.0'), forExisting: '2024-05-01' }),
      priced('2024-06-01', { ...metered('2.00'), forExisting: '2024-07-01' }),
    ]);
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-07-01 40.00 2024-06-01']);
  });

  it('exclude a change that would take effect after the change of a newer version', () => {
    const catalog = sold('2024-01-01 40.00', '2024-04-01 52.00 2025-01-01', '2024-07-01 64.00 2024-08-01');
    expect(changesFrom('2024-03-15', catalog)).to.eql(['2024-08-01 64.00 2024-07-01']);
    const later = catalog.resolvePlan('p-m', at('2025-06-01'), at('2024-03-15'));
    expect(shown(later.version.effectiveDate)).to.equal('2024-07-01');
  });

  describe('aligned to the bill cycle (catalog §6.4 rule 5)', () => {
    const changed = (date: string, parts: Parts = {}) =>
      createCatalog([
        priced('2024-01-01', { price: '40.00', ...parts }),
        priced('2024-01-02', { price: '52.00', forExisting: date, ...parts }),
      ]);
    const cases: readonly (readonly [string, number, string])[] = [
      ['2024-02-10', 15, '2024-02-15T08'],
      ['2024-02-15', 15, '2024-02-15T08'],
      ['2024-02-15T23:00Z', 15, '2024-02-15T08'],
      ['2024-02-16', 15, '2024-03-15T08'],
      ['2024-02-10', 31, '2024-02-29T08'],
      ['2024-03-01', 31, '2024-03-31T08'],
    ];
    for (const [date, billCycleDay, expected] of cases)
      it(`move from ${date} to ${expected} for bill cycle day ${billCycleDay}`, () => {
        const catalog = changed(date);
        const steps = [step('PLAN', '2024-01-01', catalog)];
        expect(changes(catalog, steps, billCycleDay)).to.eql([`${expected} 52.00 2024-01-02`]);
      });

    it('move to the start of the next year of an annual phase, not to the next bill cycle day in a month', () => {
      for (const [date, expected] of [
        ['2024-01-10', '2024-01-15'],
        ['2024-01-16', '2025-01-15'],
        ['2024-05-20', '2025-01-15'],
      ] as const) {
        const catalog = changed(date, { period: 'ANNUAL' });
        expect(changesFrom('2024-01-01', catalog, 15)).to.eql([`${expected}T08 52.00 2024-01-02`]);
      }
    });

    it('apply at least one period after the start of a day-based phase', () => {
      const weekly = (date: string) => {
        return changesFrom('2024-01-01T08:00Z', changed(date, { period: 'WEEKLY' }), 15);
      };
      expect(weekly('2024-01-02')).to.eql(['2024-01-08T08 52.00 2024-01-02']);
      expect(weekly('2024-01-08')).to.eql(['2024-01-08T08 52.00 2024-01-02']);
      expect(weekly('2024-01-09')).to.eql(['2024-01-15T08 52.00 2024-01-02']);

      const catalog = createCatalog([
        priced('2024-01-01', { price: '40.00', period: 'WEEKLY' }),
        priced('2024-01-01T10:00Z', { price: '52.00', forExisting: '2024-01-01T12:00Z', period: 'WEEKLY' }),
      ]);
      expect(changesFrom('2024-01-01T08:00Z', catalog, 15), 'on the day it starts').to.eql([
        '2024-01-08T08 52.00 2024-01-01T10',
      ]);
    });

    it('are absent from a phase without a recurring section', () => {
      const free = { finalPhase: phase('EVERGREEN', { fixed: '5.00' }) };
      const catalog = createCatalog([
        priced('2024-01-01', free),
        priced('2024-01-02', { price: '52.00', forExisting: '2024-02-01' }),
      ]);
      const steps = [step('PLAN', '2024-01-01', catalog)];
      expect(changes(catalog, steps, 15)).to.eql([]);
      expect(changes(catalog, steps)).to.eql(['2024-02-01 52.00 2024-01-02']);
    });

    it('skip a bill cycle date whose instant is before the start of the subscription', () => {
      const catalog = sold('2024-01-01 40.00', '2024-01-15T21:00Z 52.00 2024-01-15T22:00Z');
      expect(changesFrom('2024-01-15T20:00Z', catalog, 15)).to.eql(['2024-02-15T08 52.00 2024-01-15T21']);
      expect(changesFrom('2024-01-15T08:00Z', catalog, 15), 'at the start itself').to.eql([
        '2024-01-15T08 52.00 2024-01-15T21',
      ]);
    });
  });

  it('never occur in the last year of the calendar, in any zone, aligned or not', () => {
    for (const period of ['MONTHLY', 'NINETY_DAYS']) {
      const catalog = createCatalog([
        priced('2024-01-01', { price: '40.00', period }),
        priced('2024-01-02', { price: '52.00', forExisting: '9998-12-31T23:59:59Z', period }),
        priced('2024-01-03', { price: '64.00', forExisting: '9999-12-31T23:59:59Z', period }),
      ]);
      const steps = [step('PLAN', '2024-01-01', catalog)];
      expect(changes(catalog, steps)).to.eql(['9998-12-31T23:59:59.000Z 52.00 2024-01-02']);
      expect(changes(catalog, steps, 15)).to.have.length(1);
      const eastOfUtc = catalog.priceChangeEvents({ steps, zone: timeZone('Pacific/Kiritimati') });
      expect(eastOfUtc.map(({ effective }) => effective.date)).to.eql([localDateOf(at('9999-01-01'), UTC)]);
    }
  });

  it("are dated in the account's time zone, never before the date of their transition", () => {
    const catalog = sold('2024-01-01 40.00', '2024-01-02 52.00 2024-02-01');
    const [change] = catalog.priceChangeEvents({
      steps: [step('PLAN', '2024-01-01', catalog)],
      zone: timeZone('America/New_York'),
    });
    expect(change?.effective).to.eql({ at: at('2024-02-01'), date: localDateOf(at('2024-01-31'), UTC) });

    const soon = sold('2024-01-01 40.00', '2024-01-31T10:00Z 52.00 2024-02-01');
    const begun = { at: at('2024-01-31'), date: localDateOf(at('2024-02-01'), UTC) };
    const [later] = soon.priceChangeEvents({
      steps: [{ ...step('PLAN', '2024-01-31', soon), effective: begun }],
      zone: timeZone('America/New_York'),
    });
    expect(later?.effective).to.eql({ at: at('2024-02-01'), date: begun.date });
  });
});

describe('price changes in catalogs of earlier revisions', () => {
  it('use only the versions that existed at the requested revision', () => {
    const [v1, v2, v3] = heat.versions as readonly [CatalogVersion, CatalogVersion, CatalogVersion];
    const since = new Map([
      [v1, 1],
      [v2, 3],
      [v3, 2],
    ]);
    const catalog = createCatalog([v1, v2, v3], {
      revision: 3,
      versionsAt: (revision) => [v1, v2, v3].filter((each) => (since.get(each) ?? 0) <= revision),
    });
    expect(catalog.asOf(3)).to.equal(catalog);
    expect(catalog.asOf(2).versions).to.eql([v1, v3]);
    expect(catalog.asOf(2)).to.equal(catalog.asOf(2));
    expect(catalog.asOf(0).versions).to.eql([]);
  });
});
