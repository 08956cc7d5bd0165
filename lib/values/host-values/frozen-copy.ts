import { Decimal } from '../money/index.ts';

/** Returns a deeply frozen copy for a plugin. Functions, bytes and instances of other classes are not copied. */
export function frozenCopy<T>(value: T): T {
  return copyAndFreeze(value) as T;
}

function copyAndFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copyAndFreeze));
  if (value instanceof Decimal) return Object.freeze(new Decimal(value));
  if (value instanceof Date) return new Date(value);
  if (!isPlain(value)) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyAndFreeze(each)])),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
