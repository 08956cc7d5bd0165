import type { PhaseType, ProductCategory } from '../../records/index.ts';
import type { BillingPeriod } from '../../values/time/index.ts';

/** Properties of the target plan that a create rule reads (§8 rule 2). */
export interface CreationContext {
  readonly product: string;
  readonly productCategory: ProductCategory;
  readonly billingPeriod: BillingPeriod;
  readonly priceList: string;
}

/** The same for a running subscription, with its present phase type. Taken from the subscription's own plan (§6.3). */
export interface SubscriptionContext extends CreationContext {
  readonly phaseType: PhaseType;
}

/** A condition for each property; null holds always (§8). */
export type ConditionsOn<C> = { readonly [Name in keyof C]: C[Name] | null };

/** The same under names with a prefix: `fromProduct`. */
export type Prefixed<P extends string, C> = {
  readonly [Name in keyof C as `${P}${Capitalize<Name & string>}`]: C[Name];
};

/** Conditions on the target plan of a creation. */
export type CreateConditions = ConditionsOn<CreationContext>;

/** Conditions on a running subscription. */
export type SubscriptionConditions = ConditionsOn<SubscriptionContext>;

/** Conditions on the current plan of a change. */
export type PriceListConditions = Prefixed<'from', CreateConditions>;

/** Conditions on a change: on the subscription, its plan and the target plan. */
export type ChangeConditions = Pick<SubscriptionConditions, 'phaseType'> &
  PriceListConditions &
  Prefixed<'to', CreateConditions>;

export function prefixed<P extends string, C extends object>(prefix: P, properties: C): Prefixed<P, C> {
  const named = Object.entries(properties).map(([name, value]) => [prefixedName(prefix, name), value]);
  return Object.fromEntries(named);
}

/** `fromProduct` of `from` and `product`. */
export function prefixedName(prefix: string, name: string): string {
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
