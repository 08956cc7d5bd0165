/** Returns the object with these parts replaced. */
export function withParts<T extends object>(whole: T, parts: Partial<T>): T {
  return new Proxy(whole, {
    get: (target, name) => Reflect.get(name in parts ? parts : target, name) as unknown,
  });
}
