import type { PriceOverrideRequest } from '../../ports/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, decimal, formatDecimal } from '../../values/money/index.ts';
import type { Plan } from '../model/catalog-model.ts';
import { matchPriceOverrides, type PriceOverrides } from './match-overrides.ts';
import { type PriceTarget, partsOf, targetOf } from './overridable-price.ts';

/** What makes an override plan: two equal definitions are one plan (§10 rule 4). */
export interface OverrideDefinition {
  /** A plan of the catalog, never an override plan (rule 5). */
  readonly parentPlanName: string;
  readonly currency: Currency;
  /** In canonical order. */
  readonly overrides: PriceOverrides;
}

export interface OverrideInput {
  /** The chosen plan, in the version in force; the requests name its phases. */
  readonly plan: Plan;
  /** Its definition, if that plan is an override plan itself. */
  readonly chosen: OverrideDefinition | undefined;
  /** Currency of the account. */
  readonly currency: Currency | null;
  readonly requests: readonly PriceOverrideRequest[];
}

/**
 * The definition of the plan with the requested prices. For an override plan, it is the definition of the parent plan
 * with the prices of both, the new ones winning (rule 5); prices in a currency other than the account's are dropped,
 * since an override plan has one currency.
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081), as `matchPriceOverrides`; CURRENCY_INVALID (3) for an
 * account without currency.
 */
export function defineOverrides({ plan, chosen, currency, requests }: OverrideInput): OverrideDefinition {
  if (currency === null) {
    throw new BillingError({
      code: ErrorCode.CURRENCY_INVALID,
      message: `The account has no currency, so the prices of plan ${plan.name} cannot be overridden`,
      facts: { planName: plan.name },
    });
  }
  const inherited = chosen?.currency === currency ? chosen.overrides : [];
  const overrides = new Map([...inherited, ...matchPriceOverrides(plan, requests)]);
  return {
    parentPlanName: chosen?.parentPlanName ?? plan.name,
    currency,
    overrides: new Map([...overrides].toSorted(byTarget)),
  };
}

/** The overrides as they are stored: one JSON list of each target's parts and amount, equal for equal overrides. */
export function writeOverrides(overrides: PriceOverrides): string {
  return JSON.stringify(
    [...overrides].map(([target, amount]) => [...partsOf(target), formatDecimal(amount)]),
  );
}

/** The overrides that `writeOverrides` has written. */
export function readOverrides(text: string): PriceOverrides {
  const rows = JSON.parse(text) as readonly (readonly (string | number)[])[];
  return new Map(
    rows.map((row): [PriceTarget, Decimal] => {
      const amount = row.at(-1);
      assertInvariant(typeof amount === 'string', 'A stored price override ends with its amount', { row });
      return [targetOf(...row.slice(0, -1)), decimal(amount)];
    }),
  );
}

/** By code unit, whatever the machine's locale. */
function byTarget([one]: readonly [PriceTarget, unknown], [other]: readonly [PriceTarget, unknown]): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
