import type { CallContext } from '../records/index.ts';

/** An operation without its first argument, or a group of such operations. */
export type Bound<O> = {
  readonly [K in keyof O]: O[K] extends (context: CallContext, ...rest: infer R) => infer T
    ? (...rest: R) => T
    : Bound<O[K]>;
};

type Operation = (context: CallContext, ...rest: never[]) => Promise<unknown>;

/**
 * The same operations with the context bound: `makeContext` is asked at each call, so that every call has its own clock
 * reading and user token.
 */
export function bindContext<O extends object>(
  operations: O,
  makeContext: () => Promise<CallContext>,
): Bound<O> {
  const bound = Object.entries(operations).map(([name, value]) => [
    name,
    typeof value === 'function'
      ? async (...rest: never[]) => (value as Operation)(await makeContext(), ...rest)
      : bindContext(value as object, makeContext),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Bound<O>;
}
