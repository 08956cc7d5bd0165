/** Returns a value created on first use, to keep startup short. */
export function onDemand<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
