import { addDays, expect, formatLocalDate, historyRuns, parseLocalDate } from '../support/property.ts';
import { BookedUsageLife } from '../support/usage/booked-usage-life.ts';
import { EvaluatedUsageLife } from '../support/usage/evaluated-usage-life.ts';
import { billedAndVoided, dateOf, ofEveryHistory, play } from '../support/usage/played-usage.ts';
import { ScannedUsageLife, WalkedUsageLife } from '../support/usage/scanned-usage-life.ts';
import { WindowedUsageLife } from '../support/usage/windowed-usage-life.ts';

describe('usage ledger', () => {
  it('creates the same invoices from day sums split at billing cuts as from a scan of every point (usage §11)', () => {
    let items = 0;
    let splits = 0;
    ofEveryHistory(({ zone, events, list, config }) => {
      const booked = new BookedUsageLife(events, { zone, config });
      const scanned = new ScannedUsageLife(events, { zone, config });
      play([booked, scanned], [...list, { do: 'BILL', on: 120 }], {
        zone,
        bill: (target) => {
          const invoice = booked.bill(target);
          expect(invoice).to.eql(scanned.bill(target));
          items += invoice.items.length;
          splits += booked.splits.length;
        },
      });
    });
    expect(items, 'items billed').to.be.above(historyRuns);
    expect(splits, 'days split').to.be.above(historyRuns / 2);
  }).timeout(0);

  it('produces the same dry run from a single read as from one read per date (usage §7.10)', () => {
    ofEveryHistory(({ zone, events, list, config }) => {
      const walked = new WalkedUsageLife(events, { zone, config });
      const full = new BookedUsageLife(events, { zone, config });
      play([walked, full], [...list, { do: 'BILL', on: 91 }], {
        zone,
        bill: (target) => {
          walked.reload();
          for (const ahead of [0, 9, 28, 31]) {
            const date = formatLocalDate(addDays(parseLocalDate(target), ahead));
            expect(walked.bill(date)).to.eql(full.bill(date));
          }
        },
      });
    });
  }).timeout(0);

  it('bills the same from the minimum history as from the full history (usage §7.1)', () => {
    let leftOut = 0;
    ofEveryHistory(({ zone, events, list, config: given }) => {
      // Other code finds usage before the look-back.
      const config = { ...given, beyondLookBack: 'REPORT' as const };
      const windowed = new WindowedUsageLife(events, { zone, config });
      const full = new BookedUsageLife(events, { zone, config });
      play([windowed, full], [...list, { do: 'BILL', on: 120 }, { do: 'BILL', on: 150 }], {
        zone,
        bill: (target) => {
          expect(windowed.bill(target)).to.eql(full.bill(target));
          if (windowed.from !== null && formatLocalDate(windowed.from) > dateOf(0)) leftOut += 1;
        },
        rewritten: () => {
          windowed.from = null;
        },
      });
    });
    expect(leftOut, 'runs that read a part').to.be.above(historyRuns);
  }).timeout(0);

  it('bills a subscription from minimal reads, and stores facts that explain each amount (usage §7.3)', () => {
    let credits = 0;
    let again = 0;
    let passedOver = 0;
    ofEveryHistory(({ zone, events, list, config }) => {
      const evaluated = new EvaluatedUsageLife(events, { zone, config });
      const full = new BookedUsageLife(events, { zone, config });
      play([evaluated, full], [...list, ...billedAndVoided], {
        zone,
        bill: (target) => {
          const invoice = evaluated.bill(target);
          expect(invoice).to.eql(full.bill(target));
          credits += invoice.items.filter((item) => item.credits !== undefined).length;
          expect(evaluated.bill(target).items, 'once more').to.eql([]);
          full.bill(target);
          again += 1;
        },
        rewritten: () => {
          evaluated.from = null;
        },
      });
      passedOver += evaluated.passedOver;
    });
    expect(credits, 'credits').to.be.above(historyRuns / 50);
    expect(again, 'runs').to.be.above(historyRuns);
    expect(passedOver, 'runs that need not look at it').to.be.above(historyRuns / 2);
  }).timeout(0);
});
