import { HttpMetrics } from '../monitoring/http-metrics.ts';
import { openApiDocument } from '../openapi/document.ts';
import { yamlOf } from '../openapi/yaml.ts';
import { withoutTrailingSlash } from '../request/base-url.ts';
import type { Route } from '../routing/route.ts';
import { accountRoutes } from './accounts.ts';
import { auditHistoryRoutes } from './audit-history.ts';
import { blockingRoutes } from './blocking.ts';
import { bundleRoutes } from './bundles.ts';
import { catalogRoutes } from './catalog.ts';
import { catalogChangeReportRoutes } from './catalog-change-report.ts';
import { catalogEntryRoutes } from './catalog-entries.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { documentRoutes } from './documents.ts';
import { exportRoutes } from './export.ts';
import { healthRoutes } from './health.ts';
import { invoiceRoutes } from './invoices.ts';
import { itemExplanationRoutes } from './item-explanation.ts';
import { manualItemRoutes } from './manual-items.ts';
import { metricsRoutes } from './metrics.ts';
import { oauthTokenRoute } from './oauth-token.ts';
import { objectCustomFieldRoutes } from './object-custom-fields.ts';
import { objectTagRoutes } from './object-tags.ts';
import { paymentRoutes } from './payments.ts';
import { securityRoutes } from './security.ts';
import { subscriptionCatalogRoutes } from './subscription-catalog.ts';
import { subscriptionGroupRoutes } from './subscription-groups.ts';
import { subscriptionLifecycleRoutes } from './subscription-lifecycle.ts';
import { subscriptionTermsRoutes } from './subscription-terms.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { tagRoutes } from './tags.ts';
import { tenantValueRoutes } from './tenant-values.ts';
import { tenantRoutes } from './tenants.ts';
import { testModeRoutes } from './test-mode.ts';
import { tokenRoutes } from './tokens.ts';

export interface RouteTableOptions {
  readonly testMode: boolean;
  /** What the requests of the server are counted in; default an own one. */
  readonly metrics?: HttpMetrics;
  /** What the paths are served below, for the document; default empty. */
  readonly basePath?: string | undefined;
  /** Whether the interface is described; default true. */
  readonly docs?: boolean | undefined;
  /** Whether metrics need credentials; default false. */
  readonly metricsRequireAuth?: boolean | undefined;
}

/** Every endpoint of the interface: the router, the checks and the document are made from it, and nothing else is. */
export function routeTable(options: RouteTableOptions): readonly Route[] {
  const routes: Route[] = [
    ...tenantRoutes,
    ...tenantValueRoutes,
    ...catalogRoutes,
    ...catalogEntryRoutes,
    ...subscriptionCatalogRoutes,
    ...catalogChangeReportRoutes,
    ...accountRoutes,
    ...bundleRoutes,
    ...subscriptionRoutes,
    ...subscriptionGroupRoutes,
    ...subscriptionLifecycleRoutes,
    ...subscriptionTermsRoutes,
    ...blockingRoutes,
    ...invoiceRoutes,
    ...manualItemRoutes,
    ...itemExplanationRoutes,
    ...paymentRoutes,
    ...tagRoutes,
    ...objectTagRoutes,
    ...customFieldRoutes,
    ...objectCustomFieldRoutes,
    ...auditHistoryRoutes,
    ...exportRoutes,
    ...(options.testMode ? testModeRoutes : []),
    ...healthRoutes,
    ...metricsRoutes({
      http: options.metrics ?? new HttpMetrics(),
      requireAuth: options.metricsRequireAuth ?? false,
    }),
    ...securityRoutes,
    ...tokenRoutes,
    oauthTokenRoute,
  ];
  const document = once(() => openApiDocument(routes, withoutTrailingSlash(options.basePath ?? '')));
  const texts = {
    json: once(() => JSON.stringify(document())),
    yaml: once(() => yamlOf(document())),
  };
  routes.push(...documentRoutes(texts, options.docs ?? true));
  return routes;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
