import type { AccountCreditInput, CreditedInvoice } from '../../../lib/invoicing/credit/apply-credit.ts';
import { applyAccountCredit, spendsCredit, UNNUMBERED } from '../../../lib/invoicing/credit/apply-credit.ts';
import { decimal, expect, fc, forAll, localDate, sum, type Uuid } from '../../support/property.ts';

type Members = Partial<Omit<CreditedInvoice, 'id' | 'rawBalance'>> & { readonly day?: number };

function invoice(name: string, rawBalance: string, members: Members = {}): CreditedInvoice {
  const { day = 1, ...others } = members;
  return {
    id: name as Uuid,
    status: 'COMMITTED',
    isMigration: false,
    isWrittenOff: false,
    rawBalance: decimal(rawBalance),
    invoiceDate: localDate(2024, 1, day),
    invoiceNumber: Number(name.replace(/\D/g, '')) || UNNUMBERED,
    ...others,
  };
}

function applied(input: Partial<AccountCreditInput> & { readonly of: string }) {
  const { of, ...members } = input;
  const moves = applyAccountCredit({
    candidates: [],
    unpaid: [],
    withheld: new Set(),
    ...members,
    credit: decimal(of),
  });
  return moves.map(({ invoiceId, amount }) => `${invoiceId} ${amount.toFixed()}`);
}

describe('account credit (invoicing §10)', () => {
  it('increases by the amount that an invoice owes the customer (rule 2)', () =>
    expect(applied({ of: '0', candidates: [invoice('new', '-10')] })).to.eql(['new 10']));

  it('is applied to a candidate invoice up to the balance of that invoice (rule 2)', () => {
    expect(applied({ of: '10', candidates: [invoice('new', '25')] })).to.eql(['new -10']);
    expect(applied({ of: '30', candidates: [invoice('new', '25')] })).to.eql(['new -25']);
    expect(applied({ of: '0', candidates: [invoice('new', '25')] })).to.eql([]);
  });

  it('is applied to candidate invoices in order, each time with the remaining credit (rule 2)', () => {
    const candidates = [invoice('i1', '25'), invoice('i2', '-40'), invoice('i3', '5')];
    expect(applied({ of: '10', candidates })).to.eql(['i1 -10', 'i2 40', 'i3 -5', 'i1 -15']);
  });

  it('neither includes the credit on a draft nor pays a draft (rule 2)', () => {
    const draft = { status: 'DRAFT' } as const;
    expect(
      applied({ of: '0', candidates: [invoice('i1', '-10', draft)], unpaid: [invoice('i2', '5')] }),
    ).to.eql(['i1 10']);
    expect(applied({ of: '50', candidates: [invoice('i1', '10', draft)] })).to.eql([]);
  });

  for (const [what, members] of [
    ['written off', { isWrittenOff: true }],
    ['void', { status: 'VOID' }],
    ['migrated', { isMigration: true }],
  ] as const)
    it(`is not applied to an invoice that is ${what} (rule 2)`, () =>
      expect(applied({ of: '50', candidates: [invoice('i1', '10', members)] })).to.eql([]));

  it('does not increase for void and migration invoices', () => {
    const candidates = [invoice('i1', '-1', { status: 'VOID' }), invoice('i2', '-1', { isMigration: true })];
    expect(applied({ of: '0', candidates })).to.eql([]);
  });

  it('is not applied to an invoice with a payment in flight (rule 2)', () => {
    const input = { candidates: [invoice('i1', '10')], unpaid: [invoice('i2', '20')] };
    expect(applied({ of: '50', ...input, withheld: new Set(['i1' as Uuid]) })).to.eql(['i2 -20']);
  });

  it('is applied to unpaid invoices by date and number until it is used up (rule 3)', () => {
    const unpaid = [invoice('i3', '10', { day: 2 }), invoice('i2', '10', { day: 2 }), invoice('i4', '10')];
    expect(applied({ of: '25', unpaid })).to.eql(['i4 -10', 'i2 -10', 'i3 -5']);
  });

  it('can never be negative (rule 6)', () => expect(() => applied({ of: '-1' })).to.throw(/below 0/));

  it('depends on the unpaid invoices only if the account has or will have credit', () => {
    const spends = (credit: string, ...candidates: CreditedInvoice[]) =>
      spendsCredit({ credit: decimal(credit), candidates });
    expect(spends('0', invoice('i1', '10'))).to.equal(false);
    expect(spends('0', invoice('i1', '-10', { status: 'DRAFT' }))).to.equal(false);
    expect(spends('0', invoice('i1', '-10'))).to.equal(true);
    expect(spends('1')).to.equal(true);
  });

  it('is never created or lost, and never left unused while it could pay an invoice, for random accounts (rule 6)', () => {
    const cents = fc.integer({ min: -5_000, max: 5_000 });
    const any = fc.record({
      cents,
      day: fc.integer({ min: 1, max: 28 }),
      status: fc.constantFrom('COMMITTED', 'DRAFT', 'VOID'),
      isWrittenOff: fc.boolean(),
      isMigration: fc.boolean(),
      isWithheld: fc.boolean(),
    });
    forAll(
      [fc.nat(9_000), fc.array(any, { maxLength: 6 }), fc.array(any, { maxLength: 6 })],
      (credit, a, b) => {
        const made = [...a, ...b].map(({ cents: owed, isWithheld, ...members }, index) => ({
          isWithheld,
          invoice: invoice(
            `i${index + 1}`,
            String((index < a.length ? owed : Math.abs(owed)) / 100),
            members,
          ),
        }));
        const invoices = made.map((each) => each.invoice);
        const withheld = new Set(made.flatMap((each) => (each.isWithheld ? each.invoice.id : [])));
        const moves = applyAccountCredit({
          credit: decimal(credit).div(100),
          candidates: invoices.slice(0, a.length),
          unpaid: invoices.slice(a.length),
          withheld,
        });
        const movedOf = (id: Uuid) =>
          sum(moves.filter(({ invoiceId }) => invoiceId === id).map(({ amount }) => amount));
        const committed = invoices.filter(({ status }) => status === 'COMMITTED');
        const left = decimal(credit)
          .div(100)
          .plus(sum(committed.map(({ id }) => movedOf(id))));
        expect(left.isNegative() && !left.isZero()).to.equal(false);
        for (const each of invoices) {
          const after = each.rawBalance.plus(movedOf(each.id));
          const before = each.rawBalance;
          if (before.greaterThan(0)) expect(after.greaterThanOrEqualTo(0)).to.equal(true);
          const mayTake =
            each.status === 'COMMITTED' && !each.isWrittenOff && !each.isMigration && !withheld.has(each.id);
          if (mayTake && left.greaterThan(0)) expect(after.greaterThan(0)).to.equal(false);
          if (!mayTake && before.greaterThan(0)) expect(after.equals(before)).to.equal(true);
        }
      },
    );
  });
});
