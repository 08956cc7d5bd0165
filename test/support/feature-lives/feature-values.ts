import { type Decimal, decimal, formatDecimal } from '../../../lib/index.ts';
import type { AccountModel, Contribution } from './account-model.ts';
import { type FeatureName, features } from './catalog.ts';
import type { Ms } from './zones.ts';

const ZERO = decimal('0');

/** The amount of a NUMBER or QUOTA value for the quantity. Null: unlimited. */
export function amountOf({ value, quantity }: Contribution): Decimal | null {
  if (typeof value === 'boolean') throw new Error('A switch has no amount');
  if (typeof value === 'string') return value === 'UNLIMITED' ? null : decimal(value);
  return decimal(value.amount).times(value.perQuantity === true ? quantity : 1);
}

/** Returns the combined value as text: `true`, `5`, `UNLIMITED`, `email` or `null`. */
export function combinedValue(account: AccountModel, feature: FeatureName, at: Ms): string {
  const contributions = account.contributions(feature, at);
  const declared = features[feature];
  switch (declared.kind) {
    case 'SWITCH':
      return String(contributions.some(({ value }) => value === true));
    case 'TEXT':
      return textOf(account, contributions);
    case 'NUMBER':
    case 'QUOTA': {
      const isMax = 'combine' in declared;
      const amounts = contributions.map(amountOf);
      if (amounts.includes(null)) return 'UNLIMITED';
      const known = amounts.filter((amount) => amount !== null);
      const combined = known.reduce(
        (all, each) => (isMax ? (all.greaterThan(each) ? all : each) : all.plus(each)),
        ZERO,
      );
      return formatDecimal(combined);
    }
  }
}

/** The text of the oldest base subscription, otherwise of the oldest add-on. */
function textOf(account: AccountModel, contributions: readonly Contribution[]): string {
  const ofBase = contributions.find(
    ({ subscription }) => subscription === null || account.subscriptionAt(subscription).base === null,
  );
  return String((ofBase ?? contributions[0])?.value ?? null);
}

/** Returns true if the account may use the feature with the amount, for all kinds but QUOTA (features §3 rule 1). */
export function canUse(
  account: AccountModel,
  feature: FeatureName,
  { at, amount }: { at: Ms; amount: string },
) {
  const value = combinedValue(account, feature, at);
  const { kind } = features[feature];
  if (kind === 'SWITCH') return value === 'true';
  if (kind === 'TEXT') return value !== 'null';
  return value === 'UNLIMITED' || decimal(amount).lessThanOrEqualTo(value);
}
