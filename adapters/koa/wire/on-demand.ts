/**
 * A value that is made when it is first asked for, so that no start waits for what only some requests or the document
 * need.
 */
export function onDemand<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
