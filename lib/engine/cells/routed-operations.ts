import type { Billing, CallerBilling, TenantBilling } from '../billing.ts';
import { binderOf, type Caller, type Calls } from '../calls.ts';
import { type CellRouter, tenantOfContext } from './cell-router.ts';

type Operation = (...given: readonly unknown[]) => Promise<unknown>;
type Path = readonly string[];

/** Returns an object of the same shape as `shape`. Each function of the object calls `route` with its own path. */
function mirrorShape(
  shape: object,
  route: (path: Path, given: readonly unknown[]) => Promise<unknown>,
  at: Path = [],
) {
  const members: [string, unknown][] = [];
  // The members of bound operations are getters of the prototype.
  for (const name in shape) {
    const member: unknown = Reflect.get(shape, name);
    const path = [...at, name];
    if (typeof member === 'function') members.push([name, (...given: unknown[]) => route(path, given)]);
    else members.push([name, mirrorShape(Object(member), route, path)]);
  }
  return Object.freeze(Object.fromEntries(members));
}

function operationAt(operations: object, path: Path): Operation {
  return path.reduce<unknown>((found, name) => Reflect.get(Object(found), name), operations) as Operation;
}

/** Returns the operations that take a context. Each runs in the cell of the context's tenant. */
export function routedOperations<Host, O extends object>(router: CellRouter<Host>, shape: O): O {
  return mirrorShape(shape, (path, given) =>
    router.call(tenantOfContext(given[0]), (billing) => operationAt(billing, path)(...given)),
  ) as O;
}

/** The first parameter of a bound operation: the caller, inside a host transaction if there is one. */
interface RoutedCaller<Host> {
  readonly caller: Caller;
  readonly host?: Host;
}

/** Returns the `as` function for several cells. Each call runs in the current cell of the caller's tenant. */
export function routedCallers<Host>(
  router: CellRouter<Host>,
  calls: Calls,
  first: Billing<Host>,
): Billing<Host>['as'] {
  const shape = first.as({ tenant: { id: '', recordId: 0 } as never, user: '' });
  const { within: _within, ...operations } = Object.fromEntries(
    membersOf(shape).map((name) => [name, Reflect.get(shape, name)]),
  );
  const routed = mirrorShape(operations, (path, [given, ...rest]) => {
    const { caller, ...inside } = given as RoutedCaller<Host>;
    return router.call(caller?.tenant, (billing) => {
      const bound = billing.as(caller);
      return operationAt('host' in inside ? bound.within(inside.host as Host) : bound, path)(...rest);
    });
  });
  const bind = binderOf<object, TenantBilling>(routed, calls);
  const provideCaller = (given: RoutedCaller<Host>) => async () => given as never;
  return (caller) =>
    bind(provideCaller({ caller }), {
      within: (host: Host) => {
        // This call rejects an unsupported handle immediately.
        first.as(caller).within(host);
        return bind(provideCaller({ caller, host }), {});
      },
    }) as CallerBilling<Host, never>;
}

function membersOf(bound: object): readonly string[] {
  const names: string[] = [];
  for (const name in bound) names.push(name);
  return names;
}
