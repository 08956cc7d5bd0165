import type { DryRunWalkInput } from '../../../lib/invoicing/dry-run/walk.ts';
import { subscriptionAfter, unchangedWalk, walkToTargetDate } from '../../../lib/invoicing/dry-run/walk.ts';
import type { AccountRun, AccountRunInput } from '../../../lib/invoicing/evaluation/evaluate-account.ts';
import {
  evaluateAccount,
  missingItemIdsOfAccount,
} from '../../../lib/invoicing/evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import type { AccountInvoicingState } from '../../../lib/records/invoice.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import { cancel, day, event, text } from '../../support/invoicing/billing-events.ts';
import { countedIds, line } from '../../support/invoicing/subscription-ledger.ts';
import { expect, formatDecimal, type Instant, InvariantError, type Uuid, ZERO } from '../../support/unit.ts';

const accountId = '00000000-0000-7000-8000-00000000000a' as Uuid;
const noState: AccountInvoicingState = {
  accountId,
  accountRecordId: 1,
  maxTargetDate: null,
  accountCBA: ZERO,
  accountBalance: ZERO,
  version: 0,
};

function idOf(index: number): Uuid {
  return `00000000-0000-7000-8000-0000000001${String(index).padStart(2, '0')}` as Uuid;
}

function subscription(index: number, events: readonly BillingEvent[]): SubscriptionBilling {
  const subscriptionId = idOf(index);
  return {
    subscriptionId,
    events: events.map((each) => ({ ...each, subscriptionId })),
    cursor: null,
    rows: [],
    items: new Map(),
    itemsCreatedToday: 0,
  };
}

function account(subscriptions: readonly SubscriptionBilling[], targetDate: string): AccountRunInput {
  return {
    state: noState,
    subscriptions,
    targetDate: day(targetDate),
    currency: 'USD',
    config: DEFAULT_INVOICING_CONFIG,
  };
}

function nextRun(input: AccountRunInput, run: AccountRun, targetDate: string): AccountRunInput {
  const subscriptions = input.subscriptions.map((each) => {
    const evaluation = run.evaluations.find(({ subscriptionId }) => subscriptionId === each.subscriptionId);
    return evaluation === undefined ? each : subscriptionAfter(each, evaluation);
  });
  return { ...input, subscriptions, state: run.state, targetDate: day(targetDate) };
}

const gold = subscription(1, [event('CREATE', '2024-01-15', { price: '31.00' })]);
const tin = subscription(2, [
  event('CREATE', '2024-01-15', { plan: 'tin', fixed: '0', phaseDays: 10 }),
  event('PHASE', '2024-01-25', { plan: 'tin', price: '5.00' }),
]);

describe('invoice run or dry run', () => {
  it('creates one invoice with the items of all subscriptions, the amounts and the resulting state', () => {
    const run = evaluateAccount(account([gold, tin], '2024-01-15'), countedIds());
    expect(run.items.map(line)).to.eql(['R 2024-01-15 2024-02-01 17', 'F 2024-01-15 2024-01-25 0']);
    expect(run.items.map(({ id }) => id)).to.eql([...run.items.map(({ id }) => id)].sort());
    expect(formatDecimal(run.amounts.amount)).to.equal('17');
    expect([...run.chargedThrough].map(([id, date]) => [id, text(date)])).to.eql([
      [idOf(1), '2024-02-01'],
      [idOf(2), '2024-01-25'],
    ]);
    expect(run.dueDates.map(text)).to.eql(['2024-01-25', '2024-02-01']);
    expect(formatDecimal(run.state.accountBalance)).to.equal('17');
    expect(run.state.maxTargetDate).to.equal(day('2024-01-15'));
  });

  it('skips subscriptions that are not due, and creates nothing when repeated immediately', () => {
    const input = account([gold, tin], '2024-01-15');
    const next = nextRun(input, evaluateAccount(input, countedIds()), '2024-01-25');
    const run = evaluateAccount(next, countedIds(10));
    expect(run.evaluations.map(({ subscriptionId }) => subscriptionId)).to.eql([idOf(2)]);
    expect(run.items.map(line)).to.eql(['R 2024-01-25 2024-02-01 1.13']);
    const again = evaluateAccount(nextRun(next, run, '2024-01-25'), countedIds(20));
    expect(again.evaluations).to.eql([]);
    expect(again.items).to.eql([]);
    expect(again.state).to.eql(run.state);
  });

  it('does not store its target date when nothing recurs', () => {
    const run = evaluateAccount(account([tin], '2024-01-15'), countedIds());
    expect(run.items).to.have.length(1);
    expect(run.state.maxTargetDate).to.equal(null);
  });

  it('can move the charged-through date back (invoicing E6 "Annual to monthly, same day")', () => {
    const annual = event('CREATE', '2012-05-01', { plan: 'annual', price: '2399.95', period: 'ANNUAL' });
    const monthly = event('CHANGE', '2012-05-01', { price: '249.95', order: 2 });
    const before = account([subscription(1, [annual])], '2012-05-01');
    const first = evaluateAccount(before, countedIds());
    expect([...first.chargedThrough.values()].map(text)).to.eql(['2013-05-01']);
    const billed = nextRun(before, first, '2012-05-01');
    const changed = billed.subscriptions.map((each) => ({
      ...each,
      events: [annual, monthly].map((one) => ({ ...one, subscriptionId: each.subscriptionId })),
      cursor: {
        subscriptionId: each.subscriptionId,
        nextDueDate: null,
        settledThrough: null,
        ...each.cursor,
        dirtyFrom: day('2012-05-01'),
      },
    }));
    const second = evaluateAccount({ ...billed, subscriptions: changed }, countedIds(10));
    expect([...second.chargedThrough.values()].map(text)).to.eql(['2012-06-01']);
    expect(formatDecimal(second.amounts.rawBalance)).to.equal('-2150');
    expect(formatDecimal(second.state.accountBalance)).to.equal('249.95');
  });

  it('lists the items that must be loaded before repairs, and keeps a repaired charged-through date', () => {
    const created = event('CREATE', '2024-01-01', { price: '31.00' });
    const input = account([subscription(1, [created])], '2024-01-01');
    const billed = nextRun(input, evaluateAccount(input, countedIds()), '2024-01-11');
    const cancelled = billed.subscriptions.map((each) => ({
      ...each,
      items: new Map(),
      cursor: null,
      events: [created, cancel('2024-01-11')].map((one) => ({ ...one, subscriptionId: each.subscriptionId })),
    }));
    const unloaded = { ...billed, subscriptions: cancelled };
    expect(missingItemIdsOfAccount(unloaded)).to.eql([countedIds()()]);
    expect(() => evaluateAccount(unloaded, countedIds(10))).to.throw(InvariantError, 'must be loaded');
    const loaded = {
      ...billed,
      subscriptions: cancelled.map((each) => ({
        ...each,
        items: billed.subscriptions[0]?.items ?? new Map(),
      })),
    };
    expect(missingItemIdsOfAccount(loaded)).to.eql([]);
    const run = evaluateAccount(loaded, countedIds(10));
    expect(run.items.map(line)).to.eql(['X 2024-01-11 2024-02-01 -21']);
    expect(run.chargedThrough.size).to.equal(0);
  });
});

describe('dry run', () => {
  const trial = subscription(1, [
    event('CREATE', '2014-01-02', { plan: 'gold', fixed: '0', phaseDays: 30 }),
    event('PHASE', '2014-02-01', { plan: 'gold', price: '249.95' }),
  ]);
  const today = account([trial], '2014-01-02');
  const first = evaluateAccount(today, countedIds());
  const billed = nextRun(today, first, '2014-01-02');

  function dryRun(targetDate: string, changes: Partial<DryRunWalkInput> = {}): readonly string[] | null {
    const today = day('2014-01-02');
    const now = (today * 86_400_000) as Instant;
    const known = { ...billed, now, today, dueDates: first.dueDates };
    const input = { ...known, ...changes, targetDate: day(targetDate) };
    const invoice = atOnce(unchangedWalk(walkToTargetDate(input, countedIds(100))));
    return invoice === null ? null : [text(invoice.targetDate), ...invoice.run.items.map(line)];
  }

  it('returns only the invoice of its target date (invoicing E17 "Dry run is not cumulative")', () => {
    expect(dryRun('2014-02-28')).to.eql(['2014-02-01', 'R 2014-02-01 2014-03-01 249.95']);
    expect(dryRun('2014-04-01')).to.eql(['2014-04-01', 'R 2014-04-01 2014-05-01 249.95']);
    expect(dryRun('2014-05-03')).to.eql(['2014-05-01', 'R 2014-05-01 2014-06-01 249.95']);
    expect(billed.subscriptions[0]?.rows).to.have.length(1);
  });

  it('creates nothing before the first date with a change', () =>
    expect(dryRun('2014-01-31')).to.equal(null));

  it('returns nothing for a target date without an invoice', () => {
    const events = [...trial.events, { ...cancel('2014-03-01'), subscriptionId: idOf(1) }];
    const subscriptions = billed.subscriptions.map((each) => ({ ...each, events, cursor: null }));
    expect(dryRun('2014-03-01', { subscriptions })).to.equal(null);
    expect(dryRun('2014-03-02', { subscriptions })).to.eql(['2014-02-01', 'R 2014-02-01 2014-03-01 249.95']);
  });

  it('returns the same items as the next run if nothing changes before that run', () => {
    const run = evaluateAccount({ ...billed, targetDate: day('2014-02-01') }, countedIds(100));
    expect(dryRun('2014-02-01')?.slice(1)).to.eql(run.items.map(line));
  });

  it('repairs items of earlier dry-run steps in memory', () => {
    const events = [...trial.events, event('CHANGE', '2014-02-10', { plan: 'tin', price: '28.00' })];
    const subscriptions = billed.subscriptions.map((each) => ({
      ...each,
      events: events.map((one) => ({ ...one, subscriptionId: idOf(1) })),
      cursor: null,
    }));
    expect(dryRun('2014-02-10', { subscriptions })).to.eql(['2014-02-10', 'R 2014-02-10 2014-03-01 19']);
  });
});
