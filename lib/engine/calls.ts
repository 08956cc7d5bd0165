import type { Ports } from '../ports/index.ts';
import {
  type CallContext,
  CallOrigin,
  type HostTransaction,
  type PluginProperty,
  type TenantRef,
} from '../records/index.ts';
import { type ActivityPorts, asCall } from '../runtime/index.ts';
import { billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import { converterOf, parameterOf } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { callerShape, tenantRef } from './inputs/call-inputs.ts';

/** The running calls of an engine. Rejects calls after `close`. */
export class Calls {
  readonly #ports: ActivityPorts;
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(ports: ActivityPorts) {
    this.#ports = ports;
  }

  /** Checks that the engine is open. @throws BillingError BUSY (60018) if the engine has been closed. */
  check(): void {
    if (!this.#isClosed) return;
    throw billingError(ErrorCode.BUSY, 'This billing engine is closed. Open another one with Billing.open.');
  }

  /** Runs the call. @throws BillingError BUSY (60018) if the engine has been closed. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.check();
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /**
   * Wraps each operation so that it runs as a call of this engine. Accepts single operations and groups of operations.
   */
  of<O extends object>(operations: O, path = ''): O {
    const calls = Object.entries(operations).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...input: unknown[]) =>
            this.run(() => this.onBehalfOf(path + name, input[0], () => value(...input)))
        : this.of(value as object, `${path}${name}.`),
    ]);
    return Object.freeze(Object.fromEntries(calls)) as O;
  }

  /** Runs an operation. If the first parameter is a call context, the operation runs in the scope of that call. */
  onBehalfOf<T>(name: string, first: unknown, work: () => Promise<T>): Promise<T> {
    return isContext(first) ? asCall(this.#ports, { name, context: first }, work) : work();
  }

  /** Rejects further calls. Resolves when all running calls have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#underWay]);
  }
}

function isContext(value: unknown): value is CallContext {
  return typeof value === 'object' && value !== null && 'callOrigin' in value && 'userToken' in value;
}

/** Checks the context of a call. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
export function checkContext(context: unknown): void {
  if (isContext(context)) return;
  throw invalidField(
    'context is missing. Pass the context of billing.context(caller), or call the operation of billing.as(caller).',
    { field: 'context' },
  );
}

/** The user and the tenant on whose behalf operations run. */
export interface Caller {
  /** Tenant id, or the reference that `tenants.authenticate` returned. */
  readonly tenant: Uuid | string | TenantRef;
  /** Author of the changes, shown in audit rows. */
  readonly user: string;
  readonly principal?: string;
  readonly reason?: string;
  readonly comment?: string;
  /** Id that groups the changes of one request. By default, each call gets a new id. */
  readonly userToken?: Uuid | string;
  /** Plugin properties, passed on to plugins. */
  readonly pluginProperties?: readonly PluginProperty[];
  /**
   * If true, rounds the caller's amounts that are within 0.000001 of whole minor units, such as results of binary
   * floating-point arithmetic. If false (the default), rejects an amount finer than its currency's minor unit (60003).
   */
  readonly roundsFloatNoise?: boolean;
}

/** Returns the context of one call at the current time. */
type ContextOf = (caller: Caller) => Promise<CallContext>;

export function contexts(
  { clock, ids }: Pick<Ports, 'clock' | 'ids'>,
  tenantOf: (tenantId: Uuid) => Promise<TenantRef>,
): ContextOf {
  return async (given) => {
    checkCaller(given);
    const caller = takeCaller(given) as Caller;
    return {
      tenant: await tenantRefOf(caller.tenant, tenantOf),
      userName: caller.user,
      principal: caller.principal ?? null,
      reasonCode: caller.reason ?? null,
      comments: caller.comment ?? null,
      userToken: caller.userToken === undefined ? ids.next() : idOf(caller.userToken, 'userToken'),
      callOrigin: CallOrigin.EXTERNAL,
      createdDate: clock.now(),
      ...(caller.pluginProperties ? { pluginProperties: caller.pluginProperties } : {}),
      ...(caller.roundsFloatNoise ? { roundsFloatNoise: true } : {}),
    };
  };
}

/** Checks the fields of a caller, because code without type checking may omit them. */
function checkCaller(caller: Partial<Caller> | undefined): void {
  if (!caller?.tenant)
    throw invalidField('tenant is missing. Pass the tenant to billing.as({ tenant, user }).');
  if (typeof caller.user !== 'string')
    throw invalidField('user is missing. Pass the user for audit rows to billing.as({ tenant, user }).');
}

const takeCaller = parameterOf('caller', callerShape);

const takeTenant = converterOf(tenantRef);

const takeId = converterOf('uuid');

/** Parses an id. @throws BillingError MISSING_OR_INVALID_FIELD (60003) that names the field. */
export function idOf(given: string, name: string): Uuid {
  return takeId(given, name) as Uuid;
}

/**
 * Returns the reference to a tenant.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), or the error of `refOf`.
 */
export async function tenantRefOf(
  given: Uuid | string | TenantRef,
  refOf: (tenantId: Uuid) => Promise<TenantRef>,
): Promise<TenantRef> {
  if (typeof given === 'string') return refOf(idOf(given, 'tenant'));
  return takeTenant(given, 'tenant') as TenantRef;
}

/** Returns a function that creates the contexts of calls inside a host transaction. */
export function joinHostTransaction(contextOf: ContextOf, within: HostTransaction): ContextOf {
  return async (caller) => {
    const context = await contextOf(caller);
    return { ...context, tenant: { ...context.tenant, within } };
  };
}

/** Returns the context of the next call, with its own clock reading and user token. */
type NextContext = () => Promise<CallContext>;

type Operation = (context: CallContext, ...rest: unknown[]) => Promise<unknown>;

/**
 * Binds the operations to callers. A group of operations is bound on first use, so that callers are cheap to create.
 */
export function binderOf<O extends object, B>(
  operations: O,
  calls: Calls,
): <E extends object>(nextContext: NextContext, extra: E) => B & E {
  class BoundOperations {
    readonly #nextContext: NextContext;
    readonly #members = new Map<string, unknown>();
    readonly #call: Call = (name, operation, rest) =>
      calls.run(async () => {
        const context = await this.#nextContext();
        return calls.onBehalfOf(name, context, () => operation(context, ...rest));
      });

    constructor(nextContext: NextContext) {
      this.#nextContext = nextContext;
    }

    static {
      for (const [name, value] of Object.entries<object>(operations as Record<string, object>)) {
        Object.defineProperty(BoundOperations.prototype, name, {
          enumerable: true,
          get(this: BoundOperations) {
            return this.#member(name, value);
          },
        });
      }
    }

    #member(name: string, value: object): unknown {
      const known = this.#members.get(name);
      if (known !== undefined) return known;
      const bound = bind(name, value, this.#call);
      this.#members.set(name, bound);
      return bound;
    }
  }
  return (nextContext, extra) =>
    Object.freeze(Object.assign(new BoundOperations(nextContext), extra)) as never;
}

type Call = (name: string, operation: Operation, rest: readonly unknown[]) => Promise<unknown>;

function bind(path: string, member: object, call: Call): unknown {
  if (typeof member === 'function') return (...rest: unknown[]) => call(path, member as Operation, rest);
  const group = Object.entries(member).map(([name, value]) => [name, bind(`${path}.${name}`, value, call)]);
  return Object.freeze(Object.fromEntries(group));
}
