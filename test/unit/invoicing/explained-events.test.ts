import { readBasis, writeBasis } from '../../../adapters/mikro-orm/tables/item-basis-text.ts';
import type { EventFacts, SubscriptionPast } from '../../../lib/invoicing/explanation/event-facts.ts';
import { eventsOfBasis, rulesOfBasis } from '../../../lib/invoicing/explanation/event-facts.ts';
import {
  caseText,
  cycleSentence,
  dateSentence,
  eventText,
  phaseSentence,
} from '../../../lib/invoicing/explanation/explanation-words.ts';
import type { BillingTransitionType } from '../../../lib/records/billing-event.ts';
import type { BasisEvent, RecurringBasis } from '../../../lib/records/invoice-item.ts';
import type { LifecycleEvent } from '../../../lib/records/lifecycle-event.ts';
import type { EventReason } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { DatedBy, reasonDatedBy, writeReason } from '../../../lib/subscriptions/timeline/lifecycle-events.ts';
import { at } from '../../support/subscriptions/example.ts';
import { choice, dated, event, state } from '../../support/subscriptions/lifecycle.ts';
import { decimal, expect, parseLocalDate } from '../../support/unit.ts';

function named(type: BillingTransitionType, date: string): BasisEvent {
  const { at: effectiveDate, date: localDate } = dated(date);
  return { type, effectiveDate, localDate };
}

const change = named('CHANGE', '2024-02-01');
const recurring: RecurringBasis = {
  kind: 'RECURRING',
  event: change,
  nextEvent: null,
  price: decimal('10'),
  quantity: 1,
  discounts: null,
  billingPeriod: 'MONTHLY',
  billingMode: 'IN_ADVANCE',
  billCycleDay: 9,
  isAccountAligned: true,
  billingAlignment: { result: 'ACCOUNT', conditions: null },
  isRequestedDay: false,
  rule: 'WHOLE',
  startDate: parseLocalDate('2024-02-01'),
  endDate: parseLocalDate('2024-03-01'),
  share: null,
  part: null,
  prorationFixedDays: 0,
};
const item = { planName: 'pro-monthly', createdDate: at('2024-02-01T12:00:00Z') };
const pastOf = (...events: readonly LifecycleEvent[]): SubscriptionPast => ({ events, blockingStates: [] });

/** A plan change on 2024-02-01 whose phases count from 2024-01-20. */
function changed(reason: EventReason, fields: Omit<Partial<LifecycleEvent>, 'phaseName'> = {}) {
  return choice('CHANGE', '2024-02-01', {
    phaseName: 'pro-monthly-evergreen',
    phaseAnchor: dated('2024-01-20'),
    reason: writeReason(reason),
    ...fields,
  });
}

const factsOf = (past: SubscriptionPast, of: BasisEvent = change): EventFacts => {
  const { event: facts } = eventsOfBasis({ ...recurring, event: of }, item, past);
  if (facts === null) throw new Error('there is an event');
  return facts;
};

describe('rule explanation of an item', () => {
  const aligned = (
    result: 'CHANGE_OF_PLAN' | 'CHANGE_OF_PRICELIST' | 'START_OF_BUNDLE' | 'START_OF_SUBSCRIPTION',
  ) =>
    ({
      ...reasonDatedBy(DatedBy.REQUESTED_DATE),
      alignment: { result, conditions: { toPriceList: 'club' } },
      alignedBy: 'CHANGE',
    }) as const;
  const origins = [
    ['START_OF_BUNDLE', 'the start of the bundle'],
    ['START_OF_SUBSCRIPTION', 'the start of the subscription'],
    ['CHANGE_OF_PLAN', 'the change of plan'],
    ['CHANGE_OF_PRICELIST', 'the change to the price list'],
  ] as const;
  for (const [alignment, origin] of origins)
    it(`contains the origin of the phases for ${alignment}`, () => {
      const events = eventsOfBasis(recurring, item, pastOf(changed(aligned(alignment))));
      expect(phaseSentence(events)).to.equal(
        `The phases of the plan count from 2024-01-20, ${origin} (change alignment for a change to price list club: ${alignment}).`,
      );
      expect(rulesOfBasis(recurring, events)).to.eql([
        { rule: 'BILLING_ALIGNMENT', result: 'ACCOUNT', conditions: null, event: null },
        { rule: 'CHANGE_ALIGNMENT', result: alignment, conditions: { toPriceList: 'club' }, event: change },
      ]);
    });

  it('omits the origin of phases that count from the change itself, unless the event of the item is a PHASE', () => {
    const own = changed(aligned('CHANGE_OF_PLAN'), { phaseAnchor: dated('2024-02-01') });
    expect(phaseSentence(eventsOfBasis(recurring, item, pastOf(own)))).to.equal('');
    const phase = { ...recurring, event: named('PHASE', '2024-03-01') };
    const events = eventsOfBasis(phase, item, pastOf(own, event('PHASE', '2024-03-01')));
    expect(phaseSentence(events)).to.contain('count from 2024-02-01, the change of plan');
  });

  it('contains the reason for the date of an event', () => {
    const cases: readonly (readonly [reason: EventReason, sentence: string])[] = [
      [reasonDatedBy(DatedBy.REQUESTED_DATE), ''],
      [
        { ...reasonDatedBy(DatedBy.REQUESTED_POLICY), policy: 'START_OF_TERM' },
        'The change of plan takes effect on 2024-02-01 by the requested policy START_OF_TERM.',
      ],
      [
        { ...reasonDatedBy(DatedBy.CATALOG_RULE), policy: 'END_OF_TERM' },
        'The change of plan takes effect on 2024-02-01 by the catalog’s change policy by default: END_OF_TERM.',
      ],
      [
        {
          ...reasonDatedBy(DatedBy.CATALOG_RULE),
          policy: 'IMMEDIATE',
          policyConditions: { phaseType: 'TRIAL' },
        },
        'The change of plan takes effect on 2024-02-01 by the catalog’s change policy for phase type TRIAL: IMMEDIATE.',
      ],
    ];
    for (const [reason, sentence] of cases)
      expect(dateSentence(factsOf(pastOf(changed(reason))))).to.equal(sentence);
  });

  it('names the conditions of the rule', () => {
    expect(caseText(null)).to.equal('by default');
    expect(caseText({})).to.equal('for all plans');
    expect(caseText({ productCategory: 'ADD_ON', billingPeriod: 'ANNUAL' })).to.equal(
      'for product category ADD_ON, billing period ANNUAL',
    );
    expect(caseText({ fromProduct: 'Solo', toProduct: 'Pro' })).to.equal(
      'for a change from product Solo, to product Pro',
    );
  });

  it('contains the source of the bill cycle day, or only the known facts for older items', () => {
    expect(cycleSentence(recurring)).to.equal(
      'The bill cycle day is 9, that of the account (billing alignment by default: ACCOUNT).',
    );
    expect(cycleSentence({ ...recurring, isRequestedDay: true })).to.equal(
      'The bill cycle day is 9, as requested for this subscription.',
    );
    expect(cycleSentence({ ...recurring, billingPeriod: 'WEEKLY' })).to.equal('');
    const { billingAlignment: _, isRequestedDay: _day, ...before } = JSON.parse(writeBasis(recurring));
    const old = readBasis(JSON.stringify(before));
    expect(old).to.deep.include({ billingAlignment: null, isRequestedDay: null });
    expect(cycleSentence(old as RecurringBasis)).to.equal('The bill cycle day is 9, that of the account.');
  });
});

describe('item event explanation', () => {
  const byPolicy = { ...reasonDatedBy(DatedBy.REQUESTED_POLICY), policy: 'IMMEDIATE' } as const;

  it('describes the event as it was when the item was created', () => {
    const undo = event('UNDO_CHANGE', '2024-02-05');
    const withdrawn = changed(byPolicy, { isActive: false, deactivatedBy: undo.id });
    const later = changed(reasonDatedBy(DatedBy.REQUESTED_DATE), { createdDate: at('2024-02-05') });
    expect(factsOf(pastOf(withdrawn, undo, later)).reason).to.eql(byPolicy);
    const gone = changed(reasonDatedBy(DatedBy.REQUESTED_DATE), {
      isActive: false,
      deactivatedBy: withdrawn.id,
      createdDate: at('2024-01-20'),
    });
    expect(factsOf(pastOf(gone, withdrawn, undo)).reason).to.eql(byPolicy);
  });

  it('mentions a quantity or day that was chosen together with a plan', () => {
    const quantity = event('QUANTITY_CHANGE', '2024-02-01', { quantity: 2 });
    const facts = factsOf(pastOf(changed(byPolicy), quantity), named('QUANTITY_CHANGE', '2024-02-01'));
    expect(eventText(facts)).to.equal('the change of plan on 2024-02-01');
    expect(facts.reason).to.eql(byPolicy);
    const alone = factsOf(pastOf(quantity), named('QUANTITY_CHANGE', '2024-02-01'));
    expect(eventText(alone)).to.equal('the change of quantity on 2024-02-01');
  });

  it('reports a price change, or an end caused by the base, even if no such event is stored', () => {
    expect(eventText(factsOf(pastOf()))).to.equal('the change of price on 2024-02-01');
    for (const type of ['CANCEL', 'EXPIRED'] as const) {
      expect(eventText(factsOf(pastOf(), named(type, '2024-02-01')))).to.equal(
        'the end caused by its base subscription on 2024-02-01',
      );
    }
    const expired = factsOf(pastOf(event('EXPIRED', '2024-02-01')), named('EXPIRED', '2024-02-01'));
    expect(eventText(expired)).to.equal('the expiry on 2024-02-01');
  });

  it('names the services that block and unblock billing', () => {
    const blockingStates = [
      state('HELD', '2024-02-01', { service: 'fraud', isBlockBilling: true }),
      state('OD1', '2024-02-01', { service: 'overdue', isBlockBilling: true }),
      state('FINE', '2024-02-01', { service: 'support' }),
      state('OTHER', '2024-02-02', { service: 'late', isBlockBilling: true }),
    ];
    const of = (type: BillingTransitionType) =>
      eventText(factsOf({ events: [], blockingStates }, named(type, '2024-02-01')));
    expect(of('START_BILLING_DISABLED')).to.equal(
      'the pause of billing on 2024-02-01 (service fraud: HELD; service overdue: OD1)',
    );
    expect(of('END_BILLING_DISABLED')).to.equal(
      'the return of billing on 2024-02-01 (service support: FINE)',
    );
  });
});
