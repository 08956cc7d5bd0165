import { callHost } from './call-host.ts';

/** One guarded object for each of the host's, whichever engine of the process it was given to. */
const known = new WeakMap<object, object>();

/**
 * Returns an object of the host behind a guard: reading its members and calling its methods throws, and rejects with,
 * plain errors only (`callHost`). Objects among its members are guarded too; what methods answer is not. A member that is
 * missing stays missing.
 */
export function guarded<T extends object>(object: T): T {
  const before = known.get(object);
  if (before !== undefined) return before as T;
  // Of an empty target, so that members of a frozen object may be replaced by guarded ones.
  const guard = new Proxy(Object.create(null) as T, handlerOf(object));
  known.set(object, guard);
  return guard;
}

/** Returns the objects of a list guarded; anything else as it is, to be refused by whoever checks it. */
export function guardedList<T>(list: readonly T[]): readonly T[] {
  if (!Array.isArray(list)) return list;
  return list.map((each: T) => (typeof each === 'object' && each !== null ? guarded(each) : each));
}

/** Returns a function of the host that throws, and rejects with, plain errors only. */
export function guardedFunction<A extends readonly unknown[], R>(
  call: (...given: A) => R,
): (...given: A) => R {
  return (...given) => callHost(() => call(...given));
}

function handlerOf<T extends object>(object: T): ProxyHandler<T> {
  const methods = new Map<unknown, unknown>();
  const memberOf = (name: string | symbol): unknown => {
    const member = callHostRead(object, name);
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) return guarded(member);
    if (typeof member !== 'function') return member;
    const method =
      methods.get(member) ??
      ((...given: unknown[]): unknown => callHost(() => Reflect.apply(member, object, given)));
    methods.set(member, method);
    return method;
  };
  return {
    get: (_target, name) => memberOf(name),
    has: (_target, name) => callHost(() => Reflect.has(object, name)),
    ownKeys: () => callHost(() => Reflect.ownKeys(object)),
    getOwnPropertyDescriptor: (_target, name) => {
      const own = callHost(() => Reflect.getOwnPropertyDescriptor(object, name));
      if (own === undefined) return undefined;
      return {
        value: memberOf(name),
        writable: true,
        configurable: true,
        enumerable: own.enumerable === true,
      };
    },
    set: (_target, name, value) => callHost(() => Reflect.set(object, name, value)),
  };
}

/** A member as it is, also if it is a promise or a thenable. */
function callHostRead(object: object, name: string | symbol): unknown {
  return callHost(() => ({ member: Reflect.get(object, name) as unknown })).member;
}
