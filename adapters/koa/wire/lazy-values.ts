/** Returns a value that is created when it is first used, to shorten startup. */
export function onDemand<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Makers = Readonly<Record<string, () => object>>;
type Made<M extends Makers> = { readonly [K in keyof M]: ReturnType<M[K]> };

/** Adds members that are created when they are first used. Spreading the result creates all of them. */
export function withLazy<B extends object, M extends Makers>(base: B, makers: M): B & Made<M> {
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(base, name, { get: onDemand(make), enumerable: true });
  }
  return base as B & Made<M>;
}
