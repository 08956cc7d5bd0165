/** How each property is made of a source. */
export type Makers<S, T> = { readonly [K in keyof T]: (source: S) => T[K] };

/**
 * Gives objects whose properties are made when they are first asked for. They are getters of the prototype: own getters
 * of each object would cost ten times what they save.
 */
export function onDemand<S, T extends object>(makers: Makers<S, T>): (source: S) => T {
  class OnDemand {
    readonly #source: S;
    readonly #made: unknown[] = [];

    constructor(source: S) {
      this.#source = source;
    }

    static {
      for (const [index, [name, make]] of Object.entries<(source: S) => unknown>(makers).entries()) {
        Object.defineProperty(OnDemand.prototype, name, {
          get(this: OnDemand) {
            this.#made[index] ??= make(this.#source);
            return this.#made[index];
          },
        });
      }
    }
  }
  return (source) => new OnDemand(source) as T;
}
