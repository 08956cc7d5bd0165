import {
  type AccountedInvoice,
  accountBalancesAfter,
  amountsAfterPayment,
  balanceOf,
  type CountedItem,
  type CountedPayment,
  invoiceAmounts,
  isUnpaid,
} from '../../../lib/invoicing/invoices/invoice-amounts.ts';
import type { InvoiceAmounts } from '../../../lib/records/invoice.ts';
import type { InvoiceItemType } from '../../../lib/records/invoice-item-types.ts';
import { decimal, expect, formatDecimal, ZERO } from '../../support/unit.ts';

const item = (itemType: InvoiceItemType, amount: string): CountedItem => ({
  itemType,
  amount: decimal(amount),
});
const payment = (
  type: CountedPayment['type'],
  amount: string,
  status: CountedPayment['status'] = 'SUCCESS',
): CountedPayment => ({ type, amount: decimal(amount), status });

/** Returns amount, creditAdj, refundAdj and rawBalance. */
function numbers({ amount, creditAdj, refundAdj, rawBalance }: InvoiceAmounts): readonly string[] {
  return [amount, creditAdj, refundAdj, rawBalance].map(formatDecimal);
}

describe('invoice amounts', () => {
  it('count used credit separately', () => {
    const amounts = invoiceAmounts([item('RECURRING', '249.95'), item('CBA_ADJ', '-50.05')]);
    expect(numbers(amounts)).to.eql(['249.95', '-50.05', '0', '199.9']);
  });

  it('include repairs, adjustments, taxes and usage', () => {
    const types = ['EXTERNAL_CHARGE', 'FIXED', 'RECURRING', 'USAGE', 'TAX', 'PARENT_SUMMARY'] as const;
    const amounts = invoiceAmounts([
      ...types.map((type) => item(type, '1.00')),
      item('REPAIR_ADJ', '-0.25'),
      item('ITEM_ADJ', '-0.50'),
    ]);
    expect(numbers(amounts)).to.eql(['5.25', '0', '0', '5.25']);
  });

  it('are 0 for an invoice with only credit, but not for an invoice with credit and other items', () => {
    const credit = [item('CREDIT_ADJ', '-300'), item('CBA_ADJ', '300')];
    expect(numbers(invoiceAmounts(credit))).to.eql(['0', '300', '0', '0']);
    expect(numbers(invoiceAmounts([...credit, item('RECURRING', '10')]))).to.eql(['-290', '300', '0', '10']);
    expect(numbers(invoiceAmounts([item('CREDIT_ADJ', '-300'), item('CBA_ADJ', '200')]))).to.eql([
      '-300',
      '200',
      '0',
      '-100',
    ]);
  });

  it('include successful payments, and refunds as negative payments', () => {
    const items = [item('RECURRING', '100')];
    const paid = invoiceAmounts(items, [payment('ATTEMPT', '100')]);
    expect(numbers(paid)).to.eql(['100', '0', '0', '0']);
    expect(numbers(amountsAfterPayment(paid, payment('REFUND', '-40')))).to.eql(['100', '0', '-40', '40']);
    expect(numbers(amountsAfterPayment(paid, payment('CHARGED_BACK', '-100')))).to.eql([
      '100',
      '0',
      '-100',
      '100',
    ]);
    const open = invoiceAmounts(items, [
      payment('ATTEMPT', '100', 'PENDING'),
      payment('ATTEMPT', '100', 'INIT'),
    ]);
    expect(numbers(open)).to.eql(['100', '0', '0', '100']);
  });
});

describe('balances', () => {
  const owed: AccountedInvoice = {
    status: 'COMMITTED',
    isMigration: false,
    isWrittenOff: false,
    rawBalance: decimal('100'),
    creditAdj: ZERO,
  };

  it('are 0 for an invoice that is uncommitted, written off, migrated or settled by its parent', () => {
    expect(formatDecimal(balanceOf(owed))).to.equal('100');
    expect(isUnpaid(owed)).to.equal(true);
    for (const change of [
      { status: 'DRAFT' },
      { status: 'VOID' },
      { isWrittenOff: true },
      { isMigration: true },
    ] as const) {
      expect(formatDecimal(balanceOf({ ...owed, ...change }))).to.equal('0');
      expect(isUnpaid({ ...owed, ...change })).to.equal(false);
    }
    expect(formatDecimal(balanceOf(owed, ZERO))).to.equal('0');
    expect(formatDecimal(balanceOf(owed, decimal('70')))).to.equal('100');
  });

  it('determine the balance of the account after each change to the invoice', () => {
    const empty = { accountBalance: ZERO, accountCBA: ZERO };
    const show = (state: typeof empty) => [state.accountBalance, state.accountCBA].map(formatDecimal);
    const billed = accountBalancesAfter(empty, { before: null, after: owed });
    expect(show(billed)).to.eql(['100', '0']);
    const paid = accountBalancesAfter(billed, { before: owed, after: { ...owed, rawBalance: ZERO } });
    expect(show(paid)).to.eql(['0', '0']);
    const credit: AccountedInvoice = { ...owed, rawBalance: ZERO, creditAdj: decimal('300') };
    const credited = accountBalancesAfter(billed, { before: null, after: credit });
    expect(show(credited)).to.eql(['-200', '300']);
    const draft = accountBalancesAfter(billed, { before: null, after: { ...owed, status: 'DRAFT' } });
    expect(show(draft)).to.eql(['100', '0']);
    const writtenOff = accountBalancesAfter(credited, {
      before: credit,
      after: { ...credit, isWrittenOff: true },
    });
    expect(show(writtenOff)).to.eql(['-200', '300']);
  });
});
