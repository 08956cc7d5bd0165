import { expect } from 'chai';

/** As `deep.equal` for records, lists and scalars, several times as fast on large values. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isSame(actual, expected)) expect(actual).to.deep.equal(expected);
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}
