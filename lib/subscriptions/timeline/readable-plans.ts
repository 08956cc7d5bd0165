import {
  type CatalogVersion,
  createPlan,
  createVersion,
  DEFAULT_PRICE_LIST,
  type PhaseContent,
  type Plan,
  type ResolvedPlan,
  SIMPLE_RULES,
} from '../../catalog/index.ts';
import { PhaseType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { instant, TimeUnit, UNLIMITED_DURATION } from '../../values/time/index.ts';
import type { PlanInForce, PlanResolver } from './transitions.ts';

/** Product name shown for a plan that is missing from the catalog. */
const UNKNOWN_PRODUCT = '';

const UNKNOWN_VERSION: CatalogVersion = createVersion({
  catalogName: '',
  effectiveDate: instant(0),
  recurringBillingMode: null,
  currencies: [],
  units: [],
  products: [],
  plans: [],
  rules: SIMPLE_RULES,
  priceLists: {
    defaultPriceList: { name: DEFAULT_PRICE_LIST, prettyName: DEFAULT_PRICE_LIST, plans: [] },
    childPriceLists: [],
  },
});

/**
 * Replaces plans that are missing from the catalog with placeholders, so that lists never fail. The placeholders
 * contain the data of the events.
 */
export function readablePlans(plans: PlanResolver): PlanResolver {
  return {
    versionAt: plans.versionAt.bind(plans),
    unknownPlan,
    resolvePlan: (planName, ...dates) => {
      try {
        return plans.resolvePlan(planName, ...dates);
      } catch (error) {
        if (error instanceof BillingError && missingPlanCodes.has(error.code)) return unknownPlan(planName);
        throw error;
      }
    },
  };
}

const missingPlanCodes: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.CATALOG_PLAN_NOT_FOUND,
  ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
]);

/** Returns false for a placeholder. */
export function isKnown({ version }: Pick<PlanInForce, 'version'>): boolean {
  return version !== UNKNOWN_VERSION;
}

export function isKnownProduct(product: string): boolean {
  return product !== UNKNOWN_PRODUCT;
}

function unknownPlan(planName: string): ResolvedPlan {
  const plan: Plan = createPlan(
    {
      name: planName,
      prettyName: planName,
      product: UNKNOWN_PRODUCT,
      recurringBillingMode: null,
      effectiveDateForExistingSubscriptions: null,
      initialPhases: [PhaseType.TRIAL, PhaseType.DISCOUNT, PhaseType.FIXEDTERM].map(unknownPhase),
      finalPhase: unknownPhase(PhaseType.EVERGREEN),
      plansAllowedInBundle: -1,
    },
    null,
  );
  return { version: UNKNOWN_VERSION, plan };
}

function unknownPhase(type: PhaseType): PhaseContent {
  const duration = type === PhaseType.EVERGREEN ? UNLIMITED_DURATION : { unit: TimeUnit.DAYS, number: 1 };
  return { type, prettyName: null, duration, fixed: null, recurring: null, usages: [] };
}
