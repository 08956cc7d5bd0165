import { HttpMetrics } from '../monitoring/http-metrics.ts';
import { withoutTrailingSlash } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import { slices } from '../routing/slices.ts';
import { accountRoutes } from './accounts/accounts.ts';
import { catalogRoutes } from './catalog/catalog.ts';
import { catalogChangeReportRoutes } from './catalog/catalog-change-report.ts';
import { catalogEntryRoutes } from './catalog/catalog-entries.ts';
import { subscriptionCatalogRoutes } from './catalog/subscription-catalog.ts';
import { creditNoteRoutes } from './invoices/credit-notes.ts';
import { invoiceDocumentRoutes } from './invoices/invoice-documents.ts';
import { invoiceTrackingIdRoutes } from './invoices/invoice-tracking-ids.ts';
import { invoiceRoutes } from './invoices/invoices.ts';
import { itemExplanationRoutes } from './invoices/item-explanation.ts';
import { manualItemRoutes } from './invoices/manual-items.ts';
import { parkedAccountRoutes } from './invoices/parked-accounts.ts';
import { auditHistoryRoutes } from './objects/audit-history.ts';
import { customFieldRoutes } from './objects/custom-fields.ts';
import { objectCustomFieldRoutes } from './objects/object-custom-fields.ts';
import { objectTagRoutes } from './objects/object-tags.ts';
import { tagRoutes } from './objects/tags.ts';
import { accountOverdueRoutes } from './overdue/account-overdue.ts';
import { overdueRoutes } from './overdue/overdue.ts';
import { comboPaymentRoutes } from './payments/combo-payment.ts';
import { invoicePaymentRoutes } from './payments/invoice-payments.ts';
import { paymentGatewayRoutes } from './payments/payment-gateways.ts';
import { paymentListRoutes } from './payments/payment-lists.ts';
import { paymentMethodRoutes } from './payments/payment-methods.ts';
import { paymentOperationRoutes } from './payments/payment-operations.ts';
import { paymentRepairRoutes } from './payments/payment-repairs.ts';
import { paymentRoutes } from './payments/payments.ts';
import { sandboxRoutes } from './payments/sandbox.ts';
import { oauthTokenRoute } from './security/oauth-token.ts';
import { securityRoutes } from './security/security.ts';
import { tokenRoutes } from './security/tokens.ts';
import { administrationRoutes } from './server/administration.ts';
import { diagnosticRoute } from './server/diagnostic.ts';
import { documentRoutes } from './server/documents.ts';
import { exportRoutes } from './server/export.ts';
import { healthRoutes } from './server/health.ts';
import { metricsRoutes } from './server/metrics.ts';
import { monitoringRoutes } from './server/monitoring.ts';
import { nodeRoutes } from './server/nodes.ts';
import { queueRoutes } from './server/queues.ts';
import { testModeRoutes } from './server/test-mode.ts';
import { blockingRoutes } from './subscriptions/blocking.ts';
import { bundleRoutes } from './subscriptions/bundles.ts';
import { subscriptionGroupRoutes } from './subscriptions/subscription-groups.ts';
import { subscriptionLifecycleRoutes } from './subscriptions/subscription-lifecycle.ts';
import { subscriptionTermsRoutes } from './subscriptions/subscription-terms.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.ts';
import { eventRoutes } from './tenants/events.ts';
import { notificationDeliveryRoutes } from './tenants/notification-deliveries.ts';
import { tenantValueRoutes } from './tenants/tenant-values.ts';
import { tenantRoutes } from './tenants/tenants.ts';
import { usageReadRoutes } from './usages/usage-reads.ts';
import { usageRoutes } from './usages/usages.ts';

interface RouteTableOptions {
  readonly testMode: boolean;
  /** Counts the requests of the server; default: a counter of its own. */
  readonly metrics?: HttpMetrics;
  /** Path prefix under which the interface is served, for the document; default empty. */
  readonly basePath?: string | undefined;
  /** Whether the interface is described; default true. */
  readonly docs?: boolean | undefined;
  /** Whether metrics need credentials; default false. */
  readonly metricsRequireAuth?: boolean | undefined;
  /** Properties of how the interface is served, by name, for the diagnostic; default none. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** Every endpoint of the interface: the router, the checks and the document are made from it alone. */
export function routeTable(options: RouteTableOptions): readonly Route[] {
  const routes: Route[] = [
    ...tenantRoutes,
    ...tenantValueRoutes,
    ...notificationDeliveryRoutes,
    ...eventRoutes,
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
    ...usageRoutes,
    ...usageReadRoutes,
    ...invoiceRoutes,
    ...invoiceDocumentRoutes,
    ...creditNoteRoutes,
    ...invoiceTrackingIdRoutes,
    ...manualItemRoutes,
    ...parkedAccountRoutes,
    ...itemExplanationRoutes,
    ...paymentMethodRoutes,
    ...paymentRoutes,
    ...paymentOperationRoutes,
    ...paymentListRoutes,
    ...comboPaymentRoutes,
    ...paymentRepairRoutes,
    ...invoicePaymentRoutes,
    ...paymentGatewayRoutes,
    ...overdueRoutes,
    ...accountOverdueRoutes,
    ...tagRoutes,
    ...objectTagRoutes,
    ...customFieldRoutes,
    ...objectCustomFieldRoutes,
    ...auditHistoryRoutes,
    ...exportRoutes,
    ...nodeRoutes,
    ...monitoringRoutes,
    diagnosticRoute(options.properties ?? {}),
    ...administrationRoutes,
    ...queueRoutes,
    ...(options.testMode ? [...testModeRoutes, ...sandboxRoutes] : []),
    ...healthRoutes,
    ...metricsRoutes({
      http: options.metrics ?? new HttpMetrics(),
      requireAuth: options.metricsRequireAuth ?? false,
    }),
    ...securityRoutes,
    ...tokenRoutes,
    oauthTokenRoute,
  ];
  const basePath = withoutTrailingSlash(options.basePath ?? '');
  // Loaded when somebody asks for it: no start waits for what it says of every property.
  const json = once(async () => {
    const { documentSteps } = await import('../openapi/document.ts');
    return JSON.stringify(await slices(documentSteps(routes, basePath)));
  });
  const texts = {
    json,
    yaml: once(async () => {
      const { yamlSteps } = await import('../openapi/yaml.ts');
      return slices(yamlSteps(JSON.parse(await json())));
    }),
    killbill: once(async () => {
      const { swaggerDocument } = await import('../openapi/killbill/swagger-document.ts');
      return JSON.stringify(swaggerDocument(routes, basePath));
    }),
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
