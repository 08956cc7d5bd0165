import { assertItemBounds } from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import type { NewInvoiceItem } from '../../../lib/invoicing/invoices/new-item.ts';
import type { BilledItem } from '../../../lib/invoicing/reconciliation/coverage.ts';
import { decimal, ZERO } from '../../../lib/values/money/index.ts';
import { day, event, subscriptionId } from '../../support/invoicing/billing-events.ts';
import { SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';
import { BillingError, ErrorCode, expect, InvariantError, type Uuid } from '../../support/unit.ts';

const itemId = '00000000-0000-7000-9000-0000000000ff' as Uuid;
const billed: BilledItem = {
  id: itemId,
  startDate: day('2024-01-01'),
  endDate: day('2024-02-01'),
  amount: decimal('31'),
  repairable: decimal('31'),
};

/** `dates`: start and end; `-` = no end date. */
function item(itemType: NewInvoiceItem['itemType'], dates: string, amount: string): NewInvoiceItem {
  const [start = '', end = '-'] = dates.split(' ');
  const isRepair = itemType === 'REPAIR_ADJ';
  return {
    id: itemId,
    itemType,
    startDate: day(start),
    endDate: end === '-' ? null : day(end),
    amount: decimal(amount),
    subscriptionId: isRepair ? null : subscriptionId,
    linkedItemId: isRepair ? itemId : null,
    childAccountId: null,
    bundleId: null,
    productName: null,
    planName: null,
    phaseName: null,
    usageName: null,
    description: null,
    rate: null,
    listRate: null,
    discounts: null,
    quantity: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    taxRate: null,
    taxCategory: null,
    taxExemption: null,
    repairable: ZERO,
  };
}

function check(
  items: readonly NewInvoiceItem[],
  bounds: { maxDailyItems?: number; today?: number; sanity?: boolean } = {},
) {
  const { maxDailyItems = 15, today = 0, sanity = true } = bounds;
  assertItemBounds({
    items,
    subscription: { subscriptionId, itemsCreatedToday: today, items: new Map([[itemId, billed]]) },
    config: { sanitySafetyBoundEnabled: sanity, maxDailyItems },
  });
}

const refused = (items: readonly NewInvoiceItem[], message: string, bounds = {}) =>
  expect(() => check(items, bounds)).to.throw(InvariantError, message);

/**
 * Expects the error of an exceeded bound, which is not an illegal state: it names the bound and both ways to exceed it
 * (invoicing §8.4).
 */
function exceeded(work: () => unknown, bound: string): void {
  const ways = `org.service.invoice.${bound}. Start a run with acceptBounds=true to exceed it once`;
  expect(work).to.throw(BillingError, ways).with.property('code', ErrorCode.INVOICE_BOUND_EXCEEDED);
}

describe('safety bounds', () => {
  const fee = item('FIXED', '2024-01-01 -', '5');
  const january = item('RECURRING', '2024-01-01 2024-02-01', '31');

  it('accept the result of a normal run', () => {
    check([fee, january, item('RECURRING', '2024-02-01 2024-03-01', '31')]);
    check([
      item('REPAIR_ADJ', '2024-01-01 2024-01-11', '-10'),
      item('REPAIR_ADJ', '2024-01-11 2024-02-01', '-21'),
    ]);
  });

  it('reject two fixed items on one date, unless the check is off', () => {
    exceeded(() => check([fee, fee]), 'sanitySafetyBoundEnabled');
    check([fee, fee], { sanity: false });
  });

  it('reject overlapping or empty recurring items', () => {
    refused([january, january], 'overlap');
    refused([january, item('RECURRING', '2024-01-31 2024-03-01', '31')], 'overlap');
    refused([item('RECURRING', '2024-01-31 2024-01-31', '31')], 'empty');
  });

  it('reject more items per day than the limit, including older items, unless the limit is −1', () => {
    check([january], { maxDailyItems: 3, today: 2 });
    const bound = 'maxDailyNumberOfItemsSafetyBound';
    exceeded(() => check([january], { maxDailyItems: 3, today: 3 }), bound);
    check([january], { maxDailyItems: -1, today: 99 });
    const ledger = new SubscriptionLedger({ config: { maxDailyItems: 15 } });
    ledger.change([event('CREATE', '2022-01-01', { price: '10' })]);
    exceeded(() => ledger.run('2023-04-01'), bound);
    expect(ledger.run('2023-03-01')).to.have.length(15);
  });

  it('reject repairs that exceed the item, extend beyond its period or overlap', () => {
    refused([item('REPAIR_ADJ', '2024-01-01 2024-02-01', '-31.01')], 'beyond its amount');
    refused([item('REPAIR_ADJ', '2024-01-01 2024-02-01', '1')], 'beyond its amount');
    refused([item('REPAIR_ADJ', '2024-01-15 2024-02-02', '-1')], 'outside its item');
    refused(
      [item('REPAIR_ADJ', '2024-01-01 2024-01-11', '-1'), item('REPAIR_ADJ', '2024-01-10 2024-01-20', '-1')],
      'overlap',
    );
  });

  it('reject overlapping coverage rows', () => {
    const ledger = new SubscriptionLedger().change([event('CREATE', '2024-01-01', { price: '10' })]);
    ledger.run('2024-01-01');
    ledger.rows = [...ledger.rows, ...ledger.rows];
    expect(() => ledger.run('2024-02-01')).to.throw(InvariantError, 'overlap or are empty');
  });
});
