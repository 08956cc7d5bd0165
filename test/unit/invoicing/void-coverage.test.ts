import { billedTwice, releaseCoverage } from '../../../lib/invoicing/reconciliation/coverage.ts';
import type { CoverageRow } from '../../../lib/records/coverage.ts';
import type { InvoiceItem } from '../../../lib/records/invoice-item.ts';
import type { InvoiceItemType } from '../../../lib/records/invoice-item-types.ts';
import { formatLocalDate, instant, parseLocalDate } from '../../../lib/values/time/index.ts';
import { type Currency, decimal, expect, formatDecimal, type Uuid } from '../../support/unit.ts';

const USD = 'USD' as Currency;
const SUBSCRIPTION = 'subscription' as Uuid;

function item(
  id: string,
  itemType: InvoiceItemType,
  [start, end, amount, more = {}]: readonly [string, string | null, string, Partial<InvoiceItem>?],
): InvoiceItem {
  const isRepair = itemType === 'REPAIR_ADJ';
  return {
    recordId: 1,
    id: id as Uuid,
    invoiceId: 'invoice' as Uuid,
    accountId: 'account' as Uuid,
    accountRecordId: 1,
    itemType,
    childAccountId: null,
    bundleId: null,
    subscriptionId: isRepair ? null : SUBSCRIPTION,
    productName: null,
    planName: isRepair ? null : 'plan',
    phaseName: isRepair ? null : 'phase',
    usageName: null,
    description: null,
    startDate: parseLocalDate(start),
    endDate: end === null ? null : parseLocalDate(end),
    amount: decimal(amount),
    rate: isRepair ? null : decimal('31'),
    listRate: null,
    discounts: null,
    currency: USD,
    quantity: null,
    linkedItemId: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    taxRate: null,
    taxCategory: null,
    taxExemption: null,
    repairable: decimal(amount),
    createdDate: instant(0),
    ...more,
  };
}

const lines = (rows: readonly CoverageRow[]) =>
  rows.map(
    ({ kind, startDate, endDate, amount }) =>
      `${kind} ${formatLocalDate(startDate)} ${endDate && formatLocalDate(endDate)} ${formatDecimal(amount)}`,
  );

describe('coverage of a void invoice', () => {
  const billed = item('a', 'RECURRING', ['2024-01-01', '2024-02-01', '31', { repairable: decimal('11') }]);
  const repair = (start: string, end: string, amount: string) =>
    item(`repair ${start}`, 'REPAIR_ADJ', [start, end, amount, { linkedItemId: billed.id }]);
  const first = repair('2024-01-06', '2024-01-16', '-10');
  const second = repair('2024-01-22', '2024-02-01', '-10');

  it('excludes the charges of the invoice, so that the charged days are evaluated again', () => {
    const fixed = item('f', 'FIXED', ['2024-01-01', null, '5']);
    const credit = item('c', 'CBA_ADJ', ['2024-01-01', '2024-01-01', '-3', { subscriptionId: null }]);
    const released = releaseCoverage({
      items: [fixed, billed, credit],
      repaired: [],
      otherRepairs: [],
      currency: USD,
    });
    expect(released.itemIds).to.eql(['f', 'a']);
    expect([released.rows, released.repairable]).to.eql([[], []]);
    expect(released.touched.map(({ date }) => formatLocalDate(date))).to.eql(['2024-01-01', '2024-01-01']);
  });

  it('restores the days that the invoice repaired, with their full amount', () => {
    const released = releaseCoverage({
      items: [first, second],
      repaired: [billed],
      otherRepairs: [],
      currency: USD,
    });
    expect(lines(released.rows)).to.eql(['RECURRING 2024-01-01 2024-02-01 31']);
    expect(released.repairable.map(({ repairable }) => formatDecimal(repairable))).to.eql(['31']);
    expect(released.touched.map(({ date }) => formatLocalDate(date))).to.eql(['2024-01-06', '2024-01-22']);
  });

  it('keeps days repaired by other invoices, in any order of repairs', () => {
    const released = releaseCoverage({
      items: [first],
      repaired: [billed],
      otherRepairs: [second, repair('2024-01-01', '2024-01-03', '-2')],
      currency: USD,
    });
    expect(lines(released.rows)).to.eql(['RECURRING 2024-01-03 2024-01-22 19']);
    expect(released.repairable.map(({ repairable }) => formatDecimal(repairable))).to.eql(['21']);
  });

  it('contains no row for an item fully repaired by other invoices', () => {
    const released = releaseCoverage({
      items: [first],
      repaired: [billed],
      otherRepairs: [repair('2024-01-01', '2024-02-01', '-11')],
      currency: USD,
    });
    expect([released.itemIds, released.rows]).to.eql([['a'], []]);
  });

  it('excludes days that another row of the subscription now bills', () => {
    const { rows } = releaseCoverage({ items: [first], repaired: [billed], otherRepairs: [], currency: USD });
    const row = (start: string, end: string, more: Partial<CoverageRow> = {}): CoverageRow => ({
      kind: 'RECURRING',
      subscriptionId: SUBSCRIPTION,
      itemId: 'b' as Uuid,
      startDate: parseLocalDate(start),
      endDate: parseLocalDate(end),
      planName: 'plan',
      phaseName: 'phase',
      rate: decimal('31'),
      amount: decimal('1'),
      ...more,
    });
    expect(billedTwice(rows, [row('2024-02-01', '2024-03-01'), row('2023-12-01', '2024-01-01')])).to.equal(
      undefined,
    );
    expect(billedTwice(rows, [row('2024-01-31', '2024-02-02')])).to.equal(rows[0]);
    const elsewhere = row('2024-01-10', '2024-01-11', { subscriptionId: 'other' as Uuid });
    const free = row('2024-01-10', '2024-01-11', { kind: 'FREE' });
    expect(billedTwice(rows, [elsewhere, free])).to.equal(undefined);
  });
});
