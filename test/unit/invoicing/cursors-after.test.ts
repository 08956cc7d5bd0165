import { expect } from 'chai';
import { cursorsAfter } from '../../../lib/invoicing/cursors-after.ts';
import type { SubscriptionBilling } from '../../../lib/invoicing/evaluate-subscription.ts';
import { evaluateAccount } from '../../../lib/invoicing/invoice-run.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/invoicing-config.ts';
import type { AccountInvoicingState, StoredCursor } from '../../../lib/invoicing/model.ts';
import { ZERO } from '../../../lib/money/index.ts';
import { account, cursor, newId, ownerOf } from '../../storage/records.ts';
import { day, event } from './billing-events.ts';
import { countedIds } from './subscription-ledger.ts';

const acme = { ...account({}), recordId: 7 };
const owner = ownerOf(acme);
const targetDate = day('2024-01-15');

/** Billed monthly since 2024-01-01; due but for what its cursor says. */
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

  it('stay in the rows that they were read from, evaluated or noted only; those of new subscriptions have none', () => {
    const evaluated = stored(21, {});
    const noted = stored(23, { dirtyFrom: null, settledThrough: targetDate, catalogRevision: 1 });
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
        account: acme,
        subscriptions,
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
      after.map(({ recordId, catalogRevision, itemsCount }) => ({ recordId, catalogRevision, itemsCount })),
    ).to.deep.equal([
      { recordId: 21, catalogRevision: 2, itemsCount: 3 },
      { recordId: undefined, catalogRevision: 2, itemsCount: 3 },
      { recordId: 23, catalogRevision: 2, itemsCount: 0 },
    ]);
  });
});
