import { EventCounts } from '../metrics/index.ts';
import type { Ports } from '../ports/index.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { eventIdOf, eventService } from '../push/index.ts';
import type { NewBusEvent } from '../records/index.ts';
import { reportOperations } from '../reports/index.ts';
import { IdempotencyService, topicsOf } from '../runtime/index.ts';
import { securityOperations } from '../security/index.ts';
import { accountArea } from './accounts.ts';
import { bindMethods } from './bind-methods.ts';
import { catalogArea } from './catalog.ts';
import { couponArea } from './coupons.ts';
import { featureArea } from './features.ts';
import { type EngineSettings, foundationOf } from './foundation.ts';
import { invoicingArea } from './invoicing.ts';
import { monitoringArea } from './monitoring.ts';
import { objectArea } from './objects.ts';
import { overdueArea } from './overdue.ts';
import { paymentArea } from './payments.ts';
import { pushArea, sinkArea } from './push.ts';
import { queueArea } from './queues.ts';
import { subscriptionArea } from './subscriptions.ts';
import { tenantArea } from './tenants.ts';
import { usageArea } from './usage.ts';

export type Engine = ReturnType<typeof engineOf>;

/** Creates the services and handlers of all areas. */
export function engineOf(ports: Ports, settings: EngineSettings) {
  const foundation = foundationOf(ports, settings);
  const catalog = catalogArea(foundation);
  const { tenants, keyValues, ...tenant } = tenantArea(foundation, catalog);
  const push = pushArea(foundation);
  const events = eventService(ports, (recordIds) => tenants.idsOfRecords(recordIds));
  const accounts = accountArea(foundation);
  const subscriptions = subscriptionArea(foundation);
  const coupons = couponArea(foundation);
  const invoicing = invoicingArea(foundation, keyValues);
  const payments = paymentArea(foundation, accounts.operations.accounts);
  const ahead = [...subscriptions.handlers, ...coupons.handlers, ...invoicing.handlers, ...payments.handlers];
  const overdue = overdueArea(foundation, { keyValues, ahead });
  const features = featureArea(foundation);
  // If several of these handlers consume an entry, they run in this order.
  const handlers = [...ahead, ...overdue.handlers, ...features.handlers];
  const queues = queueArea(foundation, topicsOf(handlers));
  return {
    tenants,
    security: securityOperations(ports),
    idempotency: new IdempotencyService(ports, settings.server.server['server.idempotency.retention']),
    checks: invoicing.checks,
    settingsOf: foundation.settingsOf,
    catalogs: foundation.catalogs,
    push,
    eventCounts: new EventCounts(),
    runCounts: invoicing.runCounts,
    sinks: sinkArea(foundation),
    events,
    eventIdOf: eventIdOf(ports),
    idle: payments.idle,
    attempts: payments.attempts,
    handlers,
    backlog: queues.backlog,
    jobsOfEvents: async (session: WriteSession, published: readonly NewBusEvent[]) => [
      ...(await overdue.planOverdueChecks(session, published)),
      ...(await features.planFeatureChecks(session, published)),
    ],
    operations: {
      ...tenant.operations,
      events: bindMethods(events, 'list'),
      ...catalog.operations,
      catalogs: { ...catalog.operations.catalogs, ...invoicing.reports },
      ...accounts.operations,
      ...subscriptions.operations,
      subscriptions: { ...subscriptions.operations.subscriptions, ...invoicing.previews },
      ...coupons.operations,
      usage: { ...usageArea(foundation).operations.usage, ...invoicing.usageReviews },
      outlines: { ...subscriptions.operations.outlines, timeline: accounts.timelineOutline },
      ...features.operations,
      ...invoicing.operations,
      invoiceTexts: { ...tenant.operations.invoiceTexts, ...invoicing.textPreviews },
      ...payments.operations,
      ...overdue.operations,
      ...objectArea(foundation).operations,
      ...monitoringArea(foundation, {
        exportOf: accounts.operations.accounts.export,
        keyValuesOf: (context) => keyValues.search(context, ''),
      }).operations,
      ...queues.operations,
      reports: reportOperations(ports),
    },
  };
}

/** The operations of the services. They accept typed values but not strings. */
export type StrictOperations = Engine['operations'];
