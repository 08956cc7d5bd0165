/** Returns the named methods of a service (by default, all methods) as bound functions. */
export function bindMethods<S extends object, K extends keyof S = keyof S>(
  service: S,
  ...names: K[]
): Pick<S, K> {
  const all = Object.getOwnPropertyNames(Object.getPrototypeOf(service)) as K[];
  const chosen = names.length > 0 ? names : all.filter((name) => name !== 'constructor');
  const methods = chosen.map((name) => [name, (service[name] as () => unknown).bind(service)]);
  return Object.fromEntries(methods) as Pick<S, K>;
}
