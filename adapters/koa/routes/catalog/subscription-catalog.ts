import type { PriceList as CatalogPriceList } from '../../../../lib/catalog/index.ts';
import type { PlanInForce } from '../../../../lib/subscriptions/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Phase, Plan, PriceList, Product, shownPlan } from '../../models/catalog.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { moment, required, uuidParameter } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';

/** Plan and phase of a subscription at a date (catalog §12, row 10). */
export const subscriptionCatalogRoutes: readonly Route[] = [
  route({
    path: 'plan',
    operationId: 'getPlanForSubscriptionAndDate',
    body: Plan,
    shownOf: ({ version, plan }) => shownPlan(plan, version),
  }),
  route({
    path: 'phase',
    operationId: 'getPhaseForSubscriptionAndDate',
    body: Phase,
    shownOf: ({ phase }) => phase,
  }),
  route({
    path: 'product',
    operationId: 'getProductForSubscriptionAndDate',
    body: Product,
    // json-models §5: without the plans of the product.
    shownOf: ({ version, plan }) => ({ ...version.findProduct(plan.product), plans: [] }),
  }),
  route({
    path: 'priceList',
    operationId: 'getPriceListForSubscriptionAndDate',
    body: PriceList,
    shownOf: priceListOf,
  }),
];

/** The list from which the plan was chosen; if the version has retired it, the first list that holds the plan. */
function priceListOf({ version, plan, priceListName }: PlanInForce): CatalogPriceList {
  const chosen = version.allPriceLists.find(({ name }) => name === priceListName);
  return chosen ?? version.findPriceList(version.priceListOf(plan));
}

interface SubscriptionCatalogRoute {
  readonly path: 'plan' | 'phase' | 'product' | 'priceList';
  readonly operationId: string;
  readonly body: typeof Plan | typeof Phase | typeof Product | typeof PriceList;
  readonly shownOf: (inForce: PlanInForce) => unknown;
}

function route({ path, operationId, body, shownOf }: SubscriptionCatalogRoute): Route {
  const thing = path === 'priceList' ? 'price list' : path;
  return tenantRoute({
    method: 'GET',
    path: `/1.0/kb/catalog/${path}`,
    operationId,
    summary: `Get the ${thing} that a subscription is on, now or at a date`,
    permission: 'NONE',
    query: { subscriptionId: required(uuidParameter), requestedDate: moment },
    success: { status: 200, body },
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID, ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE],
    async handle({ billing, context, dialect, query: { subscriptionId, requestedDate } }) {
      const inForce = await billing.subscriptions.planAt(context, { subscriptionId, requestedDate });
      return json(body.write(shownOf(inForce), unaudited(dialect)));
    },
  });
}
