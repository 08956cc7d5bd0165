import type { CallContext } from '../../records/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { hasOutsideEffect, type ReservedCall } from './reserved-call.ts';

/**
 * A gateway is called once what recovery needs is committed (§5.1 rule 1). The transaction of a host commits when the host
 * says so, after the call: a crash would leave money moved and nothing stored.
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export function checkCommits(
  { tenant }: Pick<CallContext, 'tenant'>,
  call: Pick<ReservedCall, 'gateway' | 'isControlled'>,
): void {
  if (tenant.within === undefined || !hasOutsideEffect(call)) return;
  throw invalidParameter(
    `Payment gateway "${call.gateway?.name}" cannot be called within a transaction of the host: ` +
      'make the payment after its commit; nothing was attempted',
    { pluginName: call.gateway?.name ?? null },
  );
}
