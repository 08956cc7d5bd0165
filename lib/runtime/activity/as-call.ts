import type { CallContext } from '../../records/index.ts';
import { type ActivityPorts, spanned } from './spanned.ts';

/**
 * Runs an operation that a host has called: what is logged in it carries the call's token, unless a request that the host
 * serves, or work of the engine, is under way already.
 */
export function asCall<T>(
  ports: ActivityPorts,
  { name, context }: { readonly name: string; readonly context: CallContext },
  work: () => Promise<T>,
): Promise<T> {
  const { scopes } = ports;
  const run = (): Promise<T> =>
    spanned(
      ports,
      () => ({ name, kind: 'INTERNAL', attributes: { 'billwright.tenant.id': context.tenant.id } }),
      work,
    );
  const scope = scopes?.current();
  if (scopes === undefined || (scope !== undefined && scope.requestId !== null)) return run();
  const { traceParent = null, wanted } = scope ?? {};
  return scopes.run({ requestId: context.userToken, traceParent, wanted }, run);
}
