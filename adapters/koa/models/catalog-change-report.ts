import { type ChangeReportPart, type PriceChange, PriceType } from '../../../lib/invoicing/index.ts';
import { TierBlockPolicy } from '../../../lib/records/index.ts';
import { problemText } from '../../../lib/values/errors/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { BillingPeriod } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { currency, date, decimalNumber, enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf, type Rendering } from '../wire/wire-type.ts';

/** Accounts that the report on a candidate catalog names as no longer billable; beyond it they are only counted. */
export const MAX_LISTED_UNBILLABLE_ACCOUNTS = 100;

const maybe = { nullable: true } as const;

const UsagePriceTerms = model('UsagePriceTerms', {
  usageName: field(text(), 'R'),
  tier: field(int(), 'R'),
  unitType: field(text(), 'R', maybe),
  oldBlockSize: field(decimalNumber, 'R', maybe),
  newBlockSize: field(decimalNumber, 'R', maybe),
  oldMax: field(decimalNumber, 'R', maybe),
  newMax: field(decimalNumber, 'R', maybe),
  oldTierBlockPolicy: field(enumeration(TierBlockPolicy), 'R', maybe),
  newTierBlockPolicy: field(enumeration(TierBlockPolicy), 'R', maybe),
});

const ReportedError = model('CatalogChangeReportError', { errorDescription: field(text(), 'R') });
const ReportedWarning = model('CatalogChangeReportWarning', { warningDescription: field(text(), 'R') });
const UnbillableAccount = model('UnbillableAccount', {
  accountId: field(uuid, 'R'),
  errorDescription: field(text(), 'R'),
});

/** A live subscription whose recurring price or price of usage would change, or a fixed price that it is charged. */
const CatalogPriceChange = model('CatalogPriceChange', {
  accountId: field(uuid, 'R'),
  bundleId: field(uuid, 'R'),
  subscriptionId: field(uuid, 'R'),
  planName: field(text(), 'R'),
  phaseName: field(text(), 'R'),
  priceType: field(enumeration(PriceType), 'R'),
  usage: field(UsagePriceTerms, 'R', maybe),
  currency: field(currency, 'R', maybe),
  effectiveDate: field(timestamp, 'R', { from: ({ from }: PriceChange) => from.at }),
  effectiveLocalDate: field(date, 'R', { from: ({ from }: PriceChange) => from.date }),
  oldPrice: field(decimalNumber, 'R', maybe),
  newPrice: field(decimalNumber, 'R', maybe),
  difference: field(decimalNumber, 'R'),
  oldBillingPeriod: field(enumeration(BillingPeriod), 'R', maybe),
  newBillingPeriod: field(enumeration(BillingPeriod), 'R', maybe),
  catalogEffectiveDate: field(timestamp, 'R', maybe),
});

/** What a catalog would change if it were uploaded. */
export const CatalogChangeReport = model('CatalogChangeReport', {
  catalogValidationErrors: field(listOf(ReportedError), 'R'),
  catalogValidationWarnings: field(listOf(ReportedWarning), 'R'),
  priceChanges: field(listOf(CatalogPriceChange), 'R'),
  unbillableAccounts: field(listOf(UnbillableAccount), 'R'),
  unbillableAccountCount: field(int(), 'R'),
  subscriptions: field(int(), 'R'),
  changedSubscriptions: field(int(), 'R'),
});

/**
 * The report as JSON text in the order of its fields, each price change as it comes. After the price changes come the
 * first MAX_LISTED_UNBILLABLE_ACCOUNTS accounts that could not be billed; all of them are counted.
 */
export async function* changeReportJson(
  parts: AsyncIterable<ChangeReportPart>,
  rendering: Rendering,
): AsyncGenerator<string> {
  const unbillable: object[] = [];
  let separator = '';
  for await (const part of parts) {
    switch (part.kind) {
      case 'SUMMARY':
        yield `${membersOf({
          catalogValidationErrors: part.errors.map((each) => ({ errorDescription: problemText(each) })),
          catalogValidationWarnings: part.warnings.map((each) => ({ warningDescription: problemText(each) })),
        })},"priceChanges":[`;
        break;
      case 'PRICE_CHANGE':
        yield `${separator}${stringifyExactJson(CatalogPriceChange.write(part.change, rendering))}`;
        separator = ',';
        break;
      case 'UNBILLABLE':
        if (unbillable.length < MAX_LISTED_UNBILLABLE_ACCOUNTS)
          unbillable.push({ accountId: part.accountId, errorDescription: part.message });
        break;
      case 'TOTAL':
        yield `],${membersOf({
          unbillableAccounts: unbillable,
          unbillableAccountCount: part.unbillableAccounts,
          subscriptions: part.subscriptions,
          changedSubscriptions: part.changedSubscriptions,
        }).slice(1)}}`;
        break;
      default:
        neverPart(part);
    }
  }
}

/** A JSON object that is still open. */
function membersOf(members: object): string {
  return stringifyExactJson(members).slice(0, -1);
}

function neverPart(part: never): never {
  throw new Error(`Unknown part of a change report: ${JSON.stringify(part)}`);
}
