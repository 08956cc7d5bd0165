import type { Ports } from '../ports/index.ts';
import type { PluginProperty } from '../records/index.ts';
import { type CallContext, CallOrigin, type TenantRef } from '../records/index.ts';
import type { TenantService } from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Who calls, for which tenant. */
export interface Caller {
  /** Tenant id, or the reference that `tenants.authenticate` gave. */
  readonly tenant: Uuid | TenantRef;
  /** Author of the changes, as it stands in audit rows. */
  readonly user: string;
  readonly principal?: string;
  readonly reason?: string;
  readonly comment?: string;
  /** Ties the changes of one request together; default a new id per call. */
  readonly userToken?: Uuid;
  /** Handed on to plugins. */
  readonly pluginProperties?: readonly PluginProperty[];
}

/** The context of one call, read from the clock now. */
export async function contextOf(
  { clock, ids, storage }: Pick<Ports, 'clock' | 'ids' | 'storage'>,
  tenants: TenantService,
  caller: Caller,
): Promise<CallContext> {
  const createdDate = clock.now();
  return {
    tenant: typeof caller.tenant === 'string' ? await tenants.refOf(caller.tenant, storage) : caller.tenant,
    userName: caller.user,
    principal: caller.principal ?? null,
    reasonCode: caller.reason ?? null,
    comments: caller.comment ?? null,
    userToken: caller.userToken ?? ids.next(),
    callOrigin: CallOrigin.EXTERNAL,
    createdDate,
    ...(caller.pluginProperties ? { pluginProperties: caller.pluginProperties } : {}),
  };
}
