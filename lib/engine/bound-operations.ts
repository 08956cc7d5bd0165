import type { CallContext } from '../records/index.ts';
import type { Calls } from './calls.ts';

/** Returns the context of the next call, with its own clock reading and user token. */
type NextContext = () => Promise<CallContext>;

type Operation = (context: CallContext, ...rest: unknown[]) => Promise<unknown>;

/** Binds the operations to callers. A group of operations is bound on first use, so that a caller is cheap to create. */
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
