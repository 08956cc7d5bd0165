import { createCatalog } from '../../../lib/catalog/index.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import type { Subscription } from '../../../lib/records/subscription.ts';
import { transitionsOf } from '../../../lib/subscriptions/timeline/transitions.ts';
import { pricesMet } from '../../../lib/subscriptions/views/bundle-outline.ts';
import {
  type EventListSource,
  subscriptionEvents as eventsOf,
  type SubscriptionEvent,
} from '../../../lib/subscriptions/views/subscription-event-list.ts';
import { plan, version } from '../../support/catalogs/catalog-document.ts';
import { exampleCatalog, nextId } from '../../support/subscriptions/example.ts';
import { choice, event, state } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatDecimal, formatInstant } from '../../support/unit.ts';

interface Parts {
  readonly category?: Subscription['category'];
  readonly recordId?: number;
  readonly events: readonly LifecycleEvent[];
  readonly states?: EventListSource['blockingStates'];
}

function source({ category = 'BASE', recordId = 1, events, states = [] }: Parts): EventListSource {
  return {
    subscription: { id: nextId(), category, recordId },
    transitions: transitionsOf(events, exampleCatalog),
    blockingStates: states,
    inherited: [],
  };
}

function subscriptionEvents(sources: readonly EventListSource[]): readonly SubscriptionEvent[] {
  return [...eventsOf(sources)];
}

const START = '2024-01-01';
const whole = source({
  events: [
    choice('CREATE', START, 'pro-monthly-trial'),
    event('BCD_CHANGE', START, { billCycleDay: 3 }),
    event('QUANTITY_CHANGE', START, { quantity: 3 }),
    event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
    choice('CHANGE', '2024-03-01', 'solo-monthly-evergreen'),
    event('CANCEL', '2024-04-01'),
  ],
  states: [state('ENT_STARTED', START), state('ENT_CANCELLED', '2024-04-01')],
});

describe('subscription event list', () => {
  const rows = subscriptionEvents([whole]);

  it('contains a row for each start, phase, change and stop, but not for bill cycle day and quantity changes', () => {
    const seen = rows.map((row) => [
      formatInstant(row.effective.at).slice(0, 10),
      row.type,
      row.serviceName,
      row.serviceStateName,
      row.plan?.phase.name,
    ]);
    expect(seen).to.eql([
      [START, 'START_ENTITLEMENT', 'entitlement-service', 'ENT_STARTED', 'pro-monthly-trial'],
      [START, 'START_BILLING', 'billing-service', 'START_BILLING', 'pro-monthly-trial'],
      ['2024-01-31', 'PHASE', 'entitlement+billing-service', 'PHASE', 'pro-monthly-evergreen'],
      ['2024-03-01', 'CHANGE', 'entitlement+billing-service', 'CHANGE', 'solo-monthly-evergreen'],
      ['2024-04-01', 'STOP_ENTITLEMENT', 'entitlement-service', 'ENT_CANCELLED', 'solo-monthly-evergreen'],
      ['2024-04-01', 'STOP_BILLING', 'billing-service', 'STOP_BILLING', 'solo-monthly-evergreen'],
    ]);
  });

  it('names the event or state of each row', () => {
    const ids = [
      ...whole.transitions.map(({ event: { id } }) => id),
      ...whole.blockingStates.map(({ id }) => id),
    ];
    for (const row of rows) expect(ids).to.include(row.eventId);
    expect(rows[1]?.eventId).to.equal(whole.transitions[0]?.event.id);
  });

  it('shows the flags of the state in the entitlement rows', () => {
    const blocking = state('ENT_CANCELLED', '2024-05-01', { isBlockEntitlement: true });
    const [, stop] = subscriptionEvents([
      source({ events: [choice('CREATE', START, 'solo-now-evergreen')], states: [blocking] }),
    ]);
    expect(stop).to.include({ isBlockedEntitlement: true, isBlockedBilling: false });
  });

  it('shows the first plan for an entitlement that starts before billing', () => {
    const early = source({
      events: [choice('CREATE', '2024-02-01', 'pro-monthly-trial')],
      states: [state('ENT_STARTED', START)],
    });
    expect(subscriptionEvents([early]).map((row) => [row.type, row.plan?.phase.name])).to.eql([
      ['START_ENTITLEMENT', 'pro-monthly-trial'],
      ['START_BILLING', 'pro-monthly-trial'],
    ]);
  });

  it('shows an expiry as STOP_BILLING', () => {
    const ended = source({
      events: [choice('CREATE', START, 'term-3m-fixedterm'), event('EXPIRED', '2024-04-01')],
    });
    expect(subscriptionEvents([ended]).map((row) => row.type)).to.eql(['START_BILLING', 'STOP_BILLING']);
  });

  it('lists entitlement starts first at each instant, starting with the base and older subscriptions', () => {
    const of = (category: Subscription['category'], recordId: number) =>
      source({
        category,
        recordId,
        events: [choice('CREATE', START, 'kit-monthly-evergreen')],
        states: [state('ENT_STARTED', START)],
      });
    const younger = of('ADD_ON', 3);
    const older = of('ADD_ON', 1);
    const base = of('BASE', 2);
    const names = new Map([
      [older.subscription.id, 'older'],
      [younger.subscription.id, 'younger'],
      [base.subscription.id, 'base'],
    ]);
    const seen = subscriptionEvents([younger, older, base]).map(
      (row) => `${row.type} ${names.get(row.subscriptionId)}`,
    );
    expect(seen).to.eql([
      'START_ENTITLEMENT base',
      'START_ENTITLEMENT older',
      'START_ENTITLEMENT younger',
      'START_BILLING base',
      'START_BILLING older',
      'START_BILLING younger',
    ]);
  });

  it('keeps service states of all subscriptions in order, before the stops', () => {
    const [first, second] = [nextId(), nextId()];
    const held = (service: string, blockedId: typeof first, flags: object) =>
      state('held', '2024-03-01', { service, blockedId, ...flags });
    const shared = [
      held('A', first, { isBlockBilling: true }),
      held('B', second, {}),
      held('C', first, { isBlockEntitlement: true }),
    ];
    const of = (category: Subscription['category'], recordId: number) => {
      const made = source({
        category,
        recordId,
        events: [choice('CREATE', START, 'kit-monthly-evergreen'), event('CANCEL', '2024-03-01')],
      });
      const bounds = [state('ENT_STARTED', START), state('ENT_CANCELLED', '2024-03-01')].map((bound) => ({
        ...bound,
        blockedId: made.subscription.id,
      }));
      return { ...made, blockingStates: [...bounds, ...shared] };
    };
    const [addOn, base] = [of('ADD_ON', 1), of('BASE', 2)];
    const seen = subscriptionEvents([addOn, base])
      .slice(4)
      .map((row) => `${row.type} ${row.serviceName} ${row.subscriptionId === base.subscription.id ? 1 : 2}`);
    expect(seen).to.eql([
      'PAUSE_BILLING A 1',
      'PAUSE_BILLING A 2',
      'SERVICE_STATE_CHANGE B 1',
      'SERVICE_STATE_CHANGE B 2',
      'PAUSE_ENTITLEMENT C 1',
      'PAUSE_ENTITLEMENT C 2',
      'STOP_ENTITLEMENT entitlement-service 1',
      'STOP_ENTITLEMENT entitlement-service 2',
      'STOP_BILLING billing-service 1',
      'STOP_BILLING billing-service 2',
    ]);
  });

  it('omits a row that repeats the previous row of its service at the same instant', () => {
    const twice = [
      choice('CREATE', START, 'pro-monthly-trial'),
      choice('CHANGE', '2024-03-01', 'solo-now-evergreen'),
    ];
    const again = choice('CHANGE', '2024-03-01', 'solo-now-evergreen');
    const types = (...events: readonly LifecycleEvent[]) =>
      subscriptionEvents([source({ events })]).map(({ type }) => type);
    expect(types(...twice, again)).to.eql(['START_BILLING', 'CHANGE']);
    const other = choice('CHANGE', '2024-03-01', 'team-now-evergreen');
    expect(types(...twice, other)).to.eql(['START_BILLING', 'CHANGE', 'CHANGE']);
  });
});

describe('view of the prices and events of a subscription', () => {
  const rows = subscriptionEvents([whole]);

  it('lists one price entry for each phase reached', () =>
    expect(pricesMet(rows, 'USD').map((price) => price.phaseName)).to.eql([
      'pro-monthly-trial',
      'pro-monthly-evergreen',
      'solo-monthly-evergreen',
    ]));

  it('omits prices if the account has no currency or the catalog lacks the account currency', () => {
    for (const currency of ['EUR', null] as const) {
      const [trial, evergreen] = pricesMet(rows, currency);
      expect(trial?.fixedPrice).to.equal(null);
      expect(evergreen?.recurringPrice).to.equal(null);
    }
  });

  it('lists only the first of several changes to the plan in force (subscriptions §18 rule 7)', () => {
    const rowsOf = (...choices: readonly (readonly [date: string, phase: string])[]) =>
      subscriptionEvents([
        source({
          events: [
            choice('CREATE', START, 'pro-monthly-evergreen'),
            ...choices.map(([date, phase]) => choice('CHANGE', date, phase)),
          ],
          states: [state('ENT_STARTED', START)],
        }),
      ])
        .filter(({ type }) => type === 'CHANGE')
        .map(({ effective, plan: to }) => `${formatInstant(effective.at).slice(0, 10)} ${to?.plan.name}`);
    const pro = 'pro-monthly-evergreen';
    const solo = 'solo-monthly-evergreen';
    expect(rowsOf(['2024-02-01', pro], ['2024-03-01', pro], ['2024-04-01', pro])).to.eql([
      '2024-02-01 pro-monthly',
    ]);
    expect(
      rowsOf(['2024-02-01', solo], ['2024-03-01', solo], ['2024-04-01', solo], ['2024-05-01', pro]),
      'a change from another plan is another row',
    ).to.eql(['2024-02-01 solo-monthly', '2024-03-01 solo-monthly', '2024-05-01 pro-monthly']);
    expect(rowsOf(['2024-02-01', solo], ['2024-03-01', pro], ['2024-04-01', solo])).to.have.length(3);
  });

  it('lists a repeated service state once, and again after another state', () => {
    const watched = (date: string, stateName: string) => state(stateName, date, { service: 'fraud' });
    const once = source({
      events: [choice('CREATE', START, 'pro-monthly-evergreen')],
      states: [
        state('ENT_STARTED', START),
        watched('2024-02-01', 'watch'),
        watched('2024-03-01', 'watch'),
        watched('2024-04-01', 'fine'),
        watched('2024-05-01', 'watch'),
      ],
    });
    const dates = subscriptionEvents([once])
      .filter(({ type }) => type === 'SERVICE_STATE_CHANGE')
      .map(
        ({ effective, serviceStateName }) =>
          `${formatInstant(effective.at).slice(0, 10)} ${serviceStateName}`,
      );
    expect(dates).to.eql(['2024-02-01 watch', '2024-04-01 fine', '2024-05-01 watch']);
  });

  it('includes a second pause after another service has ended the first pause', () => {
    const blocks = { isBlockEntitlement: true, isBlockBilling: true };
    const twice = source({
      events: [choice('CREATE', START, 'pro-monthly-evergreen')],
      states: [
        state('ENT_STARTED', START),
        state('ENT_BLOCKED', '2024-02-01', blocks),
        state('hold', '2024-02-10', { ...blocks, service: 'fraud' }),
        state('ENT_CLEAR', '2024-02-20'),
        state('fine', '2024-03-01', { service: 'fraud' }),
        state('ENT_BLOCKED', '2024-04-01', blocks),
      ],
    });
    const rows = subscriptionEvents([twice]).map(
      ({ type, effective }) => `${type} ${formatInstant(effective.at).slice(0, 10)}`,
    );
    expect(rows.filter((row) => row.includes('_ENTITLEMENT'))).to.eql([
      'START_ENTITLEMENT 2024-01-01',
      'PAUSE_ENTITLEMENT 2024-02-01',
      'RESUME_ENTITLEMENT 2024-03-01',
      'PAUSE_ENTITLEMENT 2024-04-01',
    ]);
  });

  it('lists a phase again for another catalog version, but not for the same version', () => {
    const priced = (effectiveDate: string, price: string) =>
      version({ effectiveDate, plans: plan('p-m', 'P', { price }) });
    const catalog = createCatalog([priced('2023-01-01', '10'), priced('2024-02-01', '12')]);
    const chosen = (type: 'CREATE' | 'CHANGE', date: string) => choice(type, date, 'p-m-evergreen');
    const events = [chosen('CREATE', START), chosen('CHANGE', '2024-03-01'), chosen('CHANGE', '2024-04-01')];
    const repriced = { ...source({ events: [] }), transitions: transitionsOf(events, catalog) };
    const met = pricesMet(subscriptionEvents([repriced]), 'USD');
    expect(met.map(({ recurringPrice }) => recurringPrice && formatDecimal(recurringPrice))).to.eql([
      '10',
      '12',
    ]);
  });
});
