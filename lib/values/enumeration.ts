/** Creates an enumeration, which is an object that has a field of the same name for each value. */
export function enumeration<const V extends string>(...values: readonly V[]): { readonly [K in V]: K } {
  return Object.freeze(Object.fromEntries(values.map((value) => [value, value]))) as { readonly [K in V]: K };
}
