import type { CheckService } from './check/index.ts';
import type { BillingOptions } from './engine/billing-options.ts';
import { binderOf } from './engine/bound-operations.ts';
import { type Caller, contexts, joining } from './engine/caller.ts';
import { Calls } from './engine/calls.ts';
import { type BillingControl, controlOf, dispatcherOf, storagePolicyOf } from './engine/control.ts';
import { engineOf } from './engine/engine.ts';
import { engineSettings, portsOf } from './engine/foundation.ts';
import { frontDoor } from './engine/front-door.ts';
import type { Operations } from './engine/operations.ts';
import type { Clock, Ports } from './ports/index.ts';
import type { CallContext, WithContext } from './records/index.ts';
import type { Dispatcher, IdempotencyService } from './runtime/index.ts';
import type { SecurityService } from './security/index.ts';
import type { ServerSettings, TenantService } from './tenants/index.ts';

/** The operations, context first. `billing.as(caller)` gives the same ones with the context bound. */
export type BillingOperations = Operations<WithContext>;

/** The operations bound to one caller; each call reads the clock anew. */
export type TenantBilling = Operations;

/** The engine (lib/README.md rule 4): operations, tenants, users, and the control of its background work. */
export interface Billing<Host = never> extends BillingOperations, BillingControl {
  readonly tenants: TenantService;
  readonly security: SecurityService;
  /** Answers to requests that carry an `Idempotency-Key`, for whoever serves them. */
  readonly idempotency: IdempotencyService;
  /** Looks for what cannot be in the stored data of all tenants; for operators. */
  readonly checks: CheckService;
  readonly clock: Clock;
  /** The properties in force for the whole server, by name without prefix (platform §4.3). */
  readonly server: ServerSettings;
  /** The context of one call, read from the clock now. */
  context(caller: Caller): Promise<CallContext>;
  /**
   * Binds the caller: `const acme = billing.as({ tenant, user: 'sign-up' }); await acme.createAccount({ … })`.
   * With `within`, the operations run inside the host's own open transaction and commit or roll back with it.
   */
  as(caller: Caller): TenantBilling & { within(host: Host): TenantBilling };
}

export const Billing = {
  /**
   * Opens the engine over its ports.
   *
   * @example
   * const billing = await Billing.open({ storage: sqlite('billing.db'), ...nodePorts() });
   * @throws when the storage's schema is not the one that this version knows; the message names the command that fixes it.
   */
  async open<Host>(options: BillingOptions<Host>): Promise<Billing<Host>> {
    const ports = portsOf(options);
    const settings = engineSettings(options, ports, (...due) => dispatcher.workOff(...due));
    const engine = engineOf(ports, settings);
    const { server } = settings.server;
    const parts = { options, ports, server, engine };
    await options.storage.prepare(storagePolicyOf(parts));
    await warnOfUnboundRole(ports);
    const dispatcher: Dispatcher = dispatcherOf(parts);
    await dispatcher.recover();
    const calls = new Calls();
    const operations = frontDoor(engine.operations);
    const bind = binderOf<BillingOperations, TenantBilling>(operations, calls);
    const contextOf = contexts(ports, (id) => engine.tenants.refOf(id));
    return {
      ...calls.of(operations),
      tenants: engine.tenants,
      security: engine.security,
      idempotency: engine.idempotency,
      checks: engine.checks,
      clock: ports.clock,
      server,
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
      ...controlOf(parts, dispatcher, calls),
    };
  },
  /**
   * The checks alone, for a look at a database that others work on: no work is taken over, nothing is written. Give the
   * plugins and settings that the others have. The storage is closed by whoever has opened it.
   * @throws when the storage's schema is not the one that this version knows.
   */
  async openChecks<Host>(options: BillingOptions<Host>): Promise<CheckService> {
    const ports = portsOf(options);
    const settings = engineSettings(options, ports, async () => undefined);
    const { checks } = engineOf(ports, settings);
    await options.storage.prepare();
    return checks;
  },
};

/** Tenants are kept apart by each statement; the second barrier is missing then (platform §2, isolation rule 2). */
async function warnOfUnboundRole({ storage, logger }: Ports): Promise<void> {
  const role = await storage.system.unboundRole();
  if (role === null) return;
  logger.warn(
    { role },
    'row-level security of the database does not bind the role that the engine connects as: a superuser, one with BYPASSRLS, or security switched off for a table',
  );
}
