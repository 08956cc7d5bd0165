import fc from 'fast-check';
import { modelsByName } from '../../adapters/koa/wire/model.ts';
import { DATE_OR_DATE_TIME, type JsonSchema } from '../../adapters/koa/wire/wire-type.ts';
import { anyText } from '../support/any-text.ts';

/** Texts that often break readers of dates, numbers, ids, keys and searches. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  'null',
  'true',
  'FULL',
  '-1',
  '0',
  '-0',
  '1e400',
  '1E5',
  '0x10',
  '٣',
  'NaN',
  'Infinity',
  '9'.repeat(15),
  '9'.repeat(40),
  '9223372036854775808',
  `0.${'0'.repeat(60)}1`,
  '2024-02-30',
  '0000-00-00',
  '0001-01-01',
  '2024-02-11',
  '9999-12-31',
  '99999-01-01',
  '-2024-01-01',
  '2024-02-11T24:00',
  '2024-02-11T09:00:00Z',
  '2024-02-11T00:00:00+99:99',
  '9999-12-31T23:59:59.999-18:00',
  '2024-02-11T09:00:00 02:00',
  'Europe/Vienna',
  '+23:59',
  'USD',
  'usd',
  'XXX',
  'ACCOUNT',
  'TARGET_DATE',
  '11111111-1111-4111-8111-111111111111',
  '11111111-1111-4111-8111-11111111111',
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000001',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../..',
  '%',
  '%25',
  '%_\\',
  "' OR 1=1 --",
  '";\u0001',
  '$1',
  '?',
  ':name',
  '_q=1&',
  '_q=1&name[like]=%',
  '_q=1&created_date[gt]=nonsense',
  '_q=1&id[eq]=1&id[neq]=',
  '_q=1&currency[like]=\\',
  '_q=1&__proto__=1',
  '_q=1&balance[gt]=1e9',
  '\u0000',
  'a\u0000b',
  '\uD800',
  '\uDC00\uD800',
  '\uFEFF',
  '\uFFFF',
  '\u202E',
  'ß',
  'İ',
  '💣',
  'é'.repeat(255),
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(5_000),
  'a@b',
  'a@b.c',
  '=',
  'a=b=c',
  ',,,',
  '&',
  '#',
  '(',
  '[',
  '*',
  '*:*',
  'http://169.254.169.254/',
  'http://[::1',
  'https://example.com/x?y=z',
  '<a/>',
  '{"a":1}',
];

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Fragments for a body, some of which are not JSON. */
export const oddJson: readonly string[] = [
  'null',
  'true',
  '{}',
  '[]',
  '[null]',
  '[[]]',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '"\\udc00\\ud800"',
  '-0',
  '1e400',
  '-1e-400',
  '1e999999999',
  '0.1e-999999999',
  '0.1234567891',
  '9'.repeat(400),
  `1.${'0'.repeat(2_000)}`,
  '01',
  '+1',
  '.5',
  'NaN',
  "'x'",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":null,"toJSON":1,"then":1}',
  '{"a":1,"a":{"a":2},"a":3}',
  '{"length":-1}',
  '{"key":"a","value":{"b":[1,{"c":null}]}}',
  '/* */',
  '"\u0001"',
  '\uFEFF{}',
  deep('[', ']', 60),
  deep('[', ']', 100_000),
  deep('{"a":', '}', 5_000),
  `[${'{},'.repeat(1_100)}{}]`,
  `"${'x'.repeat(100_000)}"`,
];

export const oddText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: anyText(12) },
);

const oddValue = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...oddJson) },
  { weight: 3, arbitrary: oddText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
);

/** Body texts in the shape of the schema, in which each part is sometimes replaced. */
export function jsonOf(schema: JsonSchema, ids: readonly string[]): fc.Arbitrary<string> {
  return arbitraryOf(schema, ids, 4);
}

function arbitraryOf(schema: JsonSchema, ids: readonly string[], depth: number): fc.Arbitrary<string> {
  const expected = depth === 0 ? fc.constant('{}') : fitting(schema, ids, depth);
  return fc.oneof({ weight: 5, arbitrary: expected }, { weight: 1, arbitrary: oddValue });
}

function fitting(schema: JsonSchema, ids: readonly string[], depth: number): fc.Arbitrary<string> {
  if (typeof schema.$ref === 'string') return fitting(componentOf(schema.$ref), ids, depth);
  const alternatives = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (alternatives !== undefined) {
    return fc.oneof(...alternatives.map((alternative) => arbitraryOf(alternative, ids, depth)));
  }
  if (Array.isArray(schema.enum))
    return fc.constantFrom(...schema.enum.map((value) => JSON.stringify(value)));
  const types = [schema.type].flat();
  if (types.includes('array')) {
    const items = arbitraryOf((schema.items ?? {}) as JsonSchema, ids, depth - 1);
    return fc.array(items, { maxLength: 3 }).map((elements) => `[${elements.join(',')}]`);
  }
  if (types.includes('object')) return objectOf((schema.properties ?? {}) as Properties, ids, depth);
  return scalarOf(schema, types, ids);
}

type Properties = Readonly<Record<string, JsonSchema>>;

function objectOf(properties: Properties, ids: readonly string[], depth: number): fc.Arbitrary<string> {
  const names = Object.keys(properties);
  if (names.length === 0) return oddValue;
  const member = fc.constantFrom(...names).chain((name) => {
    return arbitraryOf(properties[name] ?? {}, ids, depth - 1).map(
      (value) => `${JSON.stringify(name)}:${value}`,
    );
  });
  // A repeated name is a duplicate key.
  return fc.array(member, { maxLength: names.length }).map((members) => `{${members.join(',')}}`);
}

function scalarOf({ format }: JsonSchema, types: readonly unknown[], ids: readonly string[]) {
  const quoted = (texts: readonly string[]) => fc.constantFrom(...texts).map((text) => JSON.stringify(text));
  if (format === 'uuid') return quoted(ids);
  if (format === 'date') return quoted(['2024-02-10', '2024-02-11', '2024-03-31', '2023-12-31']);
  if (format === 'date-time' || format === DATE_OR_DATE_TIME)
    return quoted(['2024-02-10T09:00:00Z', '2024-02-11', '2030-01-01T00:00:00.000Z']);
  if (types.includes('boolean')) return fc.constantFrom('true', 'false', '"TRUE"');
  if (types.includes('integer')) return fc.integer({ min: -3, max: 40 }).map(String);
  if (types.includes('number'))
    return fc.constantFrom('0', '1', '12.5', '"7.25"', '-3', '0.000000001', '1e15');
  return quoted(['customer', 'bundle', 'sub', 'canopy-monthly', 'Sprout', 'MONTHLY', 'DEFAULT', 'USD', 'x']);
}

function componentOf(reference: string): JsonSchema {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return modelsByName().get(name)?.component ?? {};
}
