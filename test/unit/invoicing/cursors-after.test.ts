import { cursorsAfter, evaluateAccount } from '../../../lib/invoicing/evaluation/evaluate-account.ts';
import type { SubscriptionBilling } from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import type { StoredCursor } from '../../../lib/records/cursor.ts';
import type { AccountInvoicingState } from '../../../lib/records/invoice.ts';
import { day, event } from '../../support/invoicing/billing-events.ts';
import { countedIds } from '../../support/invoicing/subscription-ledger.ts';
import { account, cursor, newId, ownerOf } from '../../support/storage/stored-records.ts';
import { expect, ZERO } from '../../support/unit.ts';

const acme = { ...account({}), recordId: 7 };
const owner = ownerOf(acme);
const targetDate = day('2024-01-15');

/** A subscription billed monthly since 2024-01-01, which is due unless its cursor prevents it. */
function subscription(read: StoredCursor | null): SubscriptionBilling {
  const subscriptionId = read?.subscriptionId ?? newId();
  return {
    subscriptionId,
    events: [{ ...event('CREATE', '2024-01-01', { price: '10', bcd: 1 }), subscriptionId }],
    cursor: read,
    rows: [],
    items: new Map(),
    itemsCreatedToday: 2,
  };
}

describe('cursors after a run', () => {
  const stored = (recordId: number, changes: Partial<StoredCursor>): StoredCursor => ({
    ...cursor(owner, changes),
    recordId,
  });

  it('are written to their original rows, and are empty for new subscriptions', () => {
    const evaluated = stored(21, {});
    const charge = { event: event('CREATE', '2024-01-01', { price: '10', bcd: 1 }) };
    const settled = { dirtyFrom: null, settledThrough: targetDate, catalogRevision: 1 };
    const noted = stored(23, { ...settled, ongoing: charge });
    const subscriptions = [subscription(evaluated), subscription(noted), subscription(null)];
    const state: AccountInvoicingState = {
      ...owner,
      maxTargetDate: null,
      accountCBA: ZERO,
      accountBalance: ZERO,
      version: 0,
    };
    const run = evaluateAccount(
      { state, subscriptions, targetDate, currency: 'USD', config: DEFAULT_INVOICING_CONFIG },
      countedIds(),
    );
    const after = cursorsAfter(
      {
        account: { ...acme, billCycleDayLocal: 1 },
        subscriptions,
        billedAlone: new Set([evaluated.subscriptionId]),
        targetDate,
        runDate: targetDate,
        state,
        behind: [evaluated, noted],
        catalogRevision: 2,
        newBillCycleDay: null,
        skipped: [],
      },
      run,
    );
    expect(
      after.map(({ recordId, catalogRevision, itemsCount, ongoing }) => [
        recordId,
        catalogRevision,
        itemsCount,
        ongoing?.event.subscriptionId,
      ]),
    ).to.eql([
      [21, 2, 3, evaluated.subscriptionId],
      [undefined, 2, 3, undefined],
      [23, 2, 0, undefined],
    ]);
  });
});
