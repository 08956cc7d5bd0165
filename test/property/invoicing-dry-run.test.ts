import { unchangedWalk, walkToTargetDate } from '../../lib/invoicing/dry-run/walk.ts';
import type { AccountInvoicingState } from '../../lib/records/invoice.ts';
import { atOnce } from '../../lib/runtime/index.ts';
import { countedIds, line, SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import { eventsOf, firstDifference, type History, histories } from '../support/lives/invoicing-history.ts';
import { addDays, fc, forAll, type Instant, type LocalDate, parseLocalDate } from '../support/property.ts';
import { expect, type Uuid, ZERO } from '../support/unit.ts';

const accountId = '00000000-0000-7000-8000-00000000000a' as Uuid;

/** Returns the ledger of a subscription that was billed at `today`, and whose other facts became known afterward. */
function ledgerOf(history: History, today: LocalDate): SubscriptionLedger {
  const ledger = new SubscriptionLedger({
    currency: history.currency,
    config: { prorationFixedDays: history.fixedDays },
    periodOfPhase: (planName) => history.plans.find(({ name }) => name === planName)?.period ?? null,
  });
  ledger.change(eventsOf(history, []));
  ledger.run(today);
  const facts = history.steps.flatMap((step) => (step.do === 'ADD' ? [step.fact] : []));
  const events = eventsOf(history, facts);
  const from = firstDifference(ledger.events, events);
  return from === null ? ledger : ledger.change(events, from);
}

function maxTargetDate(ledger: SubscriptionLedger, today: LocalDate): LocalDate | null {
  return ledger.items.some(({ itemType }) => itemType === 'RECURRING') ? today : null;
}

function dryRun(ledger: SubscriptionLedger, today: LocalDate, targetDate: LocalDate): readonly string[] {
  const held = maxTargetDate(ledger, today);
  const state: AccountInvoicingState = {
    accountId,
    accountRecordId: 1,
    maxTargetDate: held,
    accountCBA: ZERO,
    accountBalance: ZERO,
    version: 1,
  };
  const loaded = { ...ledger.load(held), items: ledger.billed, rows: ledger.loadWithItems(held) };
  const dueDates = ledger.cursor?.nextDueDate ?? null;
  const walk = walkToTargetDate(
    {
      state,
      subscriptions: [loaded],
      targetDate,
      currency: ledger.currency,
      config: ledger.config,
      now: (today * 86_400_000) as Instant,
      today,
      dueDates: dueDates === null ? [] : [dueDates],
    },
    countedIds(ledger.items.length),
  );
  const invoice = atOnce(unchangedWalk(walk));
  // The ledger has only the subscription; credit belongs to the account.
  return (invoice?.run.items ?? []).filter(({ itemType }) => itemType !== 'CBA_ADJ').map(line);
}

/**
 * Returns the last invoice of runs on every day up to the target date, or the invoice of the target date if it is a
 * candidate.
 */
function realRuns(ledger: SubscriptionLedger, today: LocalDate, targetDate: LocalDate): readonly string[] {
  const pending = ledger.cursor?.nextDueDate ?? null;
  const candidates = new Set([...ledger.events.map(({ localDate }) => localDate), pending]);
  let latest: readonly string[] = [];
  for (let date = today; date <= targetDate; date = addDays(date, 1)) {
    const isDue = ledger.cursor?.nextDueDate === date || candidates.has(date);
    if (!isDue && date !== targetDate) continue;
    const lines = ledger.run(date);
    if (date === targetDate && candidates.has(date)) return lines;
    latest = lines.length === 0 ? latest : lines;
  }
  return latest;
}

describe('dry run', () => {
  it('returns the invoice that the last run up to the target date would create', () => {
    forAll([histories, fc.nat(300), fc.integer({ min: 1, max: 200 })], (history, day, later) => {
      const today = addDays(parseLocalDate(history.start), day);
      const targetDate = addDays(today, later);
      const ledger = ledgerOf(history, today);
      // Without recurring charges, the walk may start at dates in the past, which this test does not compare.
      if (maxTargetDate(ledger, today) === null) return;
      const predicted = dryRun(ledger, today, targetDate);
      expect(predicted).to.eql(realRuns(ledger, addDays(today, 1), targetDate));
    });
  }).timeout(0);
});
