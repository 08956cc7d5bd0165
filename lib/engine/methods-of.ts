/** The methods of a service, or these of them, as functions that can be handed on. */
export function methodsOf<S extends object, K extends keyof S = keyof S>(
  service: S,
  ...names: K[]
): Pick<S, K> {
  const chosen = names.length > 0 ? names : (allOf(service) as K[]);
  const methods = chosen.map((name) => [name, (service[name] as () => unknown).bind(service)]);
  return Object.fromEntries(methods) as Pick<S, K>;
}

function allOf(service: object): readonly string[] {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(service));
  return names.filter((name) => name !== 'constructor');
}
