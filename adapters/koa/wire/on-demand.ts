/** A value that is made when it is first asked for: no start waits for what only some request or the document needs. */
export function onDemand<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
