import { fixedProposals } from '../../../lib/invoicing/proposals/fixed-proposals.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import { cancel, day, event, text } from '../../support/invoicing/billing-events.ts';
import { SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';
import { expect, formatDecimal } from '../../support/unit.ts';

function proposals(events: readonly BillingEvent[], targetDate = '2024-12-31'): readonly string[] {
  return fixedProposals({
    events,
    anchorIndex: 0,
    windowStart: null,
    targetDate: day(targetDate),
    currency: 'USD',
  }).map(({ startDate, endDate, amount }) => {
    const end = endDate === null ? '-' : text(endDate);
    return `${text(startDate)} ${end} ${formatDecimal(amount)}`;
  });
}

const setUp = (date: string, fields = {}) =>
  event('CREATE', date, { fixed: '25.00', price: '10.00', ...fields });

describe('fixed proposals', () => {
  it('equal the price times the quantity, rounded once', () =>
    expect(proposals([setUp('2024-01-01', { fixed: '1.115', quantity: 3 })])).to.eql(['2024-01-01 - 3.35']));

  it('exclude events after the target date', () => {
    expect(proposals([setUp('2024-01-02')], '2024-01-01')).to.eql([]);
    expect(proposals([setUp('2024-01-02')], '2024-01-02')).to.have.length(1);
  });

  it('end at the next PHASE, after the phase duration, or never', () => {
    const trial = event('CREATE', '2024-01-01', { fixed: '0', phaseDays: 30 });
    expect(proposals([trial, event('PHASE', '2024-01-20', { price: '10' })])).to.eql([
      '2024-01-01 2024-01-20 0',
    ]);
    expect(proposals([trial, event('QUANTITY_CHANGE', '2024-01-20', { phaseDays: 30 })])).to.eql([
      '2024-01-01 2024-01-31 0',
    ]);
    expect(proposals([setUp('2024-01-01', { phaseDays: 30 })])).to.eql(['2024-01-01 - 25']);
    expect(proposals([event('CREATE', '2024-01-01', { fixed: '9' })])).to.eql(['2024-01-01 - 9']);
    expect(proposals([{ ...trial, phaseDuration: { unit: 'UNLIMITED', number: -1 } }])).to.eql([
      '2024-01-01 - 0',
    ]);
  });

  it('end at the next PHASE, regardless of quantity, bill cycle day and price changes', () => {
    const trial = event('CREATE', '2024-01-10', { fixed: '0', phaseDays: 30 });
    const terms = { phaseDays: 30 };
    const end = event('PHASE', '2024-01-31', { price: '10' });
    const between: readonly (readonly BillingEvent[])[] = [
      [event('QUANTITY_CHANGE', '2024-01-10', { ...terms, quantity: 2 })],
      [event('BCD_CHANGE', '2024-01-10', { ...terms, bcd: 5 })],
      [event('CHANGE', '2024-01-15', terms)],
      [
        event('BCD_CHANGE', '2024-01-10', { ...terms, bcd: 5 }),
        event('QUANTITY_CHANGE', '2024-01-10', { ...terms, bcd: 5, quantity: 2 }),
        event('QUANTITY_CHANGE', '2024-01-20', { ...terms, bcd: 5, quantity: 3 }),
      ],
    ];
    for (const events of between)
      expect(proposals([trial, ...events, end])).to.eql(['2024-01-10 2024-01-31 0']);
    const changed = event('CHANGE', '2024-01-20', { plan: 'tin', fixed: '0', phaseDays: 30 });
    expect(proposals([trial, changed, end]), 'another plan has phases of its own').to.eql([
      '2024-01-10 2024-02-09 0',
      '2024-01-20 2024-01-31 0',
    ]);
  });

  it('end at the next PHASE after a pause that ends within the phase, or at a pause that outlasts the phase', () => {
    const trial = event('CREATE', '2024-01-10', { fixed: '0', phaseDays: 30 });
    const away = event('START_BILLING_DISABLED', '2024-01-15');
    const back = event('END_BILLING_DISABLED', '2024-01-18', { phaseDays: 30 });
    const end = event('PHASE', '2024-01-31', { price: '10' });
    expect(proposals([trial, away, back, end])).to.eql(['2024-01-10 2024-01-31 0']);
    const late = { ...event('END_BILLING_DISABLED', '2024-02-05', { price: '10' }), phaseName: 'later' };
    expect(proposals([trial, away, late])).to.eql(['2024-01-10 2024-02-05 0']);
    const later = { ...late, localDate: day('2024-02-20') };
    expect(proposals([trial, away, later]), 'its own duration').to.eql(['2024-01-10 2024-02-09 0']);
    expect(proposals([trial, away]), 'paused for good').to.eql(['2024-01-10 2024-02-09 0']);
  });

  describe('second event on the day of a fixed price', () => {
    const day1 = '2024-01-01';
    const cases: Readonly<Record<string, readonly [BillingEvent, readonly string[]]>> = {
      'removes the fee for a plan change without a fixed price': [
        event('CHANGE', day1, { plan: 'tin', price: '5' }),
        [],
      ],
      'replaces the fee for a plan change with a fixed price': [
        event('CHANGE', day1, { plan: 'tin', fixed: '7' }),
        ['2024-01-01 - 7'],
      ],
      'removes the fee for a cancellation': [cancel(day1), []],
      'keeps the fee for a price change': [event('CHANGE', day1, { price: '12.00' }), ['2024-01-01 - 25']],
      'keeps the fee for a quantity change': [
        event('QUANTITY_CHANGE', day1, { price: '10', quantity: 4 }),
        ['2024-01-01 - 25'],
      ],
      'keeps the fee for a BCD change': [
        event('BCD_CHANGE', day1, { price: '10', bcd: 3 }),
        ['2024-01-01 - 25'],
      ],
      'keeps the fee for a pause': [event('START_BILLING_DISABLED', day1), ['2024-01-01 - 25']],
      'keeps the fee for a resume without a fixed price': [
        event('END_BILLING_DISABLED', day1, { price: '10' }),
        ['2024-01-01 - 25'],
      ],
      'replaces the fee for a resume with a fixed price': [
        event('END_BILLING_DISABLED', day1, { fixed: '6' }),
        ['2024-01-01 - 6'],
      ],
    };
    for (const [name, [second, expected]] of Object.entries(cases))
      it(name, () => expect(proposals([setUp(day1), second])).to.eql(expected));
  });

  it('are billed once, with a description of the phase and price', () => {
    const events = [setUp('2024-01-01')];
    const ledger = new SubscriptionLedger().change(events);
    ledger.expectRun('2024-01-01', ['F 2024-01-01 - 25', 'R 2024-01-01 2024-02-01 10']);
    expect(ledger.item(0).description).to.equal('gold-monthly-evergreen (fixed price)');
    ledger.change(
      [...events, event('QUANTITY_CHANGE', '2024-01-01', { price: '10.00', quantity: 2, order: 2 })],
      '2024-01-01',
    );
    ledger.expectRun('2024-01-01', ['R 2024-01-01 2024-02-01 20', 'X 2024-01-01 2024-02-01 -10']);
  });
});
