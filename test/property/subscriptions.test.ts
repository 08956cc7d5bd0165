import { type Catalog, createCatalog } from '../../lib/catalog/index.ts';
import { billingEvents } from '../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { phase, plan, version } from '../support/catalogs/catalog-document.ts';
import { fc, forAll } from '../support/property.ts';
import type { Life } from '../support/subscriptions/example.ts';
import { account, created, passed, rowsOf, storedOf, viewOf } from '../support/subscriptions/example.ts';
import { addDays, expect, type Instant, instant, type LocalDate, localDate } from '../support/unit.ts';

const units = fc.constantFrom('DAYS', 'WEEKS', 'MONTHS', 'YEARS');
const durations = fc.record({ unit: units, number: fc.integer({ min: 1, max: 40 }) });
const zones = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Asia/Kathmandu',
  'America/Nuuk',
  'Pacific/Apia',
  '+05:30',
);

interface PlanShape {
  readonly initial: readonly { readonly unit: string; readonly number: number }[];
  readonly term: { readonly unit: string; readonly number: number } | null;
}

const shapes: fc.Arbitrary<PlanShape> = fc.record({
  initial: fc.array(durations, { maxLength: 2 }),
  term: fc.option(durations),
});

function planOf({ initial, term }: PlanShape, more = ''): string {
  const types = ['TRIAL', 'DISCOUNT'];
  const initialPhases = initial.map((duration, index) =>
    phase(types[index] ?? '', { ...duration, price: '1' }),
  );
  const finalPhase = term ? phase('FIXEDTERM', { ...term, price: '2' }) : phase('EVERGREEN', { price: '2' });
  return plan('p-m', 'P', { initialPhases: initialPhases.join(''), finalPhase, more });
}

const catalogs: fc.Arbitrary<Catalog> = shapes.map((shape) =>
  createCatalog([version({ plans: planOf(shape) })]),
);

/** Catalogs whose second version changes the length of the phases, also for existing subscriptions. */
const repricedCatalogs: fc.Arbitrary<Catalog> = fc
  .tuple(shapes, fc.array(durations, { minLength: 3, maxLength: 3 }))
  .map(([shape, [first, second, last]]) => {
    const initial = [first, second].flatMap((each) => each ?? []).slice(0, shape.initial.length);
    const since = '2024-06-01T00:00:00Z';
    const more = `<effectiveDateForExistingSubscriptions>${since}</effectiveDateForExistingSubscriptions>`;
    const later = { initial, term: shape.term && (last ?? null) };
    return createCatalog([
      version({ plans: planOf(shape) }),
      version({ effectiveDate: since, plans: planOf(later, more) }),
    ]);
  });

const msPerDay = 86_400_000;
const times: fc.Arbitrary<Instant> = fc
  .tuple(fc.integer({ min: 17_000, max: 21_000 }), fc.integer({ min: 0, max: 86_399 }))
  .map(([epochDay, second]) => instant(epochDay * msPerDay + second * 1_000));
const dates: fc.Arbitrary<LocalDate> = fc
  .integer({ min: 0, max: 4_000 })
  .map((days) => addDays(localDate(2016, 7, 17), days));

const cases = fc.record({
  catalog: catalogs,
  zone: zones,
  reference: times,
  billing: dates,
  now: times,
  later: times,
});

function create(input: {
  catalog: Catalog;
  zone: string;
  reference: Instant;
  billing: LocalDate;
  now: Instant;
}): Life {
  const { catalog, zone, reference, billing, now } = input;
  return created({
    account: { ...account({ zone }), referenceTime: reference },
    catalog,
    request: { planName: 'p-m' },
    options: { billingDate: { date: billing } },
    now,
  });
}

/** Returns the events that invoicing reads, without the tie-breaker, which differs between stored and new events. */
function streamOf(life: Life) {
  const stream = billingEvents({ account: life.account, histories: [life], plans: life.catalog });
  return stream.events.map((event) => ({ ...event, totalOrdering: null }));
}

describe('subscriptions over time', () => {
  it('have the same events with a jumping clock as with a steady clock', () =>
    forAll([cases, fc.array(times, { maxLength: 6 })], (input, stops) => {
      const life = create(input);
      const jumped = passed(life, input.later);
      const walked = stops
        .filter((stop) => stop > life.now && stop < input.later)
        .toSorted((a, b) => a - b)
        .reduce(passed, life);
      expect(storedOf(passed(walked, input.later))).to.eql(storedOf(jumped));
    }));

  it('have the same events whether they are created on time or later', () =>
    forAll([cases], (input) => {
      const late = create(input);
      const inTime = passed(create({ ...input, now: input.reference }), input.now);
      if (input.now >= input.reference) expect(storedOf(late)).to.eql(storedOf(inTime));
    }));

  it('have derived phases that equal the phases stored later, to the second', () => {
    const farAway = instant(5_000 * 365 * 86_400 * 1_000);
    forAll([cases, repricedCatalogs, fc.boolean()], (input, repriced, isRepriced) => {
      const life = create(isRepriced ? { ...input, catalog: repriced } : input);
      const streams = [life, passed(life, input.later), passed(life, farAway)].map(streamOf);
      expect(streams[1]).to.eql(streams[0]);
      expect(streams[2]).to.eql(streams[0]);
    });
  });

  it('keep local event dates and row instants in ascending order', () =>
    forAll([cases], (input) => {
      const life = passed(create(input), input.later);
      const stored = life.events.toSorted((a, b) => a.effective.at - b.effective.at);
      for (const [index, event] of stored.entries()) {
        const before = stored[index - 1];
        if (before) expect(event.effective.date).to.be.at.least(before.effective.date);
      }
      const rows = viewOf(life).events.map((row) => row.effective.at);
      expect(rows).to.eql(rows.toSorted((a, b) => a - b));
      expect(rowsOf(viewOf(life))).to.have.length(new Set(rowsOf(viewOf(life))).size);
    }));
});
