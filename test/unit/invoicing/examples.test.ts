import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { cancel, day, event } from '../../support/invoicing/billing-events.ts';
import { SubscriptionLedger } from '../../support/invoicing/subscription-ledger.ts';
import { expect, formatDecimal, sum } from '../../support/unit.ts';

function amountsInForce(ledger: SubscriptionLedger): readonly string[] {
  return ledger.rows.toSorted((a, b) => a.startDate - b.startDate).map(({ amount }) => formatDecimal(amount));
}

describe('invoice proposals', () => {
  it('bill a free trial, then the first recurring period (invoicing E1 "Trial and phase")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2012-04-01', { plan: 'gold', fixed: '0', phaseDays: 30 }),
      event('PHASE', '2012-05-01', { plan: 'gold', price: '249.95' }),
    ]);
    ledger.expectRun('2012-04-01', ['F 2012-04-01 2012-05-01 0']);
    expect(ledger.nextDueDate).to.equal('2012-05-01');
    expect(ledger.item(0).description).to.equal('gold-trial');
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2012-06-01 249.95']);
    expect(ledger.nextDueDate).to.equal('2012-06-01');
    expect(ledger.item(1).description).to.equal('gold-evergreen');
  });

  it('clamp a bill cycle day of 31 to the end of shorter months (invoicing E2 "Month ends")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2012-03-02', { price: '599.95', bcd: 31 }),
    ]);
    ledger.expectRun('2012-03-02', ['R 2012-03-02 2012-03-31 561.24']);
    ledger.expectRun('2012-05-31', [
      'R 2012-03-31 2012-04-30 599.95',
      'R 2012-04-30 2012-05-31 599.95',
      'R 2012-05-31 2012-06-30 599.95',
    ]);
  });

  it('prorate a leading period up to the bill cycle day (invoicing E3 "Leading proration")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2014-02-01', { price: '249.95', bcd: 14 }),
    ]);
    ledger.expectRun('2014-02-01', ['R 2014-02-01 2014-02-14 104.82']);
    expect(ledger.nextDueDate).to.equal('2014-02-14');
    ledger.expectRun('2014-02-14', ['R 2014-02-14 2014-03-14 249.95']);
  });

  it('repair no more than the remainder of an adjusted item (invoicing E4 "Change with an adjusted item")', () => {
    const create = event('CREATE', '2012-05-01', { price: '249.95' });
    const ledger = new SubscriptionLedger().change([create]);
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2012-06-01 249.95']);
    ledger.adjust(ledger.item(0).id, '10.00');
    ledger.change([create, event('CHANGE', '2012-05-02', { plan: 'tin', price: '9.95' })], '2012-05-02');
    ledger.expectRun('2012-05-02', ['R 2012-05-02 2012-06-01 9.63', 'X 2012-05-02 2012-06-01 -239.95']);
    const repair = ledger.item(2);
    expect(repair.linkedItemId).to.equal(ledger.item(0).id);
    expect(repair.subscriptionId).to.equal(null);
    expect(repair.description).to.equal('Adjustment (subscription change)');
  });

  it('repair the item of each of two changes in one month (invoicing E5 "Two changes")', () => {
    const gold = event('CREATE', '2012-05-01', { price: '599.95' });
    const tin = event('CHANGE', '2012-05-07', { plan: 'tin', price: '9.95' });
    const zinc = event('CHANGE', '2012-05-08', { plan: 'zinc', price: '29.95' });
    const ledger = new SubscriptionLedger().change([gold]);
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2012-06-01 599.95']);
    ledger.change([gold, tin], '2012-05-07');
    ledger.expectRun('2012-05-07', ['R 2012-05-07 2012-06-01 8.02', 'X 2012-05-07 2012-06-01 -483.83']);
    ledger.change([gold, tin, zinc], '2012-05-08');
    ledger.expectRun('2012-05-08', ['R 2012-05-08 2012-06-01 23.19', 'X 2012-05-08 2012-06-01 -7.7']);
    ledger.expectRun('2012-06-01', ['R 2012-06-01 2012-07-01 29.95']);
  });

  it('repair the annual item in full after a change on its first day (invoicing E6 "Annual to monthly, same day")', () => {
    const annual = event('CREATE', '2012-05-01', { plan: 'gold-annual', price: '2399.95', period: 'ANNUAL' });
    const ledger = new SubscriptionLedger().change([annual]);
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2013-05-01 2399.95']);
    ledger.change([annual, event('CHANGE', '2012-05-01', { price: '249.95', order: 2 })], '2012-05-01');
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2012-06-01 249.95', 'X 2012-05-01 2013-05-01 -2399.95']);
  });

  it('prorate the first quarter after a change (invoicing E7 "Monthly to quarterly")', () => {
    const monthly = event('CREATE', '2012-05-01', { price: '29.95' });
    const quarterly = event('CHANGE', '2012-05-12', { plan: 'q', price: '69.95', period: 'QUARTERLY' });
    const ledger = new SubscriptionLedger().change([monthly]);
    ledger.expectRun('2012-05-01', ['R 2012-05-01 2012-06-01 29.95']);
    ledger.change([monthly, quarterly], '2012-05-12');
    ledger.expectRun('2012-05-12', ['R 2012-05-12 2012-08-01 61.59', 'X 2012-05-12 2012-06-01 -19.32']);
    expect(ledger.nextDueDate).to.equal('2012-08-01');
    ledger.expectRun('2012-08-01', ['R 2012-08-01 2012-11-01 69.95']);
  });

  describe('for a pause', () => {
    const annual = { plan: 'gold-annual', price: '2399.95', period: 'ANNUAL' } as const;
    const created = event('CREATE', '2012-05-01', annual);
    const paused = event('START_BILLING_DISABLED', '2012-05-12', { plan: 'gold-annual' });
    const resumed = event('END_BILLING_DISABLED', '2012-06-04', annual);

    it('repair only the paused days when the pause is billed late (invoicing E8 "Pause and resume")', () => {
      const ledger = new SubscriptionLedger().change([created]);
      ledger.expectRun('2012-05-01', ['R 2012-05-01 2013-05-01 2399.95']);
      ledger.change([created, paused, resumed], '2012-05-12');
      ledger.expectRun('2012-06-04', ['X 2012-05-12 2012-06-04 -151.23', 'R 2013-05-01 2013-06-01 203.83']);
    });

    it('repair the rest of the year when the pause is billed on time (invoicing E8 "Pause and resume")', () => {
      const ledger = new SubscriptionLedger().change([created]);
      ledger.run('2012-05-01');
      ledger.change([created, paused], '2012-05-12');
      ledger.expectRun('2012-05-12', ['X 2012-05-12 2013-05-01 -2327.62']);
      expect(ledger.nextDueDate).to.equal(null);
      ledger.change([created, paused, resumed], '2012-06-04');
      ledger.expectRun('2012-06-04', ['R 2012-06-04 2013-06-01 2380.22']);
    });
  });

  it('follow a moved bill cycle day without a repair (invoicing E9 "BCD moves")', () => {
    const created = event('CREATE', '2016-05-01', { price: '249.95' });
    const to15 = event('BCD_CHANGE', '2016-05-15', { price: '249.95', bcd: 15 });
    const to10 = event('BCD_CHANGE', '2016-07-10', { price: '249.95', bcd: 10 });
    const ledger = new SubscriptionLedger().change([created]);
    ledger.expectRun('2016-05-01', ['R 2016-05-01 2016-06-01 249.95']);
    ledger.change([created, to15], '2016-05-15');
    ledger.expectRun('2016-05-15', ['R 2016-06-01 2016-06-15 112.88']);
    ledger.expectRun('2016-06-15', ['R 2016-06-15 2016-07-15 249.95']);
    ledger.change([created, to15, to10], '2016-07-10');
    ledger.expectRun('2016-07-10', ['R 2016-07-15 2016-08-10 209.64']);
  });

  it('bill in arrears only the active days around a pause (invoicing E10 "In arrears")', () => {
    const arrears = { price: '100.00', mode: 'IN_ARREAR' } as const;
    const created = event('CREATE', '2020-01-01', arrears);
    const paused = event('START_BILLING_DISABLED', '2020-01-15', { mode: 'IN_ARREAR' });
    const resumed = event('END_BILLING_DISABLED', '2020-01-20', arrears);
    const ledger = new SubscriptionLedger().change([created]);
    ledger.expectRun('2020-01-01', []);
    expect(ledger.nextDueDate).to.equal('2020-02-01');
    ledger.change([created, paused], '2020-01-15');
    ledger.expectRun('2020-01-15', ['R 2020-01-01 2020-01-15 45.16']);
    ledger.change([created, paused, resumed], '2020-01-20');
    ledger.expectRun('2020-01-20', []);
    expect(ledger.nextDueDate).to.equal('2020-02-01');
    ledger.expectRun('2020-02-01', ['R 2020-01-20 2020-02-01 38.71']);
    ledger.expectRun('2020-03-01', ['R 2020-02-01 2020-03-01 100']);
    ledger.change([created, paused, resumed, cancel('2020-03-01')], '2020-03-01');
    ledger.expectRun('2020-03-01', []);
    expect(ledger.nextDueDate).to.equal(null);
  });

  describe('with fixed proration days', () => {
    const thirty = { config: { prorationFixedDays: 30 } };

    it('prorate a leading period (invoicing E11 "Fixed days 30")', () => {
      const ledger = new SubscriptionLedger(thirty).change([
        event('CREATE', '2023-05-23', { price: '19.95', bcd: 15 }),
      ]);
      ledger.expectRun('2023-05-23', ['R 2023-05-23 2023-06-15 14.63']);
    });

    it('prorate the repair of an item for a full period (invoicing E11 "Fixed days 30")', () => {
      const created = event('CREATE', '2023-05-15', { price: '19.95', bcd: 15 });
      const ledger = new SubscriptionLedger(thirty).change([created]);
      ledger.run('2023-05-15');
      ledger.change([created, cancel('2023-05-23')], '2023-05-23');
      ledger.expectRun('2023-05-23', ['X 2023-05-23 2023-06-15 -14.63']);
    });

    it('prorate the repair of an item for a short first period (invoicing E11 "Fixed days 30")', () => {
      const created = event('CREATE', '2023-05-15', { price: '19.95', bcd: 23 });
      const ledger = new SubscriptionLedger(thirty).change([created]);
      ledger.expectRun('2023-05-15', ['R 2023-05-15 2023-05-23 5.32']);
      ledger.change([created, cancel('2023-05-19')], '2023-05-19');
      ledger.expectRun('2023-05-19', ['X 2023-05-19 2023-05-23 -2.66']);
    });

    it('prorate an annual plan (invoicing E11 "Fixed days 30")', () => {
      const ledger = new SubscriptionLedger(thirty).change([
        event('CREATE', '2025-01-20', { plan: 'gold-annual', price: '1200.00', period: 'ANNUAL' }),
      ]);
      ledger.expectRun('2025-01-20', ['R 2025-01-20 2026-01-01 1136.67']);
    });
  });

  describe('with limited repairs', () => {
    it('limit the repair to the remainder (invoicing E12 "No over-repair")', () => {
      const item = { price: '19.95', bcd: 15 } as const;
      const created = event('CREATE', '2013-06-15', item);
      const paused = event('START_BILLING_DISABLED', '2013-06-21', { bcd: 15 });
      const resumed = event('END_BILLING_DISABLED', '2013-06-26', item);
      const ledger = new SubscriptionLedger().change([created]);
      ledger.run('2013-06-15');
      ledger.change([created, paused, resumed], '2013-06-21');
      ledger.expectRun('2013-06-26', ['X 2013-06-21 2013-06-26 -3.33']);
      // The second row is 19.95 × q(19,30) = 19.95 × 0.633333333, which rounds down.
      expect(amountsInForce(ledger)).to.eql(['3.99', '12.63']);
      ledger.change([created, cancel('2013-06-15')], '2013-06-15');
      ledger.expectRun('2013-06-26', ['X 2013-06-15 2013-06-21 -3.99', 'X 2013-06-26 2013-07-15 -12.63']);
      expect(formatDecimal(sum(ledger.items.map(({ amount }) => amount)))).to.equal('0');
    });

    it('limit the repair of an adjusted item (invoicing E12 "No over-repair")', () => {
      const created = event('CREATE', '2024-05-01', { price: '100.00' });
      const ledger = new SubscriptionLedger().change([created]);
      ledger.run('2024-05-01');
      ledger.adjust(ledger.item(0).id, '60.00');
      ledger.change([created, event('START_BILLING_DISABLED', '2024-05-11')], '2024-05-11');
      ledger.expectRun('2024-05-11', ['X 2024-05-11 2024-06-01 -40']);
      ledger.change([created, cancel('2024-05-01')], '2024-05-01');
      ledger.expectRun('2024-05-11', ['X 2024-05-01 2024-05-11 0']);
      expect(ledger.rows).to.eql([]);
    });
  });

  it('charge the new quantity and repair the old charge (invoicing E13 "Quantity")', () => {
    const seven = event('CREATE', '2022-11-27', { price: '29.95', bcd: 27, quantity: 7 });
    const ten = event('QUANTITY_CHANGE', '2022-12-12', { price: '29.95', bcd: 27, quantity: 10 });
    const ledger = new SubscriptionLedger().change([seven]);
    ledger.expectRun('2022-11-27', ['R 2022-11-27 2022-12-27 209.65']);
    expect(ledger.item(0).rate?.toFixed()).to.equal('209.65');
    ledger.change([seven, ten], '2022-12-12');
    ledger.expectRun('2022-12-12', ['R 2022-12-12 2022-12-27 149.75', 'X 2022-12-12 2022-12-27 -104.83']);
  });

  it('charge additional seats up to the annual renewal (invoicing E20 "Seats of a year")', () => {
    const year = { price: '100', period: 'ANNUAL' } as const;
    const ten = event('CREATE', '2026-01-01', { ...year, quantity: 10 });
    const fifteen = event('QUANTITY_CHANGE', '2026-06-01', { ...year, quantity: 15, since: '2026-01-01' });
    const ledger = new SubscriptionLedger().change([ten]);
    ledger.expectRun('2026-01-01', ['R 2026-01-01 2027-01-01 1000']);
    ledger.change([ten, fifteen], '2026-06-01');
    ledger.expectRun('2026-06-01', ['R 2026-06-01 2027-01-01 879.45', 'X 2026-06-01 2027-01-01 -586.3']);
    expect(ledger.nextDueDate).to.equal('2027-01-01');
    ledger.expectRun('2027-01-01', ['R 2027-01-01 2028-01-01 1500']);
  });

  it('charge the same total regardless of the run dates (invoicing E21 "Seats that come and go")', () => {
    const [one, two, oneAgain] = [
      event('CREATE', '2026-03-01', { price: '100' }),
      event('QUANTITY_CHANGE', '2026-03-10', { price: '100', quantity: 2, since: '2026-03-01' }),
      event('QUANTITY_CHANGE', '2026-03-20', { price: '100', since: '2026-03-01' }),
    ];
    const inTime = new SubscriptionLedger().change([one]);
    expect(inTime.run('2026-03-01')).to.eql(['R 2026-03-01 2026-04-01 100']);
    expect(inTime.change([one, two], '2026-03-10').run('2026-03-10')).to.eql([
      'R 2026-03-10 2026-04-01 141.94',
      'X 2026-03-10 2026-04-01 -70.97',
    ]);
    expect(inTime.change([one, two, oneAgain], '2026-03-20').run('2026-03-20')).to.eql([
      'R 2026-03-20 2026-04-01 38.71',
      'X 2026-03-20 2026-04-01 -77.42',
    ]);
    const late = new SubscriptionLedger().change([one, two, oneAgain]);
    expect(late.run('2026-03-20')).to.eql([
      'R 2026-03-01 2026-03-10 29.03',
      'R 2026-03-10 2026-03-20 64.52',
      'R 2026-03-20 2026-04-01 38.71',
    ]);
    for (const { items } of [inTime, late])
      expect(formatDecimal(sum(items.map(({ amount }) => amount)))).to.equal('132.26');
  });

  it('match the amounts of the reference tests (invoicing §5.4 rule 6)', () => {
    const changed = event('CHANGE', '2016-05-05', { price: '599.95' });
    const moved = event('BCD_CHANGE', '2016-05-10', { price: '599.95', bcd: 10 });
    expect(new SubscriptionLedger().change([changed, moved]).run('2016-05-05')).to.eql([
      'R 2016-05-05 2016-05-10 99.99',
    ]);
    const leading = (period: 'MONTHLY' | 'QUARTERLY') =>
      new SubscriptionLedger()
        .change([event('CREATE', '2011-02-14', { price: '100', bcd: 31, period })])
        .run('2011-02-14');
    expect(leading('MONTHLY')).to.eql(['R 2011-02-14 2011-02-28 45.16']);
    expect(leading('QUARTERLY')).to.eql(['R 2011-02-14 2011-02-28 15.22']);
  });

  it('cover only the days since the earliest change (invoicing E18 "Window")', () => {
    const created = event('CREATE', '2019-03-01', { price: '10.00' });
    const ledger = new SubscriptionLedger().change([created]);
    expect(ledger.run('2024-12-01')).to.have.length(70);
    expect(ledger.load(day('2025-01-01')).rows).to.have.length(1);
    ledger.expectRun('2025-01-01', ['R 2025-01-01 2025-02-01 10']);
    ledger.change([created, event('START_BILLING_DISABLED', '2024-11-10')], '2024-11-10');
    ledger.expectRun('2025-01-01', [
      'X 2024-11-10 2024-12-01 -7',
      'X 2024-12-01 2025-01-01 -10',
      'X 2025-01-01 2025-02-01 -10',
    ]);
  });

  it('use the local dates of the account’s zone (invoicing E19 "Zone")', () => {
    const ledger = new SubscriptionLedger().change([
      event('CREATE', '2026-01-15', { price: '30.00', bcd: 15 }),
    ]);
    ledger.expectRun('2026-01-15', ['R 2026-01-15 2026-02-15 30']);
    expect(ledger.nextDueDate).to.equal('2026-02-15');
    ledger.expectRun('2026-02-15', ['R 2026-02-15 2026-03-15 30']);
    expect(ledger.nextDueDate).to.equal('2026-03-15');
    ledger.expectRun('2026-03-15', ['R 2026-03-15 2026-04-15 30']);
    expect(ledger.nextDueDate).to.equal('2026-04-15');
  });

  it('have worked examples that engine tests repeat under the same names', async () => {
    const root = new URL('../../../', import.meta.url);
    const text = await readFile(new URL('lib/invoicing/RULES.md', root), 'utf8');
    const [, section = ''] = /^## 19\. [^\n]*\n(.*?)^## /ms.exec(text) ?? [];
    const names = Array.from(section.matchAll(/^\*\*(E\d+ [^*]*)\.\*\*/gm), ([, name]) => name);
    expect(names).to.have.length(22);
    const files = await Array.fromAsync(glob('test/engine/*.test.ts', { cwd: fileURLToPath(root) }));
    const tests = (await Promise.all(files.map((file) => readFile(new URL(file, root), 'utf8')))).join('\n');
    const plain = tests.replaceAll('"', '');
    expect(names.filter((name) => !plain.includes(`invoicing ${name}`))).to.eql([]);
  });
});
