import type { CancelSubscriptionOptions } from '../../../lib/ports/plugins/entitlement-plugin.ts';
import type { EndOfAll } from '../../../lib/subscriptions/edits/cancellation.ts';
import { cancellationOfAll, planCancellation } from '../../../lib/subscriptions/edits/cancellation.ts';
import type { SubscriptionEdit } from '../../../lib/subscriptions/edits/subscription-edit.ts';
import type { Life } from '../../support/subscriptions/example.ts';
import { account, at, created, nextId, passed, runningOf } from '../../support/subscriptions/example.ts';
import { dated, event } from '../../support/subscriptions/lifecycle.ts';
import { expect, formatInstant, parseWireMoment, type RequestedDate } from '../../support/unit.ts';

const NOW = '2024-03-01T12:00:00Z';

interface Begun {
  readonly planName?: string;
  readonly start?: string;
  readonly chargedThrough?: string;
}

/** A subscription of 2024-01-10, by default invoiced to 2024-03-10. */
function begun({
  planName = 'solo-now',
  start = '2024-01-10',
  chargedThrough = '2024-03-10',
}: Begun = {}): Life {
  const life = created({
    account: account({ referenceTime: '2024-01-01T08:00:00Z', billCycleDayLocal: 10 }),
    request: { planName },
    options: { billingDate: on(start), entitlementDate: on(start) },
    now: at('2024-01-10T08:00:00Z'),
  });
  const through = dated(`${chargedThrough}T08:00:00Z`);
  return passed({ ...life, subscription: { ...life.subscription, chargedThrough: through } }, at(NOW));
}

function on(text: string): RequestedDate {
  const moment = parseWireMoment(text);
  if (moment === undefined) throw new Error(`${text} is not a date`);
  return moment;
}

function cancelled(life: Life, options: CancelSubscriptionOptions, now = NOW): Life {
  const { edit } = planCancellation(runningOf(life), options, { now: at(now), nextId });
  const gone = new Set(edit.withdrawn.map(({ event: { id } }) => id));
  const added = edit.addedEvents.map((each, index) => ({ ...each, recordId: 100 + index }));
  const states = edit.addedStates.map((state, index) => ({ ...state, recordId: 100 + index }));
  return {
    ...life,
    events: [...life.events.filter(({ id }) => !gone.has(id)), ...added],
    blockingStates: [...life.blockingStates, ...states],
  };
}

const endOf = (life: Life, end: EndOfAll): SubscriptionEdit | null =>
  cancellationOfAll(runningOf(life), end, { now: at(NOW), nextId });

/** Returns the stored ends of service and billing: `2024-02-20T08:00 2024-03-10T08:00`; `-` if there is no end. */
function endsOf(life: Life, end: EndOfAll): string {
  const edit = endOf(life, end);
  if (edit === null) return 'nothing';
  const shown = ([fact]: SubscriptionEdit['addedEvents'] | SubscriptionEdit['addedStates']) =>
    fact === undefined ? '-' : formatInstant(fact.effective.at).slice(0, 16);
  return `${shown(edit.addedStates)} ${shown(edit.addedEvents)}`;
}

const end = (requested: string | null, billingPolicy: EndOfAll['billingPolicy']): EndOfAll => ({
  requested: requested === null ? null : on(requested),
  billingPolicy,
  planned: 'MOVED_FORWARD',
});
const atOnce = (requested: string | null = '2024-02-20') => end(requested, 'IMMEDIATE');
const atEndOfTerm = (requested: string | null = '2024-02-20') => end(requested, 'END_OF_TERM');
const BOTH = '2024-02-20T08:00 2024-02-20T08:00';

describe('cancellation of all subscriptions of an account (subscriptions §9 rule 9)', () => {
  const solo = begun();
  const byOwner = cancelled(solo, { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' });
  const servedOn = passed(
    cancelled(
      begun(),
      { requestedDate: on('2024-03-20'), billingPolicy: 'IMMEDIATE' },
      '2024-02-25T08:00:00Z',
    ),
    at(NOW),
  );
  const quantity = event('QUANTITY_CHANGE', '2024-02-25T08:00:00Z', {
    subscriptionId: solo.subscription.id,
    quantity: 2,
    sequence: 9,
  });
  const addOn = { ...solo, subscription: { ...solo.subscription, category: 'ADD_ON' } } as const;

  const table: Readonly<Record<string, readonly [Life, EndOfAll, ends: string]>> = {
    'ends service and billing on a past date at reference time with IMMEDIATE': [solo, atOnce(), BOTH],
    'ends service and billing at an instant with IMMEDIATE': [
      solo,
      atOnce('2024-02-20T15:00:00Z'),
      '2024-02-20T15:00 2024-02-20T15:00',
    ],
    'ends service and billing on a future date with IMMEDIATE': [
      solo,
      atOnce('2024-03-05'),
      '2024-03-05T08:00 2024-03-05T08:00',
    ],
    'ends service and billing now with IMMEDIATE': [solo, atOnce(null), '2024-03-01T12:00 2024-03-01T12:00'],
    'ends billing at the charged-through date with END_OF_TERM': [
      solo,
      atEndOfTerm(),
      '2024-02-20T08:00 2024-03-10T08:00',
    ],
    'uses the charged-through date as of the requested date with END_OF_TERM': [
      begun({ chargedThrough: '2024-02-28' }),
      atEndOfTerm(),
      '2024-02-20T08:00 2024-02-28T08:00',
    ],
    'ends billing with the service if the charged-through date is past': [
      begun({ chargedThrough: '2024-02-10' }),
      atEndOfTerm(),
      BOTH,
    ],
    'ends billing with a term that ends before the charged-through date': [
      begun({ planName: 'term-3m', chargedThrough: '2024-05-10' }),
      atEndOfTerm(),
      '2024-02-20T08:00 2024-04-10T08:00',
    ],
    'ends a future subscription at its start': [
      begun({ start: '2024-04-01' }),
      atOnce(),
      '2024-04-01T08:00 2024-04-01T08:00',
    ],
    'ends a subscription that began after the date at its start': [
      begun({ start: '2024-02-25' }),
      atOnce(),
      '2024-02-25T08:00 2024-02-25T08:00',
    ],
    'ends billing no earlier than the current phase': [
      begun({ planName: 'pro-monthly' }),
      atOnce('2024-01-20'),
      '2024-01-20T08:00 2024-02-09T08:00',
    ],
    'ends billing no earlier than the current quantity': [
      { ...solo, events: [...solo.events, quantity] },
      atOnce(),
      '2024-02-20T08:00 2024-02-25T08:00',
    ],
    'moves a later end forward': [byOwner, atOnce(), BOTH],
    'moves only the service end if billing would not end earlier': [
      byOwner,
      atEndOfTerm(),
      '2024-02-20T08:00 -',
    ],
    'moves nothing if service and billing end by then': [byOwner, atOnce('2024-03-15'), 'nothing'],
    'moves only the service end if billing has ended': [servedOn, atOnce(), '2024-02-20T08:00 -'],
    'keeps a later end on request': [byOwner, { ...atOnce(), planned: 'KEPT' }, 'nothing'],
    'ignores an ended service, even with billing still active': [
      cancelled(solo, { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'END_OF_TERM' }),
      atOnce(),
      'nothing',
    ],
    'ignores an expired subscription': [
      begun({ planName: 'term-3m', start: '2023-11-10', chargedThrough: '2024-02-10' }),
      atOnce('2024-01-10'),
      'nothing',
    ],
    'ignores an add-on, which follows its base': [addOn, atOnce(), 'nothing'],
  };
  for (const [what, [life, requestedEnd, ends]] of Object.entries(table))
    it(what, () => expect(endsOf(life, requestedEnd)).to.equal(ends));

  it('replaces a later end of a subscription with an earlier end', () => {
    const edit = endOf(byOwner, atOnce());
    expect(edit?.withdrawn.map(({ event: { type } }) => type)).to.eql(['CANCEL']);
    expect(edit?.withdrawnStates.map(({ stateName }) => stateName)).to.eql(['ENT_CANCELLED']);
    const service = endOf(byOwner, atEndOfTerm());
    expect([service?.requested, service?.withdrawn]).to.eql([null, []]);
    expect(service?.withdrawnStates).to.have.length(1);
  });
});
