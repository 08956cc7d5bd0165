import type { Ports } from '../ports/index.ts';
import type { PluginProperty } from '../records/index.ts';
import { type CallContext, CallOrigin, type HostTransaction, type TenantRef } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { takerOf } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Who calls, for which tenant. */
export interface Caller {
  /** Tenant id, or the reference that `tenants.authenticate` gave. */
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
   * Whether amounts that the caller states may carry noise of binary floating point: within 0.000001 of an amount in whole
   * minor units they are rounded to it. Default false: an amount that is finer than its currency is refused (60003).
   */
  readonly roundsFloatNoise?: boolean;
}

/** Gives the context of one call, read from the clock now. */
export type ContextOf = (caller: Caller) => Promise<CallContext>;

export function contexts(
  { clock, ids }: Pick<Ports, 'clock' | 'ids'>,
  tenantOf: (tenantId: Uuid) => Promise<TenantRef>,
): ContextOf {
  return async (caller) => {
    checkCaller(caller);
    const createdDate = clock.now();
    return {
      tenant:
        typeof caller.tenant === 'string' ? await tenantOf(idOf(caller.tenant, 'tenant')) : caller.tenant,
      userName: caller.user,
      principal: caller.principal ?? null,
      reasonCode: caller.reason ?? null,
      comments: caller.comment ?? null,
      userToken: caller.userToken === undefined ? ids.next() : idOf(caller.userToken, 'userToken'),
      callOrigin: CallOrigin.EXTERNAL,
      createdDate,
      ...(caller.pluginProperties ? { pluginProperties: caller.pluginProperties } : {}),
      ...(caller.roundsFloatNoise ? { roundsFloatNoise: true } : {}),
    };
  };
}

/** Callers whose code no compiler checks may leave anything out. */
function checkCaller(caller: Partial<Caller> | undefined): void {
  if (!caller?.tenant) throw invalidField('tenant is missing: billing.as({ tenant, user }) says for whom');
  if (typeof caller.user !== 'string')
    throw invalidField('user is missing: billing.as({ tenant, user }) says who is named in audit rows');
}

const takeId = takerOf('uuid');

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003), which calls it by the name. */
export function idOf(given: string, name: string): Uuid {
  return takeId(given, name) as Uuid;
}

/** The same, for calls that join a transaction of the host. */
export function joining(contextOf: ContextOf, within: HostTransaction): ContextOf {
  return async (caller) => {
    const context = await contextOf(caller);
    return { ...context, tenant: { ...context.tenant, within } };
  };
}
