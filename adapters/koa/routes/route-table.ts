import { groupOfOne, type ServerGroup } from '../monitoring/server-group.ts';
import { withoutTrailingSlash } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import { slices } from '../routing/slices.ts';
import { onDemand } from '../wire/lazy-values.ts';
import { accountRoutes } from './accounts.ts';
import { auditHistoryRoutes, exportRoutes } from './audit-history.ts';
import { catalogReadRoutes, catalogRoutes } from './catalog/catalog.ts';
import { catalogEntryRoutes } from './catalog/catalog-entries.ts';
import { couponRoutes } from './coupons.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { featureRoutes } from './features.ts';
import { creditNoteRoutes, invoiceDocumentRoutes } from './invoices/invoice-documents.ts';
import { invoiceItemRoutes, itemExplanationRoutes } from './invoices/invoice-items.ts';
import { invoiceRoutes, parkedAccountRoutes } from './invoices/invoices.ts';
import { operationRoutes } from './operations/operations.ts';
import { overdueRoutes } from './overdue.ts';
import { invoicePaymentRoutes } from './payments/invoice-payments.ts';
import { paymentGatewayRoutes } from './payments/payment-gateways.ts';
import { paymentMethodRoutes } from './payments/payment-methods.ts';
import { paymentOperationRoutes, paymentRepairRoutes } from './payments/payment-operations.ts';
import { paymentListRoutes, paymentRoutes } from './payments/payments.ts';
import { reportRoutes } from './reports.ts';
import { securityRoutes } from './security/security.ts';
import { sessionRoutes } from './security/sessions.ts';
import { tokenRoutes } from './security/tokens.ts';
import { administrationRoutes, nodeRoutes, rotationRoutes } from './server/administration.ts';
import { diagnosticRoute } from './server/diagnostic.ts';
import { documentRoutes } from './server/documents.ts';
import { healthRoutes, metricsRoutes } from './server/health.ts';
import { monitoringRoutes } from './server/monitoring.ts';
import { sandboxRoutes, testModeRoutes } from './server/test-mode.ts';
import { blockingRoutes } from './subscriptions/blocking.ts';
import { bundleRoutes } from './subscriptions/bundles.ts';
import { subscriptionChangeRoutes } from './subscriptions/subscription-changes.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.ts';
import { tagRoutes } from './tags.ts';
import { eventRoutes } from './tenants/events.ts';
import { sellerRoutes } from './tenants/sellers.ts';
import { tenantRoutes } from './tenants/tenants.ts';
import { usageRoutes } from './usages/usages.ts';

interface RouteTableOptions {
  readonly testMode: boolean;
  /**
   * The group of processes that serve the port. Defaults to an empty group, which is enough to generate the documents.
   */
  readonly group?: ServerGroup;
  /** Path prefix; default empty. */
  readonly basePath?: string | undefined;
  /** Defaults to true. */
  readonly docs?: boolean | undefined;
  /** Defaults to false. */
  readonly metricsRequireAuth?: boolean | undefined;
  /** HTTP properties by name, as shown in the support diagnostic. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns all endpoints. The router, the checks and the API documents are derived from this table. */
export function routeTable(options: RouteTableOptions): readonly Route[] {
  const group = options.group ?? groupOfOne();
  const routes: Route[] = [
    ...tenantRoutes,
    ...eventRoutes,
    ...sellerRoutes,
    ...catalogRoutes,
    ...catalogEntryRoutes,
    ...catalogReadRoutes,
    ...accountRoutes,
    ...bundleRoutes,
    ...subscriptionRoutes,
    ...subscriptionChangeRoutes,
    ...couponRoutes,
    ...blockingRoutes,
    ...usageRoutes,
    ...featureRoutes,
    ...invoiceRoutes,
    ...invoiceDocumentRoutes,
    ...creditNoteRoutes,
    ...invoiceItemRoutes,
    ...parkedAccountRoutes,
    ...itemExplanationRoutes,
    ...paymentMethodRoutes,
    ...paymentRoutes,
    ...paymentOperationRoutes,
    ...paymentListRoutes,
    ...paymentRepairRoutes,
    ...invoicePaymentRoutes,
    ...paymentGatewayRoutes,
    ...overdueRoutes,
    ...reportRoutes,
    ...tagRoutes,
    ...customFieldRoutes,
    ...auditHistoryRoutes,
    ...exportRoutes,
    ...nodeRoutes,
    ...monitoringRoutes,
    diagnosticRoute(options.properties ?? {}),
    ...rotationRoutes(group),
    ...administrationRoutes,
    ...(options.testMode ? [...testModeRoutes, ...sandboxRoutes] : []),
    ...healthRoutes(group),
    ...metricsRoutes({ group, requireAuth: options.metricsRequireAuth ?? false }),
    ...operationRoutes,
    ...securityRoutes,
    ...sessionRoutes,
    ...tokenRoutes,
  ];
  const basePath = withoutTrailingSlash(options.basePath ?? '');
  // The route is created on first use, so that startup does not load the property descriptions.
  const json = onDemand(async () => {
    const { documentSteps } = await import('../openapi/document.ts');
    return JSON.stringify(await slices(documentSteps(routes, basePath)));
  });
  const yaml = onDemand(async () => {
    const { yamlSteps } = await import('../openapi/yaml.ts');
    return slices(yamlSteps(JSON.parse(await json())));
  });
  const killbill = onDemand(async () => {
    const { swaggerDocument } = await import('../openapi/killbill/swagger-document.ts');
    return JSON.stringify(swaggerDocument(routes, basePath));
  });
  const loadReferencePages = async () => {
    const { referencePages } = await import('../pages/reference.ts');
    return referencePages(routes, JSON.parse(await json()));
  };
  routes.push(
    ...documentRoutes({ json, yaml, killbill, generated: loadReferencePages }, options.docs ?? true),
  );
  return routes;
}
