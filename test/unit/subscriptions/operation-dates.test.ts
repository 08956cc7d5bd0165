import { createCatalog } from '../../../lib/catalog/index.ts';
import {
  type CancelSubscriptionOptions,
  type ChangePlanOptions,
  EntitlementActionPolicy,
} from '../../../lib/ports/plugins/entitlement-plugin.ts';
import type { BillingActionPolicy } from '../../../lib/records/catalog/catalog-enumerations.ts';
import { planCancellation, policyDate } from '../../../lib/subscriptions/edits/cancellation.ts';
import { decideChange, planChange } from '../../../lib/subscriptions/edits/change-of-plan.ts';
import { planBillCycleDayChange, planQuantityChange } from '../../../lib/subscriptions/edits/terms-change.ts';
import type { TimedPolicy } from '../../../lib/subscriptions/requests/edit-requests.ts';
import { checkChangeRequest, timedPolicy } from '../../../lib/subscriptions/requests/edit-requests.ts';
import { lists, phase, plan, version } from '../../support/catalogs/catalog-document.ts';
import type { Life } from '../../support/subscriptions/example.ts';
import { account, at, created, nextId, passed, runningOf } from '../../support/subscriptions/example.ts';
import { dated, event, expectError } from '../../support/subscriptions/lifecycle.ts';
import { ErrorCode, expect, formatInstant, parseWireMoment, type RequestedDate } from '../../support/unit.ts';

/** Plans with different periods, and one without recurring charges. */
const periods = createCatalog([
  version({
    effectiveDate: '2020-01-01',
    plans: [
      plan('p-m', 'P', {}),
      plan('p-w', 'P', { period: 'WEEKLY' }),
      plan('p-q', 'P', { period: 'QUARTERLY' }),
      plan('p-once', 'P', { finalPhase: phase('FIXEDTERM', { unit: 'MONTHS', number: 6, fixed: '99' }) }),
    ].join(''),
    priceLists: lists({ DEFAULT: ['p-m', 'p-w', 'p-q', 'p-once'] }),
  }),
]);

interface Begun {
  readonly planName?: string;
  readonly start?: string;
  readonly billCycleDayLocal?: number;
  readonly chargedThrough?: string;
}

/** A subscription of a plan above or of the example catalog, invoiced up to `chargedThrough`. */
function begun(parts: Begun = {}): Life {
  const { planName = 'p-m', start = '2024-01-10', billCycleDayLocal = 10, chargedThrough } = parts;
  const life = created({
    account: account({ referenceTime: '2024-01-01T08:00:00Z', billCycleDayLocal }),
    request: { planName },
    options: { billingDate: momentOf(start), entitlementDate: momentOf(start) },
    now: at('2024-01-10T08:00:00Z'),
    ...(planName.startsWith('p-') ? { catalog: periods } : {}),
  });
  const through = chargedThrough === undefined ? null : dated(`${chargedThrough}T08:00:00Z`);
  return { ...life, subscription: { ...life.subscription, chargedThrough: through } };
}

function momentOf(text: string): RequestedDate {
  const moment = parseWireMoment(text);
  if (moment === undefined) throw new Error(`${text} is not a date`);
  return moment;
}

/** Formats an instant without seconds: `2024-02-10T08:00`. */
const shown = (instant: Parameters<typeof formatInstant>[0]) => formatInstant(instant).slice(0, 16);

describe('effective date of an operation (subscriptions §8)', () => {
  const now = '2024-02-15T12:00:00Z';
  const table: Readonly<Record<string, readonly [TimedPolicy, Begun, now: string, date: string]>> = {
    'is the current time for IMMEDIATE': [
      'IMMEDIATE',
      { chargedThrough: '2024-03-10' },
      now,
      '2024-02-15T12:00',
    ],
    'is the charged-through date for END_OF_TERM': [
      'END_OF_TERM',
      { chargedThrough: '2024-03-10' },
      now,
      '2024-03-10T08:00',
    ],
    'is the current time for END_OF_TERM without a charged-through date': [
      'END_OF_TERM',
      {},
      now,
      '2024-02-15T12:00',
    ],
    'is the current time for END_OF_TERM if the charged-through date is past': [
      'END_OF_TERM',
      { chargedThrough: '2024-02-15' },
      now,
      '2024-02-15T12:00',
    ],
    'is the start for START_OF_TERM without a charged-through date': [
      'START_OF_TERM',
      {},
      now,
      '2024-01-10T08:00',
    ],
    'is the past charged-through date for START_OF_TERM': [
      'START_OF_TERM',
      { chargedThrough: '2024-02-10' },
      now,
      '2024-02-10T08:00',
    ],
    'is one period before the charged-through date for START_OF_TERM': [
      'START_OF_TERM',
      { chargedThrough: '2024-03-10' },
      now,
      '2024-02-10T08:00',
    ],
    'goes back several periods for START_OF_TERM if needed': [
      'START_OF_TERM',
      { chargedThrough: '2024-05-10' },
      now,
      '2024-02-10T08:00',
    ],
    'may be a term start at this exact second': [
      'START_OF_TERM',
      { chargedThrough: '2024-03-15', billCycleDayLocal: 15 },
      '2024-02-15T08:00:00Z',
      '2024-02-15T08:00',
    ],
    'falls on the bill cycle day, clamped to the month': [
      'START_OF_TERM',
      { chargedThrough: '2024-03-31', billCycleDayLocal: 31 },
      '2024-03-10',
      '2024-02-29T08:00',
    ],
    'returns to the bill cycle day in a month that contains it': [
      'START_OF_TERM',
      { chargedThrough: '2024-02-29', billCycleDayLocal: 31 },
      now,
      '2024-01-31T08:00',
    ],
    'goes back by a quarter for a quarterly plan': [
      'START_OF_TERM',
      { planName: 'p-q', chargedThrough: '2024-04-10' },
      now,
      '2024-01-10T08:00',
    ],
    'goes back by weeks regardless of the bill cycle day': [
      'START_OF_TERM',
      { planName: 'p-w', chargedThrough: '2024-02-28' },
      now,
      '2024-02-14T08:00',
    ],
    'is the current time for START_OF_TERM without a billing period': [
      'START_OF_TERM',
      { planName: 'p-once', chargedThrough: '2024-07-10' },
      now,
      '2024-02-15T12:00',
    ],
    'is not before the start of billing': ['IMMEDIATE', { start: '2024-03-01' }, now, '2024-03-01T08:00'],
    'is not before the start of the phase': [
      'START_OF_TERM',
      { planName: 'pro-monthly' },
      now,
      '2024-02-09T08:00',
    ],
  };
  for (const [what, [policy, parts, when, date]] of Object.entries(table))
    it(what, () => {
      const running = runningOf(passed(begun(parts), at(when)));
      expect(shown(policyDate(policy, running, at(when)).at)).to.equal(date);
    });

  it('can be before the latest bill cycle day or quantity change', () => {
    const life = begun();
    const { id: subscriptionId } = life.subscription;
    const events = [
      ...life.events,
      event('BCD_CHANGE', '2024-02-01', { subscriptionId, billCycleDay: 5 }),
      event('QUANTITY_CHANGE', '2024-02-01', { subscriptionId, quantity: 2 }),
    ];
    const date = policyDate('START_OF_TERM', runningOf({ ...life, events }), at(now));
    expect(shown(date.at)).to.equal('2024-01-10T08:00');
  });

  it('is moved forward to the new bill cycle day if the bill cycle day has changed', () => {
    const life = begun({ chargedThrough: '2024-03-10' });
    const { id: subscriptionId } = life.subscription;
    const events = [...life.events, event('BCD_CHANGE', '2024-02-01', { subscriptionId, billCycleDay: 5 })];
    const date = policyDate('START_OF_TERM', runningOf({ ...life, events }), at(now));
    expect(shown(date.at)).to.equal('2024-02-05T08:00');
  });

  it('is rejected for the policy ILLEGAL', () =>
    expectError(() => timedPolicy('ILLEGAL'), ErrorCode.INVALID_PARAMETER));
});

describe('effective date of a plan change (subscriptions §7 rule 3)', () => {
  const now = '2024-03-01T12:00:00Z';
  const dateOf = (life: Life, planName: string, options: ChangePlanOptions = {}): string => {
    const request = checkChangeRequest({ planName }, options);
    return shown(decideChange(runningOf(passed(life, at(now))), request, at(now)).effective.at);
  };
  const on = (date: string): ChangePlanOptions => ({ requestedDate: momentOf(date) });
  const by = (billingPolicy: BillingActionPolicy): ChangePlanOptions => ({ billingPolicy });
  const pro = begun({ planName: 'pro-monthly', chargedThrough: '2024-03-10' });
  const ahead = begun({ planName: 'solo-now', start: '2024-04-01' });

  const table: readonly (readonly [what: string, Life, string, ChangePlanOptions, date: string])[] = [
    ['is the requested date at reference time', pro, 'solo-now', on('2024-03-05'), '2024-03-05T08:00'],
    ['is the requested instant', pro, 'solo-now', on('2024-03-05T15:00:00Z'), '2024-03-05T15:00'],
    ['may be in the past', pro, 'solo-now', on('2024-02-20'), '2024-02-20T08:00'],
    ['is not before the current phase', pro, 'solo-now', on('2024-01-20'), '2024-02-09T08:00'],
    ['follows the requested policy', pro, 'solo-now', by('END_OF_TERM'), '2024-03-10T08:00'],
    [
      'is not before the current phase with a policy either',
      pro,
      'solo-now',
      by('START_OF_TERM'),
      '2024-02-10T08:00',
    ],
    ['follows the catalog rule for an immediate change', pro, 'elite-monthly', {}, '2024-03-01T12:00'],
    ['follows the rule for the current phase, not the initial one', pro, 'solo-now', {}, '2024-03-10T08:00'],
    ['is not before the start with a policy', ahead, 'team-now', by('IMMEDIATE'), '2024-04-01T08:00'],
  ];
  for (const [what, life, planName, options, date] of table)
    it(what, () => expect(dateOf(life, planName, options)).to.equal(date));

  it('is not before the latest bill cycle day change', () => {
    const { id: subscriptionId } = pro.subscription;
    const change = event('BCD_CHANGE', '2024-02-20', { subscriptionId, billCycleDay: 5 });
    const changed = { ...pro, events: [...pro.events, change] };
    expect(dateOf(changed, 'solo-now', on('2024-02-12'))).to.equal('2024-02-20T00:00');
  });

  it('is rejected before the service start, even after the billing start', () => {
    const life = created({
      account: account(),
      request: { planName: 'solo-now' },
      options: { billingDate: momentOf('2024-01-10'), entitlementDate: momentOf('2024-02-20') },
      now: at('2024-01-10'),
    });
    expectError(() => dateOf(life, 'team-now', on('2024-02-19')), ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE);
    expect(dateOf(life, 'team-now', on('2024-02-20'))).to.equal('2024-02-20T00:00');
  });

  it('may be the exact end of a term, but not later', () => {
    const term = begun({ planName: 'term-3m' });
    expect(dateOf(term, 'solo-now', on('2024-04-10'))).to.equal('2024-04-10T08:00');
    const later = () => dateOf(term, 'solo-now', on('2024-04-11'));
    expectError(later, ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_EXPIRED);
  });

  const plannedOf = (
    life: Life,
    wanted: Parameters<typeof checkChangeRequest>[0],
    options: ChangePlanOptions,
  ) => {
    const running = runningOf(passed(life, at(now)));
    const request = checkChangeRequest(wanted, options);
    const decided = decideChange(running, request, at(now));
    const { edit } = planChange(running, { request, decided, overridePlan: null }, { now: at(now), nextId });
    return edit.addedEvents.map(({ type, effective, quantity }) =>
      [type, shown(effective.at), quantity].filter(Boolean).join(' '),
    );
  };

  it('is rejected for a new term that would already have ended', () => {
    const solo = begun({ planName: 'solo-now' });
    const from = (date: string) => plannedOf(solo, { planName: 'term-3m' }, on(date));
    expect(from('2024-04-09')).to.eql(['CHANGE 2024-04-09T08:00', 'EXPIRED 2024-04-10T08:00']);
    expectError(() => from('2024-04-10'), ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE);
  });

  it('applies to the quantity only if the quantity changes', () => {
    const solo = begun({ planName: 'solo-now' });
    const { id: subscriptionId } = solo.subscription;
    const two = event('QUANTITY_CHANGE', '2024-03-03', { subscriptionId, quantity: 2 });
    const with2 = { ...solo, events: [...solo.events, two] };
    const wanted = (quantity: number) => ({ planName: 'team-now', quantity });
    const change = 'CHANGE 2024-03-05T08:00';
    expect(plannedOf(with2, wanted(2), on('2024-03-05'))).to.eql([change]);
    expect(plannedOf(with2, wanted(1), on('2024-03-05'))).to.eql([
      change,
      'QUANTITY_CHANGE 2024-03-05T08:00 1',
    ]);
  });
});

describe('cancellation date (subscriptions §9)', () => {
  const now = '2024-03-01T12:00:00Z';
  const endsOf = (life: Life, options: CancelSubscriptionOptions): string => {
    const tools = { now: at(now), nextId };
    const { entitlement, billing } = planCancellation(runningOf(passed(life, at(now))), options, tools);
    return `${shown(entitlement.at)} ${shown(billing.at)}`;
  };
  const both = { useRequestedDateForBilling: true };
  const pro = begun({ planName: 'pro-monthly', chargedThrough: '2024-03-10' });

  it('is not before the current phase for billing, but may be earlier for the service', () => {
    const requestedDate = momentOf('2024-01-20');
    expect(endsOf(pro, { requestedDate })).to.equal('2024-01-20T08:00 2024-03-10T08:00');
    for (const options of [{ requestedDate, ...both }, { requestedDate: momentOf('2024-01-20T09:00:00Z') }])
      expectError(() => endsOf(pro, options), ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE);
  });

  it('is the current time for the service with END_OF_TERM if the charged-through date has passed', () => {
    const late = begun({ planName: 'solo-now', chargedThrough: '2024-02-10' });
    const { IMMEDIATE, END_OF_TERM } = EntitlementActionPolicy;
    expect(endsOf(late, { entitlementPolicy: END_OF_TERM })).to.equal('2024-03-01T12:00 2024-03-01T12:00');
    expect(endsOf(late, { entitlementPolicy: IMMEDIATE })).to.equal('2024-03-01T12:00 2024-03-01T12:00');
  });

  it('is not before the start of a future subscription', () => {
    const ahead = begun({ planName: 'solo-now', start: '2024-04-01' });
    const start = '2024-04-01T08:00 2024-04-01T08:00';
    for (const options of [{}, both, { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'IMMEDIATE' }] as const)
      expect(endsOf(ahead, options)).to.equal(start);
    const early = { requestedDate: momentOf('2024-03-15') };
    expectError(() => endsOf(ahead, early), ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE);
  });

  it('follows the rule in the catalog version that currently supplies the plan', () => {
    const ruled = (effectiveDate: string, policy: string) =>
      version({
        effectiveDate,
        rules: `<changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
          <cancelPolicy><cancelPolicyCase><policy>${policy}</policy></cancelPolicyCase></cancelPolicy>`,
      });
    const catalog = createCatalog([ruled('2020-01-01', 'END_OF_TERM'), ruled('2024-02-01', 'IMMEDIATE')]);
    const bought = (start: string) => {
      const life = created({
        account: account({ billCycleDayLocal: 10 }),
        request: { planName: 'p-m' },
        now: at(start),
        catalog,
      });
      return { ...life, subscription: { ...life.subscription, chargedThrough: dated('2024-03-10') } };
    };
    const before = bought('2024-01-10');
    expect(endsOf(before, {}), 'bought before').to.equal('2024-03-10T00:00 2024-03-10T00:00');
    expect(endsOf(before, { entitlementPolicy: 'IMMEDIATE' })).to.equal('2024-03-01T12:00 2024-03-10T00:00');
    expect(endsOf(bought('2024-02-10'), {}), 'bought since').to.equal('2024-03-01T12:00 2024-03-01T12:00');
  });
});

describe('bill cycle day or quantity change in a fixed term (subscriptions §15.3, §16)', () => {
  const term = begun({ planName: 'p-once' });
  const tools = { now: at('2024-03-01T12:00:00Z'), nextId };
  const running = runningOf(term);
  const from = (date: string) => ({ effectiveFromDate: momentOf(date) });

  it('can precede the end of the term', () => {
    const day = planBillCycleDayChange(running, { day: 9, from: from('2024-07-09') }, tools);
    const quantity = planQuantityChange(running, { quantity: 2, from: from('2024-07-09') }, tools);
    expect([day, quantity].map(({ effective }) => shown(effective.at))).to.eql([
      '2024-07-09T08:00',
      '2024-07-09T08:00',
    ]);
  });

  it('is stored after the term’s end but ignored while the term is in force (subscriptions §11 rule 3)', () => {
    for (const date of ['2024-07-10', '2024-08-09']) {
      const day = planBillCycleDayChange(running, { day: 9, from: from(date) }, tools);
      const quantity = planQuantityChange(running, { quantity: 2, from: from(date) }, tools);
      const added = [...day.edit.addedEvents, ...quantity.edit.addedEvents];
      const events = [...term.events, ...added.map((each, index) => ({ ...each, recordId: 1_000 + index }))];
      const changed = runningOf({ ...term, events }).transitions;
      expect(changed.map(({ event }) => event.type)).to.eql(
        running.transitions.map(({ event }) => event.type),
      );
    }
  });
});
