import { expect } from 'chai';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { BillingEvent } from '../../../lib/invoicing/billing-event.ts';
import { formatDecimal } from '../../../lib/money/index.ts';
import { billingEvents } from '../../../lib/subscriptions/billing-events.ts';
import type { LifecycleEvent } from '../../../lib/subscriptions/model.ts';
import { formatLocalDate } from '../../../lib/time/index.ts';
import { expectError } from './errors.ts';
import {
  account,
  at,
  type CreateParts,
  created,
  exampleCatalog,
  type Life,
  nextId,
  passed,
} from './example.ts';
import { choice, event } from './lifecycle.ts';

function create(request: CreateParts['request'], parts: Parameters<typeof account>[0] = {}): Life {
  return created({ account: account(parts), request, now: at('2024-01-05') });
}

function streamOf(life: Life): readonly BillingEvent[] {
  const histories = [{ subscription: life.subscription, events: life.events }];
  return billingEvents({ account: life.account, histories, plans: life.catalog }).events;
}

function ofEvents(...events: readonly LifecycleEvent[]) {
  const subscription = { id: nextId(), bundleId: nextId(), category: 'BASE' } as const;
  return billingEvents({ account: account(), histories: [{ subscription, events }], plans: exampleCatalog });
}

function amounts(event: BillingEvent): readonly (string | null)[] {
  return [
    event.fixedPrice && formatDecimal(event.fixedPrice),
    event.recurringPrice && formatDecimal(event.recurringPrice),
  ];
}

describe('Billing events', () => {
  it('carry plan, prices, period and day of each phase', () => {
    const [trial, evergreen, ...others] = streamOf(
      create({ planName: 'pro-monthly' }, { billCycleDayLocal: 9 }),
    );
    if (!trial || !evergreen) throw new Error('two events were expected');
    expect(others).to.deep.equal([]);
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
    expect(amounts(trial)).to.deep.equal(['0', null]);
    expect(evergreen).to.deep.include({
      transitionType: 'PHASE',
      phaseName: 'pro-monthly-evergreen',
      isEvergreen: true,
      billingPeriod: 'MONTHLY',
    });
    expect(formatLocalDate(evergreen.localDate)).to.equal('2024-02-04');
    expect(amounts(evergreen)).to.deep.equal([null, '249.95']);
  });

  it('take ACCOUNT for SUBSCRIPTION while the account has no day, and say so', () => {
    const days = (planName: string, billCycleDayLocal: number) =>
      streamOf(create({ planName }, { billCycleDayLocal })).map((each) => [
        each.billCycleDayLocal,
        each.isAccountAligned,
      ]);
    expect(days('pro-monthly', 0)).to.deep.equal([
      [4, true],
      [4, true],
    ]);
    expect(days('pro-annual', 0), 'aligned to the subscription').to.deep.equal([
      [4, false],
      [4, false],
    ]);
  });

  it('carry a requested day and the quantity from their date on', () => {
    const stream = streamOf(create({ planName: 'pro-monthly', billCycleDayLocal: 15, quantity: 3 }));
    expect(stream.map((each) => [each.transitionType, each.billCycleDayLocal, each.quantity])).to.deep.equal([
      ['CREATE', 4, 1],
      ['BCD_CHANGE', 15, 1],
      ['QUANTITY_CHANGE', 15, 3],
      ['PHASE', 15, 3],
    ]);
    expect(stream.map(amounts), 'the fixed price once').to.deep.equal([
      ['0', null],
      [null, null],
      [null, null],
      [null, '249.95'],
    ]);
  });

  it('end with an expiry that carries no plan and no price and repeats the day', () => {
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

  it('have nothing after a CANCEL', () => {
    const { events } = ofEvents(
      choice('CREATE', '2024-01-01', 'pro-monthly-trial'),
      event('CANCEL', '2024-01-20'),
      event('PHASE', '2024-01-31', { phaseName: 'pro-monthly-evergreen' }),
    );
    expect(events.map((each) => each.transitionType)).to.deep.equal(['CREATE', 'CANCEL']);
  });

  it('leave out a subscription that does not begin with CREATE or TRANSFER, and name it', () => {
    const broken = { id: nextId(), bundleId: nextId(), category: 'BASE' } as const;
    const life = create({ planName: 'solo-now' });
    const { events, skipped } = billingEvents({
      account: life.account,
      histories: [
        { subscription: broken, events: [event('CANCEL', '2024-01-01')] },
        { subscription: life.subscription, events: life.events },
      ],
      plans: exampleCatalog,
    });
    expect(skipped).to.deep.equal([broken.id]);
    expect(events.map((each) => each.subscriptionId)).to.deep.equal([life.subscription.id]);
  });

  it('stand by subscription id, then by time', () => {
    const lives = [create({ planName: 'pro-monthly' }), create({ planName: 'solo-monthly' })];
    const histories = lives.map(({ subscription, events }) => ({
      subscription,
      events: events.toReversed(),
    }));
    const order = (list: typeof histories) =>
      billingEvents({ account: account(), histories: list, plans: exampleCatalog }).events.map(
        (each) => `${each.subscriptionId} ${each.transitionType}`,
      );
    const [first, second] = lives.map(({ subscription }) => subscription.id).toSorted();
    const expected = [`${first} CREATE`, `${first} PHASE`, `${second} CREATE`, `${second} PHASE`];
    expect(order(histories)).to.deep.equal(expected);
    expect(order(histories.toReversed())).to.deep.equal(expected);
  });

  it('refuse a plan without price in the currency of the account', () => {
    const life = create({ planName: 'solo-now' }, { currency: 'EUR' });
    expectError(() => streamOf(life), ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY);
  });

  it('refuse a priced plan for an account without currency', () => {
    const life = create({ planName: 'solo-now' }, { currency: null });
    expectError(() => streamOf(life), ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY, /has no currency/);
  });
});
