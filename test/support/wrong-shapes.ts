import type { AnyInput } from '../../lib/values/host-values/index.ts';

/** Values whose type no member accepts. */
export const wrongValues: readonly unknown[] = [
  undefined,
  null,
  5,
  -1.5,
  'x',
  true,
  {},
  [],
  [null],
  [{}],
  [['x']],
  { at: {} },
];

/** Ids of stored objects, so that calls pass the lookup of the object. */
export type KnownIds = Readonly<Record<string, string>>;

type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

/** Returns a valid value of the shape with ids of stored objects. */
export function sampleOf(shape: AnyInput, name: string, ids: KnownIds): unknown {
  if (typeof shape === 'string') return samples[shape] ?? ids[name] ?? ids.accountId;
  if (shape instanceof Set) return shape.values().next().value;
  if (isMarked(shape)) return sampleOf(shape[1], name, ids);
  if (isList(shape)) return [sampleOf(shape[0], name, ids)];
  return Object.fromEntries(Object.entries(shape).map(([own, each]) => [own, sampleOf(each, own, ids)]));
}

const samples: Readonly<Record<string, unknown>> = {
  amount: '5.50',
  any: 'x',
  count: 1,
  date: '2024-03-01',
  document: 'x',
  flag: false,
  function: async () => null,
  instant: '2024-03-01T08:00:00Z',
  iterable: [],
  number: 1,
  requestedDate: '2024-03-01',
  text: 'x',
};

/** Yields the arguments with each wrong value at each place of the shapes, one at a time. */
export function* wrongCalls(parameters: Parameters, ids: KnownIds): Generator<readonly unknown[]> {
  const valid = parameters.map(([name, shape]) => sampleOf(shape, name.replace('?', ''), ids));
  yield [];
  for (const [index, [name, shape]] of parameters.entries()) {
    for (const wrong of wrongIn(shape, name.replace('?', ''), ids)) yield valid.with(index, wrong);
    yield valid.slice(0, index);
  }
}

function* wrongIn(shape: AnyInput, name: string, ids: KnownIds): Generator<unknown> {
  yield* wrongValues;
  if (typeof shape === 'string' || shape instanceof Set) return;
  if (isMarked(shape)) return yield* wrongIn(shape[1], name, ids);
  if (isList(shape)) {
    for (const wrong of wrongIn(shape[0], name, ids)) yield [wrong];
    return;
  }
  // Most members are optional, so that each wrong one is also tested without the others.
  const required = Object.entries(shape).filter(([, own]) => isMarked(own));
  for (const others of [Object.fromEntries(required), shape]) {
    const valid = sampleOf(others, name, ids) as object;
    for (const [own, each] of Object.entries(shape))
      for (const wrong of wrongIn(each, own, ids)) yield { ...valid, [own]: wrong };
  }
}

function isMarked(shape: AnyInput): shape is readonly ['!' | '=', AnyInput] {
  return Array.isArray(shape) && shape.length === 2;
}

function isList(shape: AnyInput): shape is readonly [AnyInput] {
  return Array.isArray(shape);
}
