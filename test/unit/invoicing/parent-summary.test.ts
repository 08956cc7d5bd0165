import {
  creditableOf,
  creditStandIn,
  effectsOnCommitted,
  joinSummary,
  parentCommitTime,
} from '../../../lib/invoicing/invoices/parent-summary.ts';
import type { Invoice } from '../../../lib/records/invoice.ts';
import { formatInstant } from '../../../lib/values/time/index.ts';
import { at as instantOf, invoice } from '../../support/payments/payment-records.ts';
import { type Currency, decimal, expect, formatDecimal, type Uuid } from '../../support/unit.ts';

const of = (rawBalance: string, more: Partial<Invoice> = {}): Invoice =>
  invoice({ rawBalance: decimal(rawBalance), contributedAmount: decimal('0'), ...more });
const newly = (made: Invoice, hasCharge = false, isNew = true) => ({ invoice: made, hasCharge, isNew });

describe('child invoice summary (invoicing §12)', () => {
  describe('summary of a parent (rule 1)', () => {
    const currency = 'USD' as Currency;
    for (const [what, [child, open, joins]] of Object.entries({
      'is opened by an invoice with an amount': [newly(of('5')), null, true],
      'is opened by a zero charge': [newly(of('0'), true), null, true],
      'is not opened by a pure credit': [newly(of('0')), null, false],
      'includes a pure credit once it is open': [newly(of('0')), { currency }, true],
      'excludes an invoice with only later changes': [newly(of('5'), true, false), { currency }, false],
      'excludes an invoice that is already linked': [
        newly(of('5', { parentInvoiceId: 'p' as Uuid })),
        { currency },
        false,
      ],
      'excludes an invoice voided in the meantime': [newly(of('5', { status: 'VOID' })), { currency }, false],
      'excludes an invoice in another currency': [
        newly(of('5', { currency: 'EUR' as Currency })),
        { currency },
        false,
      ],
    } as const))
      it(what, () => {
        const { opens, joining } = joinSummary([child], open);
        expect([opens, joining.length]).to.eql([joins && open === null, joins ? 1 : 0]);
      });

    it('is opened by the first child and joined by the other children', () => {
      const { opens, joining } = joinSummary([newly(of('0')), newly(of('5')), newly(of('0'))], null);
      expect([opens, joining.length]).to.eql([true, 2]);
    });
  });

  describe('committed summary (rules 4 and 5)', () => {
    const linked = of('3', { contributedAmount: decimal('10') });
    const effects = (summary: Partial<Invoice>, child = linked) => {
      const { decreases, credited } = effectsOnCommitted(of('10', { status: 'COMMITTED', ...summary }), [
        child,
      ]);
      return [decreases.map(({ amount }) => formatDecimal(amount)), credited.length];
    };
    it('decreases with the child invoice until the parent pays', () =>
      expect(effects({})).to.eql([['7'], 0]));
    it('turns a decrease into credit for the child once the parent has paid', () =>
      expect(effects({ rawBalance: decimal('0') })).to.eql([[], 1]));
    it('ignores an increase in the child invoice amount', () =>
      expect(effects({}, of('12', { contributedAmount: decimal('10') }))).to.eql([[], 0]));
    it('treats a void child invoice as zero', () =>
      expect(effects({}, of('3', { status: 'VOID', contributedAmount: decimal('10') }))).to.eql([['10'], 0]));
    it('ignores every change after it is voided', () => expect(effects({ status: 'VOID' })).to.eql([[], 0]));
  });

  describe('linked invoice (rule 10.5)', () => {
    const child = of('3', { contributedAmount: decimal('10') });
    const seen = (summary: Partial<Invoice>, own = child) => {
      const standIn = creditStandIn(own, of('10', summary));
      return standIn === null ? null : formatDecimal(standIn);
    };
    it('allows credit equal to the balance of the invoice while the summary is a draft', () =>
      expect(seen({ status: 'DRAFT' })).to.equal(null));
    it('allows no credit while the parent owes the summary', () =>
      expect(seen({ status: 'COMMITTED' })).to.equal('0'));
    it('allows credit equal to the decrease once the parent has paid', () =>
      expect(seen({ status: 'COMMITTED', rawBalance: decimal('0') })).to.equal('-7'));
    it('allows used credit to be credited, regardless of payments', () => {
      const own = of('-2', { contributedAmount: decimal('10') });
      expect(seen({ status: 'COMMITTED' }, own)).to.equal('-2');
      expect(seen({ status: 'VOID' }, own)).to.equal('-2');
      expect(seen({ status: 'COMMITTED', rawBalance: decimal('0') }, own)).to.equal('-12');
    });
    it('limits the credit to the creditable amount of the invoice', () => {
      const paid = of('10', { status: 'COMMITTED', rawBalance: decimal('0') });
      const seenWith = (creditable: string) => {
        const standIn = creditStandIn(child, paid, decimal(creditable));
        return standIn === null ? null : formatDecimal(standIn);
      };
      expect(['0', '5', '7', '8'].map(seenWith)).to.eql(['0', '-5', '-7', '-7']);
    });
    it('limits the credit to the remainder of the parent item, minus the credit that the child already has', () => {
      const cba = (amount: string) => ({ itemType: 'CBA_ADJ', amount: decimal(amount) }) as const;
      const charge = { itemType: 'EXTERNAL_CHARGE', amount: decimal('9') } as const;
      type Items = Parameters<typeof creditableOf>[1][number]['items'];
      const left = (repairable: string, ...linked: readonly Items[]) => {
        const contributing = linked.map((items) => ({ invoice: child, items }));
        return formatDecimal(creditableOf({ repairable: decimal(repairable) }, contributing));
      };
      expect(left('20')).to.equal('20');
      expect(left('20', [charge, cba('-5'), cba('3')])).to.equal('17');
      expect(left('2', [cba('3')])).to.equal('0');
      expect(left('30', [cba('3')], [cba('12')]), 'of 12, 2 were given to the child before').to.equal('17');
      expect(formatDecimal(creditableOf(undefined, []))).to.equal('0');
    });
    it('ignores an increase in the invoice amount', () =>
      expect(seen({ rawBalance: decimal('0') }, of('11', { contributedAmount: decimal('10') }))).to.equal(
        '0',
      ));
    it('allows credit equal to the balance of the invoice when a transfer of credit created the link', () =>
      expect(seen({}, of('3', { contributedAmount: null }))).to.equal(null));
  });

  describe('commit time of a summary (rule 3)', () => {
    for (const [now, timeOfDay, at] of [
      ['2025-02-03T10:00:00Z', 86_399_999, '2025-02-03T23:59:59.999Z'],
      ['2025-02-03T23:59:59Z', 86_399_999, '2025-02-03T23:59:59.999Z'],
      ['2025-02-03T10:00:00Z', 34_200_000, '2025-02-04T09:30:00.000Z'],
      ['2025-02-03T09:30:00Z', 34_200_000, '2025-02-04T09:30:00.000Z'],
    ] as const)
      it(`is ${at} for a summary created at ${now}`, () =>
        expect(formatInstant(parentCommitTime(instantOf(now), timeOfDay))).to.equal(at));
  });
});
