import {
  type DryRunWalkInput,
  unchangedWalk,
  walkToTargetDate,
} from '../../../lib/invoicing/dry-run/walk.ts';
import type { AccountRun, AccountRunInput } from '../../../lib/invoicing/evaluation/evaluate-account.ts';
import { evaluateAccount } from '../../../lib/invoicing/evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import { NO_PAST } from '../../../lib/invoicing/explanation/event-facts.ts';
import { explainItem } from '../../../lib/invoicing/explanation/explanation.ts';
import { itemOf } from '../../../lib/invoicing/invoices/new-invoice.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import { releaseCoverage } from '../../../lib/invoicing/reconciliation/coverage.ts';
import type { BillingEvent } from '../../../lib/records/index.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import type { UsagePiece } from '../../../lib/usage/collecting/usage-ledger.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../../lib/usage/settlement/usage-config.ts';
import { day, subscriptionId, text } from '../../support/invoicing/billing-events.ts';
import { countedIds } from '../../support/invoicing/subscription-ledger.ts';
import { decimal, expect, InvariantError, type Uuid, ZERO } from '../../support/unit.ts';
import { at, clubUsage, smsUsage, type UsageSection } from '../../support/usage/sections.ts';
import { type UsageEventFields, UTC_ZONE, usageEvent } from '../../support/usage/usage-catalog.ts';

const accountId = '00000000-0000-7000-8000-00000000000a' as Uuid;

function used(amount: string, unit: string, date: string): UsagePiece {
  const sum = decimal(amount);
  return { unit, localDate: day(date), part: 'ALL', after: 0, upTo: 1, sum, max: sum };
}

function created(section: UsageSection, from: string, fields: UsageEventFields = {}): BillingEvent {
  return usageEvent('CREATE', from, { usages: [section], ...fields });
}

function billed(events: readonly BillingEvent[], pieces: readonly UsagePiece[]): SubscriptionBilling {
  const usage = { zone: UTC_ZONE, billed: [], pieces };
  return { subscriptionId, events, cursor: null, rows: [], items: new Map(), itemsCreatedToday: 0, usage };
}

function inputOf(
  subscription: SubscriptionBilling,
  targetDate: string,
  usage: Partial<UsageConfig> = {},
): AccountRunInput {
  return {
    state: {
      accountId,
      accountRecordId: 1,
      maxTargetDate: null,
      accountCBA: ZERO,
      accountBalance: ZERO,
      version: 0,
    },
    subscriptions: [subscription],
    targetDate: day(targetDate),
    currency: 'USD',
    config: { ...DEFAULT_INVOICING_CONFIG, usage: { ...DEFAULT_USAGE_CONFIG, ...usage } },
  };
}

function run(...input: Parameters<typeof inputOf>): AccountRun {
  return evaluateAccount(inputOf(...input), countedIds());
}

function lines({ items }: Pick<AccountRun, 'items'>): readonly string[] {
  return items.map(({ itemType, startDate, endDate, amount }) =>
    [itemType, ...[startDate, endDate].map((date) => date && text(date)), amount.toFixed()].join(' '),
  );
}

describe('usage in a run', () => {
  const videos = [used('6', 'videos', '2026-03-15'), used('7', 'videos', '2026-04-02')];
  const club = billed([created(clubUsage, '2026-03-13', { price: '30', bcd: 13 })], videos);

  it('follows the recurring items, and determines the next run date (usage E18 "Recurring and usage together")', () => {
    const first = run(club, '2026-03-13');
    expect(lines(first)).to.eql(['RECURRING 2026-03-13 2026-04-13 30']);
    expect(first.dueDates.map(text)).to.eql(['2026-04-13']);
    const both = run(club, '2026-04-13');
    expect(lines(both)).to.eql([
      'RECURRING 2026-03-13 2026-04-13 30',
      'RECURRING 2026-04-13 2026-05-13 30',
      'USAGE 2026-03-13 2026-04-13 18',
    ]);
    expect(both.evaluations[0]?.usage?.items).to.have.lengthOf(1);
    expect(both.evaluations[0]?.coverage.inserted, 'usage covers no days').to.have.lengthOf(2);
  });

  it('is due by its own billing period, independently of the recurring billing period', () => {
    const yearly = billed([created(clubUsage, '2026-04-01', { price: '300', period: 'ANNUAL', bcd: 1 })], []);
    expect(run(yearly, '2026-04-01').dueDates.map(text)).to.eql(['2026-05-01']);
  });

  it('is loaded once for all steps of a dry run', () => {
    const input: DryRunWalkInput = {
      ...inputOf(club, '2026-05-13'),
      now: at('2026-03-13T00:00:00Z'),
      today: day('2026-03-13'),
      dueDates: [day('2026-03-13')],
    };
    const found = atOnce(unchangedWalk(walkToTargetDate(input, countedIds())));
    expect(found && lines(found.run)).to.eql([
      'RECURRING 2026-05-13 2026-06-13 30',
      'USAGE 2026-04-13 2026-05-13 0',
    ]);
  });

  it('sets the charged-through date and billed interval, but creates no invoice, if zero amounts are dropped (usage §7.5 rule 4)', () => {
    const free = billed([created(smsUsage, '2026-04-01')], []);
    const dropped = run(free, '2026-05-01', { dropsZeroItems: true });
    expect(dropped.items).to.eql([]);
    expect([...dropped.chargedThrough].map(([id, date]) => [id, text(date)])).to.eql([
      [subscriptionId, '2026-05-01'],
    ]);
    expect(dropped.evaluations[0]?.usage?.intervals).to.have.lengthOf(1);
    const asDraft = evaluateAccount(
      {
        ...inputOf(free, '2026-05-01', { dropsZeroItems: true }),
        invoice: { status: 'DRAFT', draft: null, isPaidByParent: false },
      },
      countedIds(),
    );
    expect([...asDraft.chargedThrough]).to.eql([]);
  });

  it('stops the run for non-void records of a unit without a price if the tenant requires prices (usage §7.8)', () => {
    const events = [created(smsUsage, '2026-04-01')];
    const mms = billed(events, [used('3', 'mms', '2026-04-09')]);
    expect(lines(run(mms, '2026-05-01'))).to.eql(['USAGE 2026-04-01 2026-05-01 0']);
    expect(() => run(mms, '2026-05-01', { refusesUnknownUnits: true })).to.throw(
      InvariantError,
      /usage of mms/,
    );
    const voided = billed(events, [used('0', 'mms', '2026-04-09')]);
    expect(run(voided, '2026-05-01', { refusesUnknownUnits: true }).items).to.have.lengthOf(1);
  });

  it('has an explanation with the used amount, the tiers and the sum', () => {
    const sms = billed([created(smsUsage, '2026-04-01')], [used('5325', 'sms', '2026-04-15')]);
    const [item] = run(sms, '2026-05-01').items;
    if (item === undefined) throw new Error('no item');
    const invoice = { id: accountId, accountId, accountRecordId: 1, currency: 'USD' } as Parameters<
      typeof itemOf
    >[0];
    const { text: explanation, steps } = explainItem({
      item: { ...itemOf(invoice, item, at('2026-05-01T00:00:00Z')), recordId: 1 },
      linked: undefined,
      basis: item.basis ?? null,
      past: NO_PAST,
      hasOwnPrices: false,
      isMigrated: false,
    });
    expect(explanation).to.equal(
      'Usage sms-usage of plan gold-monthly, phase gold-monthly-evergreen for 2026-04-01 to 2026-05-01 (30 days), monthly and billed in arrear: 5325 sms. Tier 1: 10 blocks of 100 sms at 2.95 USD. Tier 2: 5 blocks of 1000 sms at 5.95 USD. 2.95 USD × 10 = 29.50 USD, 5.95 USD × 5 = 29.75 USD, 29.50 USD + 29.75 USD = 59.25 USD.',
    );
    expect(steps.map(({ operation }) => operation)).to.eql(['MULTIPLY', 'MULTIPLY', 'ADD', 'ROUND']);
  });

  it('is evaluated again from the start of its item when the invoice is void', () => {
    const { items } = run(billed([created(smsUsage, '2026-04-01')], []), '2026-05-01');
    const released = releaseCoverage({ items, repaired: [], otherRepairs: [], currency: 'USD' });
    expect(released.itemIds, 'it covers no days').to.eql([]);
    expect(released.touched.map(({ date }) => text(date))).to.eql(['2026-04-01']);
  });
});
