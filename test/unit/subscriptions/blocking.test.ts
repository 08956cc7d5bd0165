import { ENTITLEMENT_SERVICE, OVERDUE_SERVICE } from '../../../lib/records/blocking-state.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { withoutBlockedIntervals } from '../../../lib/subscriptions/billing-stream/without-blocked-intervals.ts';
import {
  blockedIntervals,
  firstBlockedDifference,
  planState,
} from '../../../lib/subscriptions/blocking/blocked-time.ts';
import { raiseTo } from '../../../lib/subscriptions/timeline/phase-timeline.ts';
import { formatInstant, formatLocalDate, instant, parseLocalDate } from '../../../lib/values/time/index.ts';
import type { BlockParts } from '../../support/subscriptions/blocks.ts';
import { blockOf, paused, resumed, stateLines, withBlocks } from '../../support/subscriptions/blocks.ts';
import type { AccountParts, Life } from '../../support/subscriptions/example.ts';
import { account, at, created, nextId, passed, viewOf } from '../../support/subscriptions/example.ts';
import { event } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatDecimal } from '../../support/unit.ts';

interface LifeParts extends AccountParts {
  readonly planName?: string;
  readonly phaseType?: 'EVERGREEN';
  readonly start?: string;
  readonly entitlementDate?: string;
}

function lived(parts: LifeParts = {}): Life {
  const { planName = 'pro-monthly', phaseType, start = '2024-05-01', entitlementDate } = parts;
  return created({
    account: account({ referenceTime: `${start}T00:00:00Z`, billCycleDayLocal: 1, ...parts }),
    request: { planName, ...(phaseType ? { phaseType } : {}) },
    options: entitlementDate ? { entitlementDate: { at: at(entitlementDate) } } : {},
    now: at(start),
  });
}

/** `START_BILLING_DISABLED 2012-03-04 pro-monthly-evergreen - -`: type, date, phase, fixed and recurring price. */
function billed(life: Life): readonly string[] {
  const { events } = billingEvents({ account: life.account, histories: [life], plans: life.catalog });
  return events.map((each) => {
    const prices = [each.fixedPrice, each.recurringPrice].map((price) =>
      price ? formatDecimal(price) : '-',
    );
    return [each.transitionType, formatLocalDate(each.localDate), each.phaseName, ...prices].join(' ');
  });
}

/** Returns `PAUSE_BILLING 2012-03-04 billing-service`, without the rows of the lifecycle. */
function shown(life: Life): readonly string[] {
  return viewOf(life).events.map((row) =>
    [row.eventType, formatInstant(row.effective.at).slice(0, 10), row.serviceName].join(' '),
  );
}

function intervalsOf(life: Life): readonly string[] {
  const intervals = blockedIntervals(life.blockingStates, null, life.account.timeZone);
  return intervals.map(({ start, end }) =>
    [start, end].map((each) => (each === null ? '-' : formatLocalDate(each.date))).join('..'),
  );
}

describe('blocking states and billing pauses', () => {
  const w13 = () => lived({ start: '2012-03-02', phaseType: 'EVERGREEN', billCycleDayLocal: 2 });

  it('cause the specified events and rows for a pause and a resume (subscriptions W13 "Pause and resume")', () => {
    const life = withBlocks(w13(), { ...paused, date: '2012-03-04' }, { ...resumed, date: '2012-04-05' });
    expect(billed(life)).to.eql([
      'CREATE 2012-03-02 pro-monthly-evergreen - 249.95',
      'START_BILLING_DISABLED 2012-03-04 pro-monthly-evergreen - -',
      'END_BILLING_DISABLED 2012-04-05 pro-monthly-evergreen - 249.95',
    ]);
    expect(shown(life)).to.eql([
      'START_ENTITLEMENT 2012-03-02 entitlement-service',
      'START_BILLING 2012-03-02 billing-service',
      'PAUSE_ENTITLEMENT 2012-03-04 entitlement-service',
      'PAUSE_BILLING 2012-03-04 billing-service',
      'RESUME_ENTITLEMENT 2012-04-05 entitlement-service',
      'RESUME_BILLING 2012-04-05 billing-service',
    ]);
    const stateAt = (date: string) => viewOf(life, at(date)).state;
    expect(['2012-03-03', '2012-03-04', '2012-04-04', '2012-04-05'].map(stateAt)).to.eql([
      'ACTIVE',
      'BLOCKED',
      'BLOCKED',
      'ACTIVE',
    ]);
    const [, , pause] = viewOf(life).events;
    expect(pause).to.include({
      serviceStateName: 'ENT_BLOCKED',
      isBlockedBilling: true,
      isBlockedEntitlement: true,
      plan: 'pro-monthly',
    });
  });

  const w14: readonly BlockParts[] = [
    { on: 'ACCOUNT', service: 'A', flags: 'f f t', date: '2024-06-10' },
    { on: 'ACCOUNT', service: 'A', flags: 'f f f', date: '2024-06-20' },
    { on: 'SUBSCRIPTION_BUNDLE', service: 'B', flags: 'f f t', date: '2024-06-15' },
    { on: 'SUBSCRIPTION_BUNDLE', service: 'B', flags: 'f f f', date: '2024-06-25' },
    { on: 'SUBSCRIPTION', service: 'C', flags: 'f f t', date: '2024-06-25' },
    { on: 'SUBSCRIPTION', service: 'C', flags: 'f f f', date: '2024-06-27' },
    { on: 'SUBSCRIPTION', service: 'D', flags: 'f f t', date: '2024-06-29T00:00:00Z' },
    { on: 'SUBSCRIPTION', service: 'D', flags: 'f f f', date: '2024-06-29T20:00:00Z' },
  ];

  it('merge overlapping blocks into one pause, and ignore a block shorter than a day (subscriptions W14 "Merging blocks")', () => {
    const life = withBlocks(lived({ start: '2024-05-19' }), ...w14);
    expect(billed(lived({ start: '2024-05-19' })).at(-1)).to.equal(
      'PHASE 2024-06-18 pro-monthly-evergreen - 249.95',
    );
    expect(intervalsOf(life)).to.eql(['2024-06-10..2024-06-27']);
    expect(billed(life)).to.eql([
      'CREATE 2024-05-19 pro-monthly-trial 0 -',
      'START_BILLING_DISABLED 2024-06-10 pro-monthly-trial - -',
      'END_BILLING_DISABLED 2024-06-27 pro-monthly-evergreen - 249.95',
    ]);
  });

  it('have ordered rows without duplicates at the same instant (subscriptions W19 "Same instant")', () => {
    const everything = { on: 'ACCOUNT', service: 'overdue', name: 'LATE', flags: 't t t' } as const;
    const start = { start: '2024-04-01' };
    const life = withBlocks(
      lived(start),
      { ...everything, date: '2024-05-01' },
      { ...paused, date: '2024-05-01' },
    );
    const rows = [
      'PHASE 2024-05-01 entitlement+billing-service',
      'PAUSE_ENTITLEMENT 2024-05-01 overdue',
      'PAUSE_BILLING 2024-05-01 overdue',
    ];
    expect(shown(life).slice(2)).to.eql(rows);
    const ended = withEnd(life, '2024-05-01');
    expect(shown(ended).slice(2)).to.eql([
      ...rows,
      'STOP_ENTITLEMENT 2024-05-01 entitlement-service',
      'STOP_BILLING 2024-05-01 billing-service',
    ]);
  });

  it('are stored only if they change the state of their service (subscriptions W20 "Redundant states")', () => {
    const on = 'SUBSCRIPTION';
    const hold = { on, name: 'hold' } as const;
    let life = withBlocks(
      lived(),
      { on, name: 'watch', flags: 'f f f', date: '2024-06-01' },
      { ...hold, flags: 'f t f', date: '2024-06-10' },
    );
    const steps: readonly (readonly [BlockParts, readonly string[]])[] = [
      [{ ...hold, flags: 'f t f', date: '2024-06-05' }, ['2024-06-01 watch f f f', '2024-06-05 hold f t f']],
      [
        { ...hold, flags: 'f t t', date: '2024-06-20' },
        ['2024-06-01 watch f f f', '2024-06-05 hold f t f', '2024-06-20 hold f t t'],
      ],
      [
        { ...hold, flags: 'f t t', date: '2024-06-25' },
        ['2024-06-01 watch f f f', '2024-06-05 hold f t f', '2024-06-20 hold f t t'],
      ],
    ];
    for (const [block, expected] of steps) {
      life = withBlocks(life, block);
      expect(stateLines(life.blockingStates)).to.eql(expected);
    }
  });

  it('include a block of 23.5 hours that covers a whole calendar day (subscriptions W22 a)', () => {
    const life = lived({ zone: 'America/New_York', referenceTime: '2026-01-10T07:30:00Z' });
    const day = withBlocks(
      life,
      { flags: 'f f t', date: '2026-03-07' },
      { flags: 'f f f', date: '2026-03-08' },
    );
    const [from, to] = day.blockingStates.slice(1).map(({ effective }) => formatInstant(effective.at));
    expect([from, to]).to.eql(['2026-03-07T07:30:00.000Z', '2026-03-08T07:00:00.000Z']);
    expect(intervalsOf(day)).to.eql(['2026-03-07..2026-03-08']);
    const shorter = withBlocks(
      life,
      { flags: 'f f t', date: '2026-03-07' },
      { flags: 'f f f', date: '2026-03-08T06:59:59Z' },
    );
    expect(intervalsOf(shorter)).to.eql([]);
  });
});

/** Returns the life with its service and its billing ended at that instant. */
function withEnd(life: Life, date: string): Life {
  const { id: subscriptionId } = life.subscription;
  const [started] = life.blockingStates;
  if (started === undefined) throw new Error('a life starts');
  const ended = {
    ...started,
    id: nextId(),
    recordId: 90,
    sequence: 90,
    stateName: 'ENT_CANCELLED',
    isBlockChange: true,
    isBlockEntitlement: true,
  };
  const cancel = event('CANCEL', date, { subscriptionId, sequence: 90 });
  return {
    ...life,
    events: [...life.events, cancel],
    blockingStates: [...life.blockingStates, { ...ended, effective: cancel.effective }],
  };
}

describe('billing pauses', () => {
  const set = (...blocks: readonly BlockParts[]) => withBlocks(lived({ phaseType: 'EVERGREEN' }), ...blocks);

  it('end only if the same service ends them on the same object', () => {
    const life = set(
      { service: 'A', flags: 'f f t', date: '2024-06-01' },
      { service: 'B', flags: 'f f f', date: '2024-06-05' },
      { service: 'A', on: 'ACCOUNT', flags: 'f f f', date: '2024-06-07' },
      { service: 'A', on: 'SUBSCRIPTION', flags: 'f f f', date: '2024-06-09' },
      { service: 'A', flags: 'f f f', date: '2024-06-11' },
    );
    expect(intervalsOf(life)).to.eql(['2024-06-01..2024-06-11']);
  });

  it('continue when another state of the service still blocks billing', () => {
    const life = set(
      { name: 'one', flags: 'f f t', date: '2024-06-01' },
      { name: 'two', flags: 't f t', date: '2024-06-02' },
      { name: 'three', flags: 't t f', date: '2024-06-20' },
    );
    expect(intervalsOf(life)).to.eql(['2024-06-01..2024-06-20']);
  });

  it('do not result from a block of only changes and entitlement', () =>
    expect(intervalsOf(set({ flags: 't t f', date: '2024-06-01' }))).to.eql([]));

  it('are ignored if shorter than a day, unless another service blocks an adjacent interval', () => {
    const life = set(
      { service: 'A', flags: 'f f t', date: '2024-06-01T00:00:00Z' },
      { service: 'A', flags: 'f f f', date: '2024-06-01T12:00:00Z' },
      { service: 'B', flags: 'f f t', date: '2024-06-01T12:00:00Z' },
      { service: 'B', flags: 'f f f', date: '2024-06-02T12:00:00Z' },
    );
    expect(intervalsOf(life)).to.eql(['2024-06-01..2024-06-02']);
    expect(billed(life)[1]).to.equal('START_BILLING_DISABLED 2024-06-01 pro-monthly-evergreen - -');
  });

  it('delay the start of billing to the end of a block before that start', () => {
    const life = withBlocks(
      lived(),
      { flags: 'f f t', date: '2024-04-20' },
      { flags: 'f f f', date: '2024-05-11' },
    );
    expect(billed(life)).to.eql([
      'END_BILLING_DISABLED 2024-05-11 pro-monthly-trial 0 -',
      'PHASE 2024-05-31 pro-monthly-evergreen - 249.95',
    ]);
  });

  it('remove all events after their start if they have no end', () => {
    const life = withBlocks(lived(), { flags: 'f f t', date: '2024-05-11' });
    expect(billed(life)).to.eql([
      'CREATE 2024-05-01 pro-monthly-trial 0 -',
      'START_BILLING_DISABLED 2024-05-11 pro-monthly-trial - -',
    ]);
  });

  it('keep events that take effect at their end, and order these events after the resumption', () => {
    const life = withBlocks(
      lived(),
      { flags: 'f f t', date: '2024-05-11' },
      { flags: 'f f f', date: '2024-05-31' },
    );
    expect(billed(life).slice(1)).to.eql([
      'START_BILLING_DISABLED 2024-05-11 pro-monthly-trial - -',
      'END_BILLING_DISABLED 2024-05-31 pro-monthly-trial - -',
      'PHASE 2024-05-31 pro-monthly-evergreen - 249.95',
    ]);
  });

  it('have no effect and no resumption after the end of billing', () => {
    const life = withEnd(lived({ phaseType: 'EVERGREEN' }), '2024-06-15');
    const over = withBlocks(
      life,
      { flags: 'f f t', date: '2024-06-10' },
      { flags: 'f f f', date: '2024-06-20' },
    );
    const start = 'CREATE 2024-05-01 pro-monthly-evergreen - 249.95';
    expect(billed(over)).to.eql([start, 'START_BILLING_DISABLED 2024-06-10 pro-monthly-evergreen - -']);
    expect(billed(withBlocks(life, { flags: 'f f t', date: '2024-06-16' }))).to.eql([
      start,
      'CANCEL 2024-06-15  - -',
    ]);
    const upToTheEnd = withBlocks(
      life,
      { flags: 'f f t', date: '2024-06-10' },
      { flags: 'f f f', date: '2024-06-15' },
    );
    expect(billed(upToTheEnd), 'one at the very end counts').to.eql([
      start,
      'START_BILLING_DISABLED 2024-06-10 pro-monthly-evergreen - -',
      'END_BILLING_DISABLED 2024-06-15 pro-monthly-evergreen - 249.95',
      'CANCEL 2024-06-15  - -',
    ]);
  });

  it('keep the event dates in order (subscriptions §2 rule 8)', () => {
    const { events } = billingEvents({ account: account(), histories: [lived()], plans: lived().catalog });
    const [first] = events;
    if (first === undefined) throw new Error('a life has events');
    const on = (date: string, at: typeof first.effectiveDate) => ({ at, date: parseLocalDate(date) });
    const later = instant(first.effectiveDate + 3_600_000);
    const dated = { ...first, localDate: parseLocalDate('2024-05-02') };
    const interval = { start: on('2024-05-01', later), end: on('2024-05-03', instant(later + 200_000_000)) };
    const stream = [{ event: dated, bringsPhase: true, splitsPeriod: false }];
    const days = withoutBlockedIntervals(stream, [interval]).map(
      ({ event }) => `${event.transitionType} ${formatLocalDate(event.localDate)}`,
    );
    expect(days).to.eql([
      'CREATE 2024-05-02',
      'START_BILLING_DISABLED 2024-05-02',
      'END_BILLING_DISABLED 2024-05-03',
    ]);
    const [bound, earlier] = [on('2024-05-02', first.effectiveDate), on('2024-05-01', later)];
    expect(raiseTo(earlier, bound)).to.eql(on('2024-05-02', later));
    expect(raiseTo(bound, on('2024-05-01', later))).to.eql(on('2024-05-01', later));
  });

  it('cause a fixed charge on resumption only if the price was not billed before', () => {
    const changed = (date: string): Life => {
      const life = lived({ phaseType: 'EVERGREEN', billCycleDayLocal: 1 });
      const { id: subscriptionId } = life.subscription;
      const change = event('CHANGE', date, {
        subscriptionId,
        planName: 'pro-monthly',
        phaseName: 'pro-monthly-trial',
        priceListName: 'DEFAULT',
      });
      return { ...life, events: [...life.events, change] };
    };
    const block = [
      { flags: 'f f t', date: '2024-06-10' },
      { flags: 'f f f', date: '2024-06-20' },
    ] as const;
    expect(billed(withBlocks(changed('2024-06-05'), ...block)).at(-1)).to.equal(
      'END_BILLING_DISABLED 2024-06-20 pro-monthly-trial - -',
    );
    expect(billed(withBlocks(changed('2024-06-15'), ...block)).at(-1)).to.equal(
      'END_BILLING_DISABLED 2024-06-20 pro-monthly-trial 0 -',
    );
  });
});

describe('blocking state rows in the event list', () => {
  it('show a pause at the start of service and billing if a block is in force', () => {
    const before = lived({ start: '2024-05-01', entitlementDate: '2024-05-05' });
    const life = withBlocks(
      before,
      { flags: 'f f f', name: 'watch', date: '2024-04-10' },
      { flags: 'f t t', date: '2024-04-20' },
    );
    expect(shown(life)).to.eql([
      'START_BILLING 2024-05-01 billing-service',
      'PAUSE_BILLING 2024-05-01 fraud',
      'START_ENTITLEMENT 2024-05-05 entitlement-service',
      'PAUSE_ENTITLEMENT 2024-05-05 fraud',
      'PHASE 2024-05-31 entitlement+billing-service',
    ]);
  });

  it('appear even if they change neither entitlement nor billing, except for redundant pauses and resumes', () => {
    const life = withBlocks(
      lived({ phaseType: 'EVERGREEN' }),
      { flags: 't f f', date: '2024-06-01' },
      { service: 'B', flags: 't t t', date: '2024-06-02' },
      { ...paused, date: '2024-06-03' },
      { service: 'B', flags: 'f f f', date: '2024-06-04' },
      { ...resumed, date: '2024-06-05' },
    );
    expect(shown(life).slice(2)).to.eql([
      'SERVICE_STATE_CHANGE 2024-06-01 fraud',
      'PAUSE_ENTITLEMENT 2024-06-02 B',
      'PAUSE_BILLING 2024-06-02 B',
      'SERVICE_STATE_CHANGE 2024-06-04 B',
      'RESUME_ENTITLEMENT 2024-06-05 entitlement-service',
      'RESUME_BILLING 2024-06-05 billing-service',
    ]);
  });

  it('show resumes before pauses, and show neither after the end of service', () => {
    const life = withEnd(
      withBlocks(
        lived({ phaseType: 'EVERGREEN' }),
        { flags: 'f t f', date: '2024-06-01' },
        { flags: 'f f t', name: 'other', date: '2024-06-02' },
      ),
      '2024-06-10',
    );
    const after = withBlocks(life, { flags: 'f t f', name: 'third', date: '2024-06-11' });
    expect(shown(after).slice(2)).to.eql([
      'PAUSE_ENTITLEMENT 2024-06-01 fraud',
      'RESUME_ENTITLEMENT 2024-06-02 fraud',
      'PAUSE_BILLING 2024-06-02 fraud',
      'STOP_ENTITLEMENT 2024-06-10 entitlement-service',
      'STOP_BILLING 2024-06-10 billing-service',
      'SERVICE_STATE_CHANGE 2024-06-11 fraud',
    ]);
  });

  it('contain no pause after the expiry of the subscription', () => {
    const life = passed(lived({ planName: 'term-3m', start: '2024-01-01' }), at('2024-04-02'));
    const rows = shown(withBlocks(life, { flags: 't t t', date: '2024-04-03' }));
    expect(rows.at(-1)).to.equal('SERVICE_STATE_CHANGE 2024-04-03 fraud');
  });
});

function ordersOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

describe('changes of a blocking state', () => {
  const plan = (life: Life, parts: BlockParts) =>
    planState(life.blockingStates, blockOf(life, parts), { now: life.now, nextId });
  const from = (life: Life, parts: BlockParts) => {
    const { billedOtherwiseFrom } = plan(life, parts);
    return billedOtherwiseFrom === null ? null : formatLocalDate(billedOtherwiseFrom.date);
  };

  it('exclude a pause of a paused bundle and a resume of a resumed bundle, now or on the same date', () => {
    const life = passed(lived(), at('2024-06-12T10:00:00Z'));
    const now = formatInstant(life.now);
    const pausedOnce = withBlocks(life, { ...paused, date: '2024-06-01' });
    for (const date of [now, '2024-06-01'])
      expect(plan(pausedOnce, { ...paused, date }).added, date).to.equal(null);
    const resumedOnce = withBlocks(pausedOnce, { ...resumed, date: '2024-06-10' });
    for (const date of [now, '2024-06-10'])
      expect(plan(resumedOnce, { ...resumed, date }).added, date).to.equal(null);
  });

  it('keep a nested pause and a second resume with their own dates (R38)', () => {
    const life = withBlocks(
      lived(),
      { ...paused, date: '2024-06-01' },
      { ...paused, date: '2024-06-10' },
      { ...paused, date: '2024-05-20' },
      { ...resumed, date: '2024-06-20' },
      { ...resumed, date: '2024-06-25' },
    );
    expect(stateLines(life.blockingStates, ENTITLEMENT_SERVICE).slice(1)).to.eql([
      '2024-05-20 ENT_BLOCKED t t t',
      '2024-06-01 ENT_BLOCKED t t t',
      '2024-06-10 ENT_BLOCKED t t t',
      '2024-06-20 ENT_CLEAR f f f',
      '2024-06-25 ENT_CLEAR f f f',
    ]);
    expect(intervalsOf(life)).to.eql(['2024-05-20..2024-06-20']);
    expect(shown(life).slice(2)).to.eql([
      'PAUSE_ENTITLEMENT 2024-05-20 entitlement-service',
      'PAUSE_BILLING 2024-05-20 billing-service',
      'PHASE 2024-05-31 entitlement+billing-service',
      'RESUME_ENTITLEMENT 2024-06-20 entitlement-service',
      'RESUME_BILLING 2024-06-20 billing-service',
    ]);
  });

  it('yield the same pauses for any order of pauses and resumes, on any day (R38)', () => {
    const commands: readonly BlockParts[] = [
      { ...paused, date: '2024-06-01' },
      { ...resumed, date: '2024-06-05' },
      { ...paused, date: '2024-06-12' },
      { ...resumed, date: '2024-06-20' },
    ];
    for (const today of [
      '2024-05-20',
      '2024-06-03',
      '2024-06-08',
      '2024-06-12',
      '2024-06-15',
      '2024-06-30',
    ]) {
      const life = passed(lived({ phaseType: 'EVERGREEN' }), at(`${today}T10:00:00Z`));
      for (const order of ordersOf(commands)) {
        const stored = withBlocks(life, ...order);
        const title = `on ${today}: ${order.map(({ date }) => date).join(', ')}`;
        expect(intervalsOf(stored), title).to.eql(['2024-06-01..2024-06-05', '2024-06-12..2024-06-20']);
      }
    }
  });

  const blockers: readonly (readonly [Omit<BlockParts, 'date'>, Omit<BlockParts, 'date'>])[] = [
    [paused, resumed],
    ...(['ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'] as const).map(
      (on) =>
        [
          { on, name: 'hold', flags: 't t t' } as const,
          { on, name: 'clear', flags: 'f f f' } as const,
        ] as const,
    ),
    [
      { on: 'ACCOUNT', service: OVERDUE_SERVICE, name: 'OD1', flags: 't t t' },
      { on: 'ACCOUNT', service: OVERDUE_SERVICE, name: '__KILLBILL__CLEAR__OVERDUE_STATE__', flags: 'f f f' },
    ],
  ];
  for (const [block, clear] of blockers) {
    const { service = 'fraud', on = 'SUBSCRIPTION_BUNDLE' } = block as BlockParts;
    it(`yield the same states of ${service} on ${on} for any order before, on and after today (R38)`, () => {
      const life = passed(lived({ phaseType: 'EVERGREEN' }), at('2024-05-15'));
      const later = passed(life, at('2024-05-15T10:00:00Z'));
      const dates = ['2024-05-10', '2024-05-12', '2024-05-15', '2024-05-18', '2024-05-20'] as const;
      for (const [index, from] of dates.entries()) {
        for (const until of dates.slice(index + 1)) {
          const [begin, end] = [
            { ...block, date: from },
            { ...clear, date: until },
          ];
          for (const stored of [withBlocks(life, begin, end), withBlocks(life, end, begin)]) {
            const states = stateLines(stored.blockingStates, service).map((line) => line.slice(0, 10));
            expect(states.slice(-2)).to.eql([from, until]);
            expect(intervalsOf(stored)).to.eql([`${from}..${until}`]);
          }
          const before = withBlocks(
            later,
            { ...block, date: '2024-05-03' },
            { ...clear, date: '2024-05-06' },
          );
          for (const stored of [withBlocks(before, begin, end), withBlocks(before, end, begin)]) {
            expect(intervalsOf(stored), 'after an earlier block').to.eql([
              '2024-05-03..2024-05-06',
              `${from}..${until}`,
            ]);
          }
        }
      }
    });
  }

  it('are stored if they are the first of their service, even without flags', () => {
    const first = (parts: Partial<BlockParts>) =>
      plan(lived(), { flags: 'f f f', date: '2024-06-01', ...parts }).added;
    expect(first({})).to.include({ sequence: 1 });
    expect(first(resumed)).to.include({ stateName: 'ENT_CLEAR' });
  });

  it('determine the first day on which billing differs', () => {
    const life = withBlocks(
      lived(),
      { flags: 'f f t', date: '2024-06-10' },
      { flags: 'f f f', date: '2024-06-20' },
    );
    const table: readonly (readonly [name: string, BlockParts, string | null])[] = [
      ['no billing flag', { service: 'B', flags: 't t f', date: '2024-06-01' }, null],
      ['an own interval', { service: 'B', flags: 'f f t', date: '2024-06-12' }, '2024-06-12'],
      ['an earlier start', { name: 'x', flags: 'f f t', date: '2024-06-08' }, '2024-06-08'],
      ['an earlier end', { name: 'x', flags: 'f f f', date: '2024-06-15' }, '2024-06-15'],
      ['a later end', { name: 'x', flags: 'f f t', date: '2024-06-20' }, '2024-06-20'],
      ['within the interval', { name: 'x', flags: 'f f t', date: '2024-06-15' }, null],
      ['an end within a day of the start', { flags: 'f f f', date: '2024-06-10T20:00:00Z' }, '2024-06-10'],
      ['the same on the next morning', { flags: 'f f f', date: '2024-06-11' }, '2024-06-10'],
      ['two days after the start', { flags: 'f f f', date: '2024-06-12' }, '2024-06-12'],
    ];
    for (const [name, parts, expected] of table) expect(from(life, parts), name).to.equal(expected);
  });

  it('cause no difference in billing if both sets of states are equal', () =>
    expect(firstBlockedDifference([], [])).to.equal(null));
});
