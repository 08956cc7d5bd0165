import { expect } from 'chai';
import {
  type EvaluationSettings,
  evaluateSubscription,
  type SubscriptionBilling,
} from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import { evaluateSubscriptions } from '../../../lib/invoicing/evaluation/evaluate-subscriptions.ts';
import { ongoingChargeAfter, ongoingEvent } from '../../../lib/invoicing/evaluation/ongoing-charge.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/periods/invoicing-config.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { day, event } from '../../support/invoicing/billing-events.ts';
import { countedIds } from '../../support/invoicing/subscription-ledger.ts';
import { newId } from '../../support/storage/stored-records.ts';

const settings: EvaluationSettings = {
  targetDate: day('2024-04-01'),
  currency: 'USD',
  config: DEFAULT_INVOICING_CONFIG,
};

interface Sold {
  readonly price?: string;
  readonly settledThrough?: string;
  readonly itemsCreatedToday?: number;
}

function ongoing(sold: Sold = {}): SubscriptionBilling {
  const { price = '30.00', settledThrough = '2024-03-01', itemsCreatedToday = 0 } = sold;
  const [subscriptionId, bundleId] = [newId(), newId()] as [Uuid, Uuid];
  const events = [{ ...event('CREATE', '2024-01-01', { price, fixed: '5.00' }), subscriptionId, bundleId }];
  const settled = day(settledThrough);
  const charge = ongoingChargeAfter({ recordId: 1, events }, { settledThrough: settled });
  if (charge === null) throw new Error('nothing goes on');
  return {
    subscriptionId,
    ongoing: charge,
    events: [],
    cursor: { subscriptionId, settledThrough: settled, dirtyFrom: null, nextDueDate: settled },
    rows: [],
    items: new Map(),
    itemsCreatedToday,
  };
}

describe('the evaluation of many subscriptions', () => {
  it('gives each what it gets by itself, also those that are alike', () => {
    const { ongoing: charge, ...rest } = ongoing();
    if (charge == null) throw new Error('nothing goes on');
    const byEvents = { ...rest, events: [ongoingEvent(rest.subscriptionId, charge)] };
    const subscriptions = [
      ongoing(),
      ongoing(),
      ongoing({ price: '20.00' }),
      ongoing(),
      ongoing({ settledThrough: '2024-02-01' }),
      ongoing({ settledThrough: '2024-02-01' }),
      { ...byEvents, cursor: null },
      ongoing({ price: '20.00' }),
      ongoing({ itemsCreatedToday: 2 }),
    ];
    const nextId = countedIds();
    const each = subscriptions.map((subscription) => evaluateSubscription(subscription, settings, nextId));
    const all = evaluateSubscriptions(subscriptions, settings, countedIds());
    expect(all).to.deep.equal(each);
    expect(all.map(({ items }) => items.length)).to.deep.equal([2, 2, 2, 2, 3, 3, 5, 2, 2]);
  });

  it('holds each to its own bound of items in a day', () => {
    const maxDailyItems = 3;
    const bounded = { ...settings, config: { ...settings.config, maxDailyItems } };
    const fits = ongoing({ itemsCreatedToday: 1 });
    const evaluate = (...subscriptions: SubscriptionBilling[]) =>
      evaluateSubscriptions(subscriptions, bounded, countedIds());
    expect(evaluate(fits, ongoing({ itemsCreatedToday: 1 }))).to.have.length(2);
    expect(() => evaluate(fits, ongoing({ itemsCreatedToday: 2 }))).to.throw(
      '4 items in one day, more than 3',
    );
  });
});
