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

describe('invoicing 12: summaries of children', () => {
  describe('rule 1', () => {
    const currency = 'USD' as Currency;
    for (const [what, child, open, joins] of [
      ['an amount opens one', newly(of('5')), null, true],
      ['nothing charged opens one', newly(of('0'), true), null, true],
      ['a pure credit opens none', newly(of('0')), null, false],
      ['a pure credit joins one', newly(of('0')), { currency }, true],
      ['what has only changed joins none', newly(of('5'), true, false), { currency }, false],
      [
        'what is linked is not linked again',
        newly(of('5', { parentInvoiceId: 'p' as Uuid })),
        { currency },
        false,
      ],
      ['what was voided meanwhile joins none', newly(of('5', { status: 'VOID' })), { currency }, false],
      ['another currency joins none', newly(of('5', { currency: 'EUR' as Currency })), { currency }, false],
    ] as const)
      it(`the summary of a parent: ${what}`, () => {
        const { opens, joining } = joinSummary([child], open);
        expect([opens, joining.length]).to.deep.equal([joins && open === null, joins ? 1 : 0]);
      });

    it('of several at once those after the one that opens it join it', () => {
      const { opens, joining } = joinSummary([newly(of('0')), newly(of('5')), newly(of('0'))], null);
      expect([opens, joining.length]).to.deep.equal([true, 2]);
    });
  });

  describe('rules 4 and 5', () => {
    const linked = of('3', { contributedAmount: decimal('10') });
    const effects = (summary: Partial<Invoice>, child = linked) => {
      const { decreases, credited } = effectsOnCommitted(of('10', { status: 'COMMITTED', ...summary }), [
        child,
      ]);
      return [decreases.map(({ amount }) => formatDecimal(amount)), credited.length];
    };
    it('an unpaid summary follows a decrease', () => expect(effects({})).to.deep.equal([['7'], 0]));
    it('of a paid one it is credit of the child', () =>
      expect(effects({ rawBalance: decimal('0') })).to.deep.equal([[], 1]));
    it('an increase is not forwarded', () =>
      expect(effects({}, of('12', { contributedAmount: decimal('10') }))).to.deep.equal([[], 0]));
    it('what is void comes to nothing', () =>
      expect(effects({}, of('3', { status: 'VOID', contributedAmount: decimal('10') }))).to.deep.equal([
        ['10'],
        0,
      ]));
    it('a summary that is void follows nothing', () =>
      expect(effects({ status: 'VOID' })).to.deep.equal([[], 0]));
  });

  describe('rule 10.5: what credit sees of a linked invoice', () => {
    const child = of('3', { contributedAmount: decimal('10') });
    const seen = (summary: Partial<Invoice>, own = child) => {
      const standIn = creditStandIn(own, of('10', summary));
      return standIn === null ? null : formatDecimal(standIn);
    };
    it('its own balance while the summary is a draft', () =>
      expect(seen({ status: 'DRAFT' })).to.equal(null));
    it('nothing while the parent owes it', () => expect(seen({ status: 'COMMITTED' })).to.equal('0'));
    it('the decrease once the parent has paid', () =>
      expect(seen({ status: 'COMMITTED', rawBalance: decimal('0') })).to.equal('-7'));
    it('and what was used on it of credit that the child was given, whether anybody has paid or not', () => {
      const own = of('-2', { contributedAmount: decimal('10') });
      expect(seen({ status: 'COMMITTED' }, own)).to.equal('-2');
      expect(seen({ status: 'VOID' }, own)).to.equal('-2');
      expect(seen({ status: 'COMMITTED', rawBalance: decimal('0') }, own)).to.equal('-12');
    });
    it('no more of it than may become credit', () => {
      const paid = of('10', { status: 'COMMITTED', rawBalance: decimal('0') });
      const seenWith = (creditable: string) => {
        const standIn = creditStandIn(child, paid, decimal(creditable));
        return standIn === null ? null : formatDecimal(standIn);
      };
      expect(['0', '5', '7', '8'].map(seenWith)).to.deep.equal(['0', '-5', '-7', '-7']);
    });
    it('what may is left of the item of the parent, without what the child has got already', () => {
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
    it('no increase', () =>
      expect(seen({ rawBalance: decimal('0') }, of('11', { contributedAmount: decimal('10') }))).to.equal(
        '0',
      ));
    it('its own balance where it was linked by a transfer of credit', () =>
      expect(seen({}, of('3', { contributedAmount: null }))).to.equal(null));
  });

  describe('rule 3: the time of the commit', () => {
    for (const [now, timeOfDay, at] of [
      ['2025-02-03T10:00:00Z', 86_399_999, '2025-02-03T23:59:59.999Z'],
      ['2025-02-03T23:59:59Z', 86_399_999, '2025-02-03T23:59:59.999Z'],
      ['2025-02-03T10:00:00Z', 34_200_000, '2025-02-04T09:30:00.000Z'],
      ['2025-02-03T09:30:00Z', 34_200_000, '2025-02-04T09:30:00.000Z'],
    ] as const)
      it(`the commit of a summary made at ${now} is due at ${at}`, () =>
        expect(formatInstant(parentCommitTime(instantOf(now), timeOfDay))).to.equal(at));
  });
});
