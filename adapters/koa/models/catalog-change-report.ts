import { type ChangeReportPart, type PriceChange, PriceType } from '../../../lib/invoicing/index.ts';
import { TierBlockPolicy } from '../../../lib/records/index.ts';
import { problemText } from '../../../lib/values/errors/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { BillingPeriod } from '../../../lib/values/time/index.ts';
import { alike, derivedField, maybe, model } from '../wire/model.ts';
import { currency, date, decimalNumber, enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf, type Rendering } from '../wire/wire-type.ts';

/** Maximum number of unbillable accounts that are listed. Any others are only counted. */
export const MAX_LISTED_UNBILLABLE_ACCOUNTS = 100;

const UsagePriceTerms = model('UsagePriceTerms', {
  usageName: text(),
  tier: int(),
  unitType: maybe(text()),
  ...alike(maybe(decimalNumber), 'oldBlockSize', 'newBlockSize', 'oldMax', 'newMax'),
  oldTierBlockPolicy: maybe(enumeration(TierBlockPolicy)),
  newTierBlockPolicy: maybe(enumeration(TierBlockPolicy)),
});

const ReportedError = model('CatalogChangeReportError', { errorDescription: text() });
const ReportedWarning = model('CatalogChangeReportWarning', { warningDescription: text() });
const UnbillableAccount = model('UnbillableAccount', { accountId: uuid, errorDescription: text() });

/** A price change that affects a live subscription. */
const CatalogPriceChange = model('CatalogPriceChange', {
  ...alike(uuid, 'accountId', 'bundleId', 'subscriptionId'),
  planName: text(),
  phaseName: text(),
  priceType: enumeration(PriceType),
  usage: maybe(UsagePriceTerms),
  currency: maybe(currency),
  effectiveDate: derivedField(timestamp, ({ from }: PriceChange) => from.at),
  effectiveLocalDate: derivedField(date, ({ from }: PriceChange) => from.date),
  oldPrice: maybe(decimalNumber),
  newPrice: maybe(decimalNumber),
  difference: decimalNumber,
  oldBillingPeriod: maybe(enumeration(BillingPeriod)),
  newBillingPeriod: maybe(enumeration(BillingPeriod)),
  catalogEffectiveDate: maybe(timestamp),
});

export const CatalogChangeReport = model('CatalogChangeReport', {
  catalogValidationErrors: listOf(ReportedError),
  catalogValidationWarnings: listOf(ReportedWarning),
  priceChanges: listOf(CatalogPriceChange),
  unbillableAccounts: listOf(UnbillableAccount),
  ...alike(int(), 'unbillableAccountCount', 'subscriptions', 'changedSubscriptions'),
});

/** Streams the report as JSON. The price changes come first, then the unbillable accounts and the totals. */
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
    }
  }
}

/** Returns a JSON object without its closing brace. */
function membersOf(members: object): string {
  return stringifyExactJson(members).slice(0, -1);
}
