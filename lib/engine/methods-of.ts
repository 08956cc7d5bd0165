/** These methods of a service, as functions that can be handed on. */
export function methodsOf<S extends object, K extends keyof S>(service: S, ...names: K[]): Pick<S, K> {
  const methods = names.map((name) => [name, (service[name] as () => unknown).bind(service)]);
  return Object.fromEntries(methods) as Pick<S, K>;
}
