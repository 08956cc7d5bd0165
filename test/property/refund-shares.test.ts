import { checkRefundable, refundShare } from '../../lib/payments/state/invoice-remainder.ts';
import type { InvoicePayment, PaymentTransaction } from '../../lib/records/index.ts';
import { attemptRow, nextId, PAYMENT_ID, transaction } from '../support/payments/payment-records.ts';
import { currencyCodes, Decimal, fc, forAll, formatDecimal, minorUnits, sum } from '../support/property.ts';
import { BillingError, type Currency, expect, type Money } from '../support/unit.ts';

const currencies = fc.constantFrom(...currencyCodes);
/** In thousandths. */
const parts = fc.integer({ min: 0, max: 1000 }).map((part) => part / 1000);
const units = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000_000 }));

/** A payment in one currency that settled an amount of its invoice in another currency, and the refunded parts. */
const stories = fc
  .record({
    invoice: currencies,
    payment: currencies,
    settled: units,
    taken: units,
    parts: fc.array(parts, { maxLength: 8 }),
    elsewhere: fc.option(parts, { nil: null }),
  })
  .filter(({ invoice, payment }) => invoice !== payment);

const inUnits = (count: number, currency: Currency) =>
  new Decimal(10).pow(-minorUnits(currency)).times(count);

/** The rows that successive refunds of these amounts create. */
class Ledger {
  readonly #paid: InvoicePayment;
  readonly #currency: Currency;
  readonly #rows: InvoicePayment[] = [];
  readonly #transactions: PaymentTransaction[];

  constructor(settled: Money, taken: Money) {
    this.#currency = taken.currency;
    this.#paid = attemptRow({ status: 'SUCCESS', ...settled, paymentId: PAYMENT_ID });
    this.#transactions = [transaction(taken)];
  }

  refund(amount: Decimal): boolean {
    const of = { paid: this.#paid, rows: this.#rows, transactions: this.#transactions };
    try {
      checkRefundable({ amount, currency: this.#currency }, of);
    } catch (error) {
      if (error instanceof BillingError) return false;
      throw error;
    }
    const made = transaction({ transactionType: 'REFUND', amount, currency: this.#currency });
    const share = refundShare(amount, of);
    expect(share.isNegative()).to.equal(false);
    this.#transactions.push(made);
    this.#add({ type: 'REFUND', amount: share.negated(), transactionExternalKey: made.externalKey });
    return true;
  }

  dispute(amount: Decimal): void {
    this.#add({ type: 'CHARGED_BACK', amount: amount.negated(), transactionExternalKey: nextId() });
  }

  #add(members: Partial<InvoicePayment>): void {
    const { currency, id } = this.#paid;
    const row = { status: 'SUCCESS', currency, linkedInvoicePaymentId: id, paymentId: PAYMENT_ID } as const;
    this.#rows.push(attemptRow({ ...row, ...members }));
  }

  get back(): Decimal {
    return sum(this.#rows.map(({ amount }) => amount)).negated();
  }
}

describe('refunds of a payment in a currency other than its invoice’s', () => {
  it('reduce the settled amount in proportion, and to exactly 0 once the payment is fully refunded', () =>
    forAll([stories], ({ invoice, payment, settled, taken, parts }) => {
      const most = inUnits(settled, invoice);
      const ledger = new Ledger(
        { amount: most, currency: invoice },
        { amount: inUnits(taken, payment), currency: payment },
      );
      let left = taken;
      for (const part of [...parts, 1]) {
        const given = part === 1 ? left : Math.floor(left * part);
        if (given === 0) continue;
        expect(ledger.refund(inUnits(given, payment))).to.equal(true);
        left -= given;
        expect(ledger.back.lessThanOrEqualTo(most)).to.equal(true);
      }
      expect(left).to.equal(0);
      expect(formatDecimal(ledger.back)).to.equal(formatDecimal(most));
      expect(ledger.refund(inUnits(1, payment))).to.equal(false);
    }));

  it('never exceed the settled amount, even if the payment is also disputed', () =>
    forAll([stories], ({ invoice, payment, settled, taken, parts, elsewhere }) => {
      const most = inUnits(settled, invoice);
      const ledger = new Ledger(
        { amount: most, currency: invoice },
        { amount: inUnits(taken, payment), currency: payment },
      );
      for (const [index, part] of [...parts, 1].entries()) {
        if (index === 1 && elsewhere !== null) {
          const left = most.minus(ledger.back);
          ledger.dispute(left.times(elsewhere).toDecimalPlaces(minorUnits(invoice), Decimal.ROUND_DOWN));
        }
        ledger.refund(inUnits(Math.max(1, Math.floor(taken * part)), payment));
        expect(ledger.back.lessThanOrEqualTo(most)).to.equal(true);
      }
    }));
});
