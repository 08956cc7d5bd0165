import type { CheckOperations } from '../check/index.ts';
import type { RequestObserver } from '../monitoring/index.ts';
import type { NodeOperations } from '../nodes/index.ts';
import type { Clock } from '../ports/index.ts';
import type { EventOperations, EventSubscriptionOperations } from '../push/index.ts';
import type { BacklogOperations } from '../queues/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import type { IdempotencyOperations } from '../runtime/index.ts';
import type { SecurityOperations } from '../security/index.ts';
import type { ServerSettings, TenantOperations } from '../tenants/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { BillingOptions } from './billing-options.ts';
import { binderOf, type Caller, Calls, contexts, joinHostTransaction } from './calls.ts';
import { type BillingControl, controlOf, nextDueOf } from './control.ts';
import {
  eventSubscriptionOperations,
  hostOperations,
  openedNodes,
  openedTenants,
  plainOperations,
} from './host-operations.ts';
import { checkedOperations } from './inputs/server-inputs.ts';
import type { Operations, PlainOperations } from './operations.ts';
import { openedBacklog } from './queues.ts';
import { type RequestTracking, requestsOf } from './requests.ts';
import { runningEngine } from './running-engine.ts';

/**
 * The operations for adapters. Each takes the context as its first parameter and returns the engine's own date types.
 * `billing.as(caller)` returns plain values.
 */
export interface BillingOperations extends Operations<WithContext> {}

/**
 * The operations bound to one caller. Each call reads the current time. In results, a date is a string such as
 * `2024-03-01`, an instant is a `Date`, and an amount is a Decimal, which becomes text in JSON. `F` is the type of the
 * feature names in the catalog.
 */
export interface TenantBilling<F extends string = string> extends PlainOperations<[], F> {}

/** The operations bound to one caller. They can also run in a host transaction. */
export interface CallerBilling<Host, F extends string = string> extends TenantBilling<F> {
  /**
   * Returns the same operations inside the host's own open transaction. Their changes commit or roll back with that
   * transaction. Until it ends, the transaction locks the accounts that the operations change; other calls for these
   * accounts fail after waiting for 5 s. Therefore call the engine last and commit immediately.
   * @param host the handle of that transaction on the engine's database: MikroORM's entity manager, a `pg` client, a
   * `better-sqlite3` handle, or the transaction of Kysely, Knex, Drizzle or Prisma.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unsupported handle; BUSY (60018) once the engine is
   * closed.
   * @example await em.transactional(async (em) => { const order = em.create(Order, { … }); await
   * acme.within(em).createSubscription({ accountId: order.accountId, planName: 'gold-monthly' }); });
   */
  within(host: Host): TenantBilling<F>;
}

/** Events of one tenant or of all tenants. */
export interface EngineEventOperations extends EventOperations<WithContext>, EventSubscriptionOperations {}

/** The engine (lib/README.md rule 4): operations, tenants, users and the control of background work. */
export interface Billing<Host = never> extends BillingOperations, BillingControl {
  /** Operations on events. A tenant can read its events from any position. The host can subscribe to new events. */
  readonly events: EngineEventOperations;
  /** Tenants of the deployment. */
  readonly tenants: TenantOperations;
  /** Operations on users, API clients, roles and authentication (platform §6–§8). */
  readonly security: SecurityOperations;
  /** Stored responses to requests with an `Idempotency-Key`, for HTTP adapters. */
  readonly idempotency: IdempotencyOperations;
  /** Operations with which operators find inconsistencies in the stored data of all tenants. */
  readonly checks: CheckOperations;
  /** Operations with which operators manage the late, running and failed queue entries of all tenants. */
  readonly backlog: BacklogOperations;
  /** The processes that share the storage, and their plugins (platform §11). */
  readonly nodes: NodeOperations;
  /**
   * Records HTTP requests (platform §12) and adds the request id to log lines and later work (platform §13.1). For HTTP
   * adapters.
   */
  readonly requests: RequestObserver & RequestTracking;
  /** The clock that was passed when the engine was opened. */
  readonly clock: Clock;
  /** The current server properties, by name without prefix (platform §4.3). */
  readonly server: ServerSettings;
  /** Returns the context of one call at the current time. */
  context(caller: Caller): Promise<CallContext>;
  /**
   * Binds the operations to a caller. With `as<FeatureName<typeof catalog>>`, the compiler checks names of features.
   * @example const acme = billing.as({ tenant, user: 'sign-up' }); const account = await acme.createAccount({
   * currency: 'EUR' });
   */
  as<F extends string = string>(caller: Caller): CallerBilling<Host, F>;
}

/** An open engine. */
export interface OpenBilling<Host> {
  readonly billing: Billing<Host>;
  /** Returns the due time of the next work after now, or null if nothing is queued. */
  nextDue(): Promise<Instant | null>;
}

/**
 * Opens an engine.
 * @param sends false if other nodes send the pushes and deliver the events of this storage.
 * @throws Error if the storage has the schema of another version.
 */
export async function openBilling<Host>(
  given: BillingOptions<Host>,
  { sends = true }: { readonly sends?: boolean } = {},
): Promise<OpenBilling<Host>> {
  const { parts, dispatcher, nodes, ...background } = await runningEngine(given);
  const pushes = sends ? background.pushes : [];
  const { options, ports, engine, monitor } = parts;
  const calls = new Calls(ports);
  const operations = hostOperations(engine.operations);
  const bind = binderOf<PlainOperations<WithContext>, TenantBilling>(plainOperations(operations), calls);
  const contextOf = contexts(ports, (id) => engine.tenants.refOf(id));
  const billing: Billing<Host> = {
    ...calls.of(operations),
    events: { ...calls.of({ ...operations.events, ...eventSubscriptionOperations(engine) }) },
    tenants: calls.of(openedTenants(engine.tenants)),
    security: checkedOperations<SecurityOperations>('security', engine.security),
    idempotency: engine.idempotency,
    checks: engine.checks,
    backlog: calls.of(openedBacklog(engine.backlog, (id) => engine.tenants.refOf(id))),
    nodes: calls.of(openedNodes(nodes)),
    clock: ports.clock,
    server: parts.server,
    requests: { ...monitor.requests, ...requestsOf(ports) },
    ...calls.of({ context: contextOf }),
    as: (caller) => {
      const within = (host: Host): TenantBilling => {
        calls.check();
        const inside = options.storage.within(host);
        const joined = joinHostTransaction(
          contexts(ports, (id) => engine.tenants.refOf(id, inside)),
          { host },
        );
        return bind(() => joined(caller), {});
      };
      return bind(() => contextOf(caller), { within });
    },
    ...controlOf({ ...parts, operations }, { dispatcher, pushes, nodes }, calls),
  };
  return { billing, nextDue: () => nextDueOf(ports, { dispatcher, pushes }) };
}
