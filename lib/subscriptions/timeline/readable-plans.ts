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

/** Product of a plan that the catalog does not have. */
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
 * Plans for readers. A plan that the catalog no longer has is replaced by one of which only the events' facts are
 * known, so that no list of subscriptions fails for one of them.
 */
export function readablePlans(plans: PlanResolver): PlanResolver {
  return {
    versionAt: plans.versionAt.bind(plans),
    unknownPlan,
    resolvePlan: (planName, ...dates) => {
      try {
        return plans.resolvePlan(planName, ...dates);
      } catch (error) {
        if (error instanceof BillingError && tellsNoPlan.has(error.code)) return unknownPlan(planName);
        throw error;
      }
    },
  };
}

const tellsNoPlan: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.CATALOG_PLAN_NOT_FOUND,
  ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
]);

/** False where only the names of the plan, its phase and its price list are known. */
export function isKnown({ version }: Pick<PlanInForce, 'version'>): boolean {
  return version !== UNKNOWN_VERSION;
}

/** False for the product of a plan of which only the name is known. */
export function isKnownProduct(product: string): boolean {
  return product !== UNKNOWN_PRODUCT;
}

/** The plan with every phase that its events may name. */
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
