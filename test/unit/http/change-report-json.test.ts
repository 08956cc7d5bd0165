import {
  changeReportJson,
  MAX_LISTED_UNBILLABLE_ACCOUNTS,
} from '../../../adapters/koa/models/catalog-change-report.ts';
import { renderingWithoutAudit } from '../../../adapters/koa/wire/wire-type.ts';
import type { ChangeReportPart, PriceChange } from '../../../lib/index.ts';
import { newId, now, today } from '../../support/storage/stored-records.ts';
import { decimal, expect } from '../../support/unit.ts';

const change: PriceChange = {
  accountId: newId(),
  bundleId: newId(),
  subscriptionId: newId(),
  planName: 'heat-monthly',
  phaseName: 'heat-monthly-trial',
  priceType: 'FIXED',
  currency: null,
  from: { at: now, date: today },
  usage: null,
  oldPrice: null,
  newPrice: decimal('0.100000001'),
  difference: decimal('0.100000001'),
  oldBillingPeriod: null,
  newBillingPeriod: null,
  catalogEffectiveDate: null,
};
const summary: ChangeReportPart = {
  kind: 'SUMMARY',
  errors: [],
  warnings: [{ message: 'w', line: 2, column: 3 }],
};

describe('JSON report on a candidate catalog', () => {
  it('counts all unbillable accounts but lists only a limited number', async () => {
    const unbillable = Array.from({ length: MAX_LISTED_UNBILLABLE_ACCOUNTS + 1 }, (_, index) => ({
      kind: 'UNBILLABLE' as const,
      accountId: newId(),
      message: `no ${index}`,
    }));
    const totals = { subscriptions: 7, changedSubscriptions: 1, unbillableAccounts: unbillable.length };
    const parts = async function* (): AsyncGenerator<ChangeReportPart> {
      yield summary;
      yield* unbillable;
      yield { kind: 'PRICE_CHANGE', change };
      yield { kind: 'PRICE_CHANGE', change };
      yield { kind: 'TOTAL', ...totals };
    };
    const report = JSON.parse(
      (await Array.fromAsync(changeReportJson(parts(), renderingWithoutAudit('D')))).join(''),
    );
    expect(report.unbillableAccounts).to.have.length(MAX_LISTED_UNBILLABLE_ACCOUNTS);
    expect(report.unbillableAccounts[0]).to.eql({
      accountId: unbillable[0]?.accountId,
      errorDescription: 'no 0',
    });
    expect(report).to.deep.include({
      catalogValidationErrors: [],
      catalogValidationWarnings: [{ warningDescription: 'line 2, column 3: w' }],
      unbillableAccountCount: MAX_LISTED_UNBILLABLE_ACCOUNTS + 1,
      subscriptions: 7,
      changedSubscriptions: 1,
    });
    expect(report.priceChanges).to.have.length(2);
    expect(report.priceChanges[0]).to.deep.include({
      currency: null,
      priceType: 'FIXED',
      oldPrice: null,
      newPrice: 0.100000001,
      oldBillingPeriod: null,
      catalogEffectiveDate: null,
    });
  });

  it('loads each part only when that part is read', async () => {
    let reads = 0;
    const endless = async function* (): AsyncGenerator<ChangeReportPart> {
      yield summary;
      for (;;) {
        reads += 1;
        yield { kind: 'PRICE_CHANGE', change };
      }
    };
    const pieces = changeReportJson(endless(), renderingWithoutAudit('D'));
    for (let piece = 0; piece < 4; piece += 1) await pieces.next();
    expect(reads).to.equal(3);
    await pieces.return(undefined);
  });
});
