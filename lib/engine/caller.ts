import type { Ports } from '../ports/index.ts';
import {
  type CallContext,
  CallOrigin,
  type HostTransaction,
  type PluginProperty,
  type TenantRef,
} from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { converterOf } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** The caller of operations, and the tenant it calls for. */
export interface Caller {
  /** Tenant id, or the reference returned by `tenants.authenticate`. */
  readonly tenant: Uuid | string | TenantRef;
  /** Author of the changes, as named in audit rows. */
  readonly user: string;
  readonly principal?: string;
  readonly reason?: string;
  readonly comment?: string;
  /** Ties the changes of one request together; default: a new id per call. */
  readonly userToken?: Uuid | string;
  /** Passed on to plugins. */
  readonly pluginProperties?: readonly PluginProperty[];
  /**
   * True: rounds amounts of the caller that are within 0.000001 of whole minor units, as binary floating point produces.
   * Default false: an amount finer than its currency is rejected (60003).
   */
  readonly roundsFloatNoise?: boolean;
}

/** Returns the context of one call at the current time. */
export type ContextOf = (caller: Caller) => Promise<CallContext>;

export function contexts(
  { clock, ids }: Pick<Ports, 'clock' | 'ids'>,
  tenantOf: (tenantId: Uuid) => Promise<TenantRef>,
): ContextOf {
  return async (caller) => {
    checkCaller(caller);
    return {
      tenant:
        typeof caller.tenant === 'string' ? await tenantOf(idOf(caller.tenant, 'tenant')) : caller.tenant,
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

/** Checks members that untyped code may omit. */
function checkCaller(caller: Partial<Caller> | undefined): void {
  if (!caller?.tenant)
    throw invalidField('tenant is missing. Pass the tenant to billing.as({ tenant, user }).');
  if (typeof caller.user !== 'string')
    throw invalidField('user is missing. Pass the user for audit rows to billing.as({ tenant, user }).');
}

const takeId = converterOf('uuid');

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003) with the name. */
export function idOf(given: string, name: string): Uuid {
  return takeId(given, name) as Uuid;
}

/** Returns contexts of calls that join a transaction of the host. */
export function joining(contextOf: ContextOf, within: HostTransaction): ContextOf {
  return async (caller) => {
    const context = await contextOf(caller);
    return { ...context, tenant: { ...context.tenant, within } };
  };
}
