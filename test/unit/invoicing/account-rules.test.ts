import { accountBillCycleDay } from '../../../lib/invoicing/evaluation/billing-streams.ts';
import {
  computeChargedThroughDate,
  findChargedThroughDates,
} from '../../../lib/invoicing/invoices/charged-through-date.ts';
import { effectiveTargetDate } from '../../../lib/invoicing/proposals/target-date.ts';
import { day, event, subscriptionId, text } from '../../support/invoicing/billing-events.ts';
import { ErrorCode, errorOf, expect } from '../../support/unit.ts';
import { smsUsage } from '../../support/usage/sections.ts';

describe('account date rules', () => {
  it('set the bill cycle day to the day of the first recurring event, even a future one (invoicing E1 "Trial and phase")', () => {
    const events = [
      event('CREATE', '2012-04-01', { fixed: '0', phaseDays: 30, bcd: 1 }),
      event('PHASE', '2012-05-01', { price: '249.95', bcd: 1 }),
    ];
    expect(accountBillCycleDay(events)).to.equal(1);
  });

  it('consider a recurring price of 0 and the earliest event of all subscriptions', () => {
    const events = [
      event('CREATE', '2024-03-09', { price: '10', bcd: 9 }),
      event('CREATE', '2024-03-07', { price: '0', bcd: 22, order: 2 }),
      event('CREATE', '2024-03-07', { price: '0', bcd: 7, order: 3 }),
    ];
    expect(accountBillCycleDay(events)).to.equal(22);
  });

  it('treat usage like a recurring price', () => {
    const used = { ...event('CREATE', '2024-03-07', { bcd: 7 }), usages: [smsUsage] };
    expect(accountBillCycleDay([event('CREATE', '2024-03-09', { price: '10', bcd: 9 }), used])).to.equal(7);
  });

  it('ignore other alignments and events without a recurring price', () => {
    expect(
      accountBillCycleDay([event('CREATE', '2024-03-09', { price: '10', isAccountAligned: false })]),
    ).to.equal(null);
    expect(accountBillCycleDay([event('CREATE', '2024-03-09', { fixed: '10' })])).to.equal(null);
  });
});

describe('charged-through date rules', () => {
  const charge = {
    itemType: 'RECURRING',
    subscriptionId,
    startDate: day('2024-01-01'),
    endDate: day('2024-02-01'),
  } as const;

  it('set the charged-through date to the latest end of the charges, or to their start if they have no end', () => {
    const fee = { ...charge, itemType: 'FIXED', startDate: day('2024-02-10'), endDate: null } as const;
    expect([...findChargedThroughDates([charge]).values()].map(text)).to.eql(['2024-02-01']);
    expect([...findChargedThroughDates([fee, charge]).values()].map(text)).to.eql(['2024-02-10']);
  });

  it('set the charged-through date to the start of the last charge, its end, or the end of the days in force, whichever is latest', () => {
    const last = { start: day('2024-02-10'), end: day('2024-03-01'), inForceThrough: null };
    expect(text(computeChargedThroughDate(last))).to.equal('2024-03-01');
    expect(text(computeChargedThroughDate({ ...last, end: day('2024-02-01') }))).to.equal('2024-02-10');
    expect(text(computeChargedThroughDate({ ...last, end: null }))).to.equal('2024-02-10');
    expect(text(computeChargedThroughDate({ ...last, inForceThrough: day('2024-02-20') }))).to.equal(
      '2024-03-01',
    );
    expect(text(computeChargedThroughDate({ ...last, inForceThrough: day('2024-04-01') }))).to.equal(
      '2024-04-01',
    );
  });

  it('ignore repairs and items without a subscription when computing the charged-through date', () => {
    expect(
      findChargedThroughDates([{ ...charge, itemType: 'REPAIR_ADJ', subscriptionId: null }]).size,
    ).to.equal(0);
    expect(findChargedThroughDates([{ ...charge, itemType: 'TAX' }]).size).to.equal(0);
  });
});

describe('target date rules', () => {
  const today = day('2024-01-31');

  it('use today as the default target date, but never a date before the billed period', () => {
    const at = (requested: string | null, max: string | null) =>
      text(
        effectiveTargetDate({
          requested: requested === null ? null : day(requested),
          today,
          maxTargetDate: max === null ? null : day(max),
          maxMonthsInFuture: 36,
        }),
      );
    expect(at(null, null)).to.equal('2024-01-31');
    expect(at('2023-05-01', null)).to.equal('2023-05-01');
    expect(at('2023-05-01', '2024-01-15')).to.equal('2024-01-15');
    expect(at('2024-06-01', '2024-01-15')).to.equal('2024-06-01');
  });

  it('allow a target date exactly 36 whole months ahead', () => {
    const at = (requested: string) =>
      effectiveTargetDate({ requested: day(requested), today, maxTargetDate: null, maxMonthsInFuture: 36 });
    expect(text(at('2027-02-27'))).to.equal('2027-02-27');
    const { code } = errorOf(() => at('2027-02-28'));
    expect(code).to.equal(ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE);
    expect(code).to.equal(4005);
  });
});
