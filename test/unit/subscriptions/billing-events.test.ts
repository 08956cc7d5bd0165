import { createCatalog } from '../../../lib/catalog/index.ts';
import { accountBillCycleDay } from '../../../lib/invoicing/evaluation/billing-streams.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { DEFAULT_RULES, phase, plan, TRIAL, version } from '../../support/catalogs/catalog-document.ts';
import type { CreateParts, Life } from '../../support/subscriptions/example.ts';
import {
  account,
  at,
  created,
  day,
  exampleCatalog,
  nextId,
  passed,
  viewOf,
} from '../../support/subscriptions/example.ts';
import { choice, event, expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect, formatDecimal, formatInstant, formatLocalDate } from '../../support/unit.ts';

function create(request: CreateParts['request'], parts: Parameters<typeof account>[0] = {}): Life {
  return created({ account: account(parts), request, now: at('2024-01-05') });
}

function streamOf(life: Life): readonly BillingEvent[] {
  const histories = [life];
  return billingEvents({ account: life.account, histories, plans: life.catalog }).events;
}

function someBase() {
  const alignStart = { at: at('2024-01-01'), date: day('2024-01-01') };
  return { id: nextId(), bundleId: nextId(), accountRecordId: 1, category: 'BASE', alignStart } as const;
}

function ofEvents(...events: readonly LifecycleEvent[]) {
  const subscription = someBase();
  return billingEvents({
    account: account(),
    histories: [{ subscription, events, blockingStates: [] }],
    plans: exampleCatalog,
  });
}

function amounts(event: BillingEvent): readonly (string | null)[] {
  return [
    event.fixedPrice && formatDecimal(event.fixedPrice),
    event.recurringPrice && formatDecimal(event.recurringPrice),
  ];
}

describe('billing events', () => {
  it('contain the plan, prices, period and bill cycle day of each phase', () => {
    const [trial, evergreen, ...others] = streamOf(
      create({ planName: 'pro-monthly' }, { billCycleDayLocal: 9 }),
    );
    if (!trial || !evergreen) throw new Error('two events were expected');
    expect(others).to.eql([]);
    expect(trial).to.deep.include({
      transitionType: 'CREATE',
      localDate: trial.localDate,
      productName: 'Pro',
      planName: 'pro-monthly',
      phaseName: 'pro-monthly-trial',
      phaseDuration: { unit: 'DAYS', number: 30 },
      isEvergreen: false,
      catalogEffectiveDate: at('2010-01-01'),
      billingPeriod: 'NO_BILLING_PERIOD',
      billingMode: 'IN_ADVANCE',
      billCycleDayLocal: 9,
      isAccountAligned: true,
      quantity: 1,
    });
    expect(amounts(trial)).to.eql(['0', null]);
    expect(evergreen).to.deep.include({
      transitionType: 'PHASE',
      phaseName: 'pro-monthly-evergreen',
      isEvergreen: true,
      billingPeriod: 'MONTHLY',
    });
    expect(formatLocalDate(evergreen.localDate)).to.equal('2024-02-04');
    expect(amounts(evergreen)).to.eql([null, '249.95']);
  });

  it('use and report SUBSCRIPTION instead of ACCOUNT alignment if the account has no bill cycle day', () => {
    const days = (planName: string, billCycleDayLocal: number) =>
      streamOf(create({ planName }, { billCycleDayLocal })).map((each) => [
        each.billCycleDayLocal,
        each.isAccountAligned,
      ]);
    expect(days('pro-monthly', 0)).to.eql([
      [4, true],
      [4, true],
    ]);
    expect(days('pro-annual', 0), 'aligned to the subscription').to.eql([
      [4, false],
      [4, false],
    ]);
  });

  it('contain the bill cycle day and quantity that take effect at their instant, even if an event is listed before the change', () => {
    const stream = streamOf(create({ planName: 'pro-monthly', billCycleDayLocal: 15, quantity: 3 }));
    expect(stream.map((each) => [each.transitionType, each.billCycleDayLocal, each.quantity])).to.eql([
      ['CREATE', 15, 3],
      ['BCD_CHANGE', 15, 3],
      ['QUANTITY_CHANGE', 15, 3],
      ['PHASE', 15, 3],
    ]);
    expect(stream.map(amounts), 'the fixed price once').to.eql([
      ['0', null],
      [null, null],
      [null, null],
      [null, '249.95'],
    ]);
  });

  it('follow the stored order at the same instant, regardless of the subscription', () => {
    const withDay = create({ planName: 'solo-now', billCycleDayLocal: 20 });
    const other = created({
      account: withDay.account,
      request: { planName: 'solo-now', billCycleDayLocal: 7 },
      now: withDay.now,
    });
    const histories = [other, withDay].map(({ subscription, events }) => ({
      subscription,
      events,
      blockingStates: [],
    }));
    const stored = (from: number) => (event: LifecycleEvent, index: number) => ({
      ...event,
      recordId: from + index,
    });
    const dayWhen = (first: number, second: number) =>
      accountBillCycleDay(
        billingEvents({
          account: withDay.account,
          histories: histories.map(({ subscription, events }) => ({
            subscription,
            blockingStates: [],
            events: events.map(stored(subscription === withDay.subscription ? first : second)),
          })),
          plans: exampleCatalog,
        }).events,
      );
    expect(dayWhen(1, 10)).to.equal(20);
    expect(dayWhen(10, 1)).to.equal(7);
  });

  it('end with an expiry that has no plan or price but keeps the bill cycle day', () => {
    const life = passed(create({ planName: 'term-3m', billCycleDayLocal: 20 }), at('2024-06-01'));
    const last = streamOf(life).at(-1);
    expect(last).to.deep.include({
      transitionType: 'EXPIRED',
      planName: null,
      phaseName: null,
      fixedPrice: null,
      recurringPrice: null,
      billingPeriod: 'NO_BILLING_PERIOD',
      billingMode: 'IN_ADVANCE',
      billCycleDayLocal: 20,
    });
  });

  it('end at a CANCEL', () => {
    const { events } = ofEvents(
      choice('CREATE', '2024-01-01', 'pro-monthly-trial'),
      event('CANCEL', '2024-01-20'),
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
    );
    expect(events.map((each) => each.transitionType)).to.eql(['CREATE', 'CANCEL']);
  });

  it('omit a subscription that does not start with CREATE or TRANSFER, and report its id', () => {
    const broken = someBase();
    const life = create({ planName: 'solo-now' });
    const { events, skipped } = billingEvents({
      account: life.account,
      histories: [
        { subscription: broken, events: [event('CANCEL', '2024-01-01')], blockingStates: [] },
        life,
      ],
      plans: exampleCatalog,
    });
    expect(skipped).to.eql([broken.id]);
    expect(events.map((each) => each.subscriptionId)).to.eql([life.subscription.id]);
  });

  it('are sorted by subscription id, then by time', () => {
    const lives = [create({ planName: 'pro-monthly' }), create({ planName: 'solo-monthly' })];
    const histories = lives.map(({ subscription, events, blockingStates }) => ({
      subscription,
      blockingStates,
      events: events.toReversed(),
    }));
    const order = (list: typeof histories) =>
      billingEvents({ account: account(), histories: list, plans: exampleCatalog }).events.map(
        (each) => `${each.subscriptionId} ${each.transitionType}`,
      );
    const [first, second] = lives.map(({ subscription }) => subscription.id).toSorted();
    const expected = [`${first} CREATE`, `${first} PHASE`, `${second} CREATE`, `${second} PHASE`];
    expect(order(histories)).to.eql(expected);
    expect(order(histories.toReversed())).to.eql(expected);
  });

  it('cannot contain a plan without a price in the currency of the account', () => {
    const life = create({ planName: 'solo-now' });
    expectError(
      () => streamOf({ ...life, account: { ...life.account, currency: 'EUR' } }),
      ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY,
    );
  });

  it('cannot contain a priced plan for an account without a currency', () => {
    const life = create({ planName: 'solo-now' });
    const { CATALOG_NO_PRICE_FOR_CURRENCY } = ErrorCode;
    const account = { ...life.account, currency: null };
    expectError(() => streamOf({ ...life, account }), CATALOG_NO_PRICE_FOR_CURRENCY, /has no currency/);
  });
});

describe('price changes in the billing events', () => {
  const raised = (rules?: string) =>
    createCatalog(
      (
        [
          ['2024-01-01', '40.00', ''],
          [
            '2024-01-02',
            '52.00',
            '<effectiveDateForExistingSubscriptions>2024-03-01</effectiveDateForExistingSubscriptions>',
          ],
        ] as const
      ).map(([effectiveDate, price, more]) =>
        version({ effectiveDate, plans: plan('p-m', 'P', { price, more }), ...(rules ? { rules } : {}) }),
      ),
    );

  function livingOn(catalog: ReturnType<typeof raised>, accountDay: number, own?: number): Life {
    const request = { planName: 'p-m', ...(own === undefined ? {} : { billCycleDayLocal: own }) };
    const owner = account({ billCycleDayLocal: accountDay, referenceTime: '2024-01-01T08:00:00Z' });
    return created({ account: owner, catalog, request, now: at('2024-01-01T08:00:00Z') });
  }

  const aligned = `${DEFAULT_RULES}<billingAlignment><billingAlignmentCase><alignment>SUBSCRIPTION</alignment></billingAlignmentCase></billingAlignment>`;
  const rows = {
    'the day of the account': [livingOn(raised(), 10), '2024-03-10T08:00:00.000Z'],
    'the day of the subscription if the account has none': [
      livingOn(raised(), 0),
      '2024-03-01T08:00:00.000Z',
    ],
    'the day of the subscription by its alignment': [
      livingOn(raised(aligned), 10),
      '2024-03-01T08:00:00.000Z',
    ],
    'the requested day, which overrides both': [
      livingOn(raised(aligned), 10, 20),
      '2024-03-20T08:00:00.000Z',
    ],
  } as const;
  const streamOn = (life: Life, alignPriceChanges: boolean) =>
    billingEvents({ account: life.account, histories: [life], plans: life.catalog, alignPriceChanges })
      .events;

  for (const [which, [life, expected]] of Object.entries(rows))
    it(`take effect on ${which} (catalog §6.4 rule 5)`, () => {
      const changes = streamOn(life, true).filter(({ transitionType }) => transitionType === 'CHANGE');
      expect(changes.map(({ effectiveDate }) => formatInstant(effectiveDate))).to.eql([expected]);
      // Rule 9.
      expect(changes[0]?.catalogEffectiveDate).to.equal(at('2024-01-02'));
    });

  const more = [
    event('QUANTITY_CHANGE', '2024-02-01', { quantity: 2 }),
    event('BCD_CHANGE', '2024-02-10', { billCycleDay: 20 }),
    event('QUANTITY_CHANGE', '2024-03-05', { quantity: 3 }),
    event('BCD_CHANGE', '2024-05-01', { billCycleDay: 25 }),
  ];
  const lines = (isAligned: boolean) => {
    const life = livingOn(raised(), 10);
    return streamOn({ ...life, events: [...life.events, ...more] }, isAligned).map((each) =>
      [
        each.transitionType,
        formatLocalDate(each.localDate),
        `${each.quantity} × ${amounts(each)[1]} on ${each.billCycleDayLocal}`,
      ].join(' '),
    );
  };

  it('continue across bill cycle day and quantity changes at the price in force (catalog §6.4 rule 2)', () => {
    const begun = [
      'CREATE 2024-01-01 1 × 40 on 10',
      'QUANTITY_CHANGE 2024-02-01 2 × 40 on 10',
      'BCD_CHANGE 2024-02-10 2 × 40 on 20',
    ];
    expect(lines(false)).to.eql([
      ...begun,
      'CHANGE 2024-03-01 2 × 52 on 20',
      'QUANTITY_CHANGE 2024-03-05 3 × 52 on 20',
      'BCD_CHANGE 2024-05-01 3 × 52 on 25',
    ]);
    expect(lines(true), 'aligned').to.eql([
      ...begun,
      'QUANTITY_CHANGE 2024-03-05 3 × 40 on 20',
      'CHANGE 2024-03-20 3 × 52 on 20',
      'BCD_CHANGE 2024-05-01 3 × 52 on 25',
    ]);
  });
});

describe('billing events of phases not yet stored', () => {
  const phasesOf = (events: readonly BillingEvent[]): readonly (string | null)[] =>
    events.map((each) =>
      [each.transitionType, formatLocalDate(each.localDate), each.phaseName].filter(Boolean).join(' '),
    );

  function withFinal(finalPhase: string): Life {
    const initialPhases = TRIAL + phase('DISCOUNT', { unit: 'MONTHS', number: 3, price: '10' });
    const catalog = createCatalog([version({ plans: plan('p-m', 'P', { initialPhases, finalPhase }) })]);
    return created({ account: account(), catalog, request: { planName: 'p-m' }, now: at('2024-01-01') });
  }

  it('extend to the last phase, with each date computed from the start of the previous phase', () => {
    const life = withFinal(phase('EVERGREEN', { price: '50' }));
    expect(life.events).to.have.length(2);
    expect(phasesOf(streamOf(life))).to.eql([
      'CREATE 2024-01-01 p-m-trial',
      'PHASE 2024-01-31 p-m-discount',
      'PHASE 2024-04-30 p-m-evergreen',
    ]);
    expect(streamOf(life).map(amounts).at(-1)).to.eql([null, '50']);
  });

  it('extend to the expiry', () => {
    const life = withFinal(phase('FIXEDTERM', { unit: 'WEEKS', number: 2, price: '5' }));
    expect(phasesOf(streamOf(life)).slice(2)).to.eql([
      'PHASE 2024-04-30 p-m-fixedterm',
      'EXPIRED 2024-05-14',
    ]);
  });

  it('stop at an earlier change or end of the plan', () => {
    const life = create({ planName: 'club-monthly' });
    const { id: subscriptionId } = life.subscription;
    const pending = [
      choice('CHANGE', '2024-07-01', { phaseName: 'solo-now-evergreen', subscriptionId }),
      event('CANCEL', '2024-08-04', { subscriptionId }),
    ];
    for (const each of pending) {
      const types = streamOf({ ...life, events: [...life.events, each] }).map(
        ({ transitionType }) => transitionType,
      );
      expect(types).to.eql(['CREATE', 'PHASE', each.type]);
    }
  });

  it('appear before a later change of their plan', () => {
    const life = create({ planName: 'club-monthly' });
    const { id: subscriptionId } = life.subscription;
    const change = choice('CHANGE', '2024-09-01', { phaseName: 'club-monthly-trial', subscriptionId });
    const phaseEvent = event('PHASE', '2024-10-01', { phaseName: 'club-monthly-discount', subscriptionId });
    expect(phasesOf(streamOf({ ...life, events: [...life.events, change, phaseEvent] }))).to.eql([
      'CREATE 2024-01-05 club-monthly-trial',
      'PHASE 2024-02-04 club-monthly-discount',
      'PHASE 2024-08-04 club-monthly-evergreen',
      'CHANGE 2024-09-01 club-monthly-trial',
      'PHASE 2024-10-01 club-monthly-discount',
      'PHASE 2025-04-01 club-monthly-evergreen',
    ]);
  });

  it('are not derived from a PHASE that a change removes at the same instant', () => {
    const life = create({ planName: 'club-monthly' });
    const { id: subscriptionId } = life.subscription;
    const change = choice('CHANGE', '2024-02-04', { phaseName: 'solo-now-evergreen', subscriptionId });
    expect(phasesOf(streamOf({ ...life, events: [...life.events, change] }))).to.eql([
      'CREATE 2024-01-05 club-monthly-trial',
      'PHASE 2024-02-04 club-monthly-discount',
      'CHANGE 2024-02-04 solo-now-evergreen',
    ]);
  });

  it('come last at their instant, and are sorted like the events that they follow', () => {
    const lives = [create({ planName: 'club-monthly' }), create({ planName: 'club-monthly' })];
    const [one, two] = lives.map((life, index) => ({
      ...life,
      events: life.events.map((each) => ({ ...each, recordId: each.recordId + 1_000_000 * index })),
    }));
    if (!one || !two) throw new Error('two subscriptions were expected');
    const quantity = event('QUANTITY_CHANGE', '2024-08-04', { quantity: 2, sequence: 90, recordId: 9e9 });
    const stream = streamOf({ ...one, events: [...one.events, quantity] });
    expect(stream.map((each) => [each.transitionType, each.quantity]).slice(2)).to.eql([
      ['QUANTITY_CHANGE', 2],
      ['PHASE', 2],
    ]);
    const orderings = [...stream.slice(2), ...streamOf(two).slice(2)].map((each) => each.totalOrdering);
    expect(orderings).to.eql(orderings.toSorted((a, b) => a - b));
    expect(new Set(orderings).size).to.equal(3);
    expect(orderings.every(Number.isSafeInteger)).to.equal(true);
  });

  it('do not appear in the timeline until they are stored', () => {
    const view = viewOf(create({ planName: 'club-monthly' }));
    expect(view.events.map((row) => row.eventType)).to.eql(['START_ENTITLEMENT', 'START_BILLING', 'PHASE']);
  });
});
