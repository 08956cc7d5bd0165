import type { CheckOperations } from './check/index.ts';
import type { BillingOptions } from './engine/billing-options.ts';
import { binderOf } from './engine/bound-operations.ts';
import { type Caller, contexts, joining } from './engine/caller.ts';
import { Calls } from './engine/calls.ts';
import { type BillingControl, controlOf } from './engine/control.ts';
import { frontDoor, openedNodes, openedTenants, plainDoor, subscribing } from './engine/front-door.ts';
import type { Operations, PlainOperations } from './engine/operations.ts';
import { openedBacklog } from './engine/queues.ts';
import { type RequestTracking, requestsOf } from './engine/requests.ts';
import { engineBeside, runningEngine } from './engine/running-engine.ts';
import type { RequestObserver } from './monitoring/index.ts';
import type { NodeOperations } from './nodes/index.ts';
import type { Clock } from './ports/index.ts';
import type { EventOperations, EventSubscriptionOperations } from './push/index.ts';
import type { BacklogOperations } from './queues/index.ts';
import type { CallContext, WithContext } from './records/index.ts';
import type { IdempotencyOperations } from './runtime/index.ts';
import type { SecurityOperations } from './security/index.ts';
import type { ServerSettings, TenantOperations } from './tenants/index.ts';

/** The operations, context first, with the engine's own dates: for adapters. `billing.as(caller)` gives plain answers. */
export interface BillingOperations extends Operations<WithContext> {}

/**
 * The operations bound to one caller; each call reads the clock again. In their answers a date is text such as
 * `2024-03-01`, an instant a `Date`, and an amount a Decimal, which is text in JSON.
 */
export interface TenantBilling extends PlainOperations {}

/** The operations bound to one caller, and how they join a transaction of the host. */
export interface CallerBilling<Host> extends TenantBilling {
  /**
   * The same operations inside the host's own open transaction: they commit or roll back with it. Until it ends it holds the
   * locks of the accounts that it has changed: their due work waits, and other calls for them are refused after 5 s. So call
   * the engine last, and commit at once.
   * @param host the handle of that transaction on the engine's database: MikroORM's entity manager, a `pg` client, a
   *   `better-sqlite3` handle, or the transaction of Kysely, Knex, Drizzle or Prisma.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for another handle; BUSY (60018) once the engine is closed.
   *
   * @example await em.transactional(async (em) => {
   *   const order = em.create(Order, { … });
   *   await acme.within(em).createSubscription({ accountId: order.accountId, planName: 'gold-monthly' }); });
   */
  within(host: Host): TenantBilling;
}

/** Events of one tenant, or of all. */
export interface EngineEventOperations extends EventOperations<WithContext>, EventSubscriptionOperations {}

/** The engine (lib/README.md rule 4): operations, tenants, users, and the control of its background work. */
export interface Billing<Host = never> extends BillingOperations, BillingControl {
  /** What has happened: read from anywhere by a tenant, or given to the host as it happens. */
  readonly events: EngineEventOperations;
  /** Tenants of the deployment. */
  readonly tenants: TenantOperations;
  /** Who may use the server, and how they prove it (platform §6–§8). */
  readonly security: SecurityOperations;
  /** Answers to requests that carry an `Idempotency-Key`, for whoever serves them. */
  readonly idempotency: IdempotencyOperations;
  /** Looks for what cannot be in the stored data of all tenants; for operators. */
  readonly checks: CheckOperations;
  /** What of the queues of all tenants is late, in processing or given up; for operators. */
  readonly backlog: BacklogOperations;
  /** The processes that share the storage, and their plugins (platform §11). */
  readonly nodes: NodeOperations;
  /**
   * For whoever serves requests: notes them for the access log and the samples (platform §12), and ties what they log and
   * cause to them (platform §13.1).
   */
  readonly requests: RequestObserver & RequestTracking;
  /** The clock that the engine was opened with. */
  readonly clock: Clock;
  /** The properties in force for the whole server, by name without prefix (platform §4.3). */
  readonly server: ServerSettings;
  /** The context of one call, read from the clock now. */
  context(caller: Caller): Promise<CallContext>;
  /**
   * Binds the caller.
   *
   * @example
   * const acme = billing.as({ tenant, user: 'sign-up' });
   * const account = await acme.createAccount({ currency: 'EUR' });
   */
  as(caller: Caller): CallerBilling<Host>;
}

export const Billing = {
  /**
   * Opens the engine over its ports.
   *
   * @example
   * const billing = await Billing.open({ storage: sqlite('billing.db'), ...nodePorts() });
   * @throws when the storage's schema is not the one that this version knows; the message names the command that fixes it.
   */
  async open<Host>(given: BillingOptions<Host>): Promise<Billing<Host>> {
    const { parts, dispatcher, pushes, nodes } = await runningEngine(given);
    const { options, ports, engine, monitor } = parts;
    const calls = new Calls(ports);
    const operations = frontDoor(engine.operations);
    const bind = binderOf<PlainOperations<WithContext>, TenantBilling>(plainDoor(operations), calls);
    const contextOf = contexts(ports, (id) => engine.tenants.refOf(id));
    return {
      ...calls.of(operations),
      events: { ...calls.of({ ...operations.events, ...subscribing(engine) }) },
      tenants: calls.of(openedTenants(engine.tenants)),
      security: engine.security,
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
          const joined = joining(
            contexts(ports, (id) => engine.tenants.refOf(id, inside)),
            { host },
          );
          return bind(() => joined(caller), {});
        };
        return bind(() => contextOf(caller), { within });
      },
      ...controlOf({ ...parts, operations }, { dispatcher, pushes, nodes }, calls),
    };
  },
  /**
   * The checks alone, for a look at a database on which others work: takes over no work and writes nothing. Pass the
   * plugins and settings that the others have. The caller closes the storage.
   * @throws when the storage's schema is not the one that this version knows.
   */
  async openChecks<Host>(options: BillingOptions<Host>): Promise<CheckOperations> {
    return (await engineBeside(options)).checks;
  },
  /**
   * The queues alone, for a look at a database on which others work: takes over no work, and writes nothing unless entries
   * are put back or freed. Pass the plugins and settings that the others have. The caller closes the storage.
   * @throws when the storage's schema is not the one that this version knows.
   */
  async openBacklog<Host>(options: BillingOptions<Host>): Promise<BacklogOperations> {
    const { backlog, tenants } = await engineBeside(options);
    return openedBacklog(backlog, (id) => tenants.refOf(id));
  },
};
