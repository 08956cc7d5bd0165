import type { VersionContent, VersionLimit } from '../../model/version-content.ts';
import { version } from '../fields/catalog-records.ts';
import {
  anyText,
  type NamedField,
  orNone,
  type RecordType,
  type RuleCaseType,
  recordOf,
  type Scalar,
  type ValueType,
} from '../fields/field.ts';
import { type AttributeRule, type ChildRule, type ElementRule, Refusal, readScalar } from './element.ts';

// The grammar of §3.3, made of the tables of fields.

const known = new Map<ValueType, ElementRule<unknown>>();

function ruleOf<T>(type: ValueType<T>): ElementRule<T> {
  const rule = known.get(type) ?? newRule(type);
  known.set(type, rule);
  return rule as ElementRule<T>;
}

function newRule(type: ValueType): ElementRule<unknown> {
  if (type.kind === 'scalar') return leaf(type);
  return type.kind === 'record' ? recordRule(type) : caseRule(type);
}

/** An element that holds a text; a nillable one may be given as `xsi:nil="true"`, which is null. */
function leaf(scalar: Scalar, isNillable = false): ElementRule<unknown> {
  return {
    attributes: new Map(),
    children: new Map(),
    isLeaf: true,
    isNillable,
    finish: ({ name, text, isNil }) => {
      if (!isNil) return readScalar(scalar, text, `Element "${name}"`);
      return text === '' ? null : new Refusal(`Element "${name}" is nil and must be empty`);
    },
  };
}

/** The values of an element's parts by name: null for an absent optional one, a list for a repeated one. */
type PartValues = Readonly<Record<string, unknown>>;

/**
 * An element of attributes and children, in any order. `build` turns their values into that of the element, whose name it
 * is told.
 */
function element<T>(
  parts: Readonly<Record<string, AttributeRule | ChildRule>>,
  build: (values: PartValues, name: string) => T | Refusal,
): ElementRule<T> {
  const attributes = new Map<string, AttributeRule>();
  const children = new Map<string, ChildRule>();
  for (const [name, part] of Object.entries(parts)) {
    if ('scalar' in part) attributes.set(name, part);
    else children.set(name, part);
  }
  const finish: ElementRule<T>['finish'] = ({ fields, name }) => build(fields, name);
  return { attributes, children, isLeaf: false, isNillable: false, finish };
}

function recordRule(type: RecordType): ElementRule<unknown> {
  const parts: Record<string, AttributeRule | ChildRule> = {};
  for (const [name, scalar] of type.constants) parts[name] = { scalar, isRequired: false };
  for (const field of type.fields) parts[field.element] = partOf(field);
  for (const [name, scalar] of type.ignored) parts[name] = { occurs: 'optional', element: leaf(scalar) };
  return element(parts, (values) => recordOf(type, (field) => values[field.element]));
}

function partOf(field: NamedField): AttributeRule | ChildRule {
  const { place, type, item, absent, limit, isNillable, isNoneAtMinusOne } = field;
  if (type.kind === 'scalar') {
    if (place === 'attribute') return { scalar: type, isRequired: absent === undefined };
    if (isNillable) return { occurs: 'one', element: leaf(type, isNillable) };
    if (isNoneAtMinusOne) return { occurs: 'optional', element: leaf(orNone(type)) };
  }
  const isOptional = absent !== undefined;
  if (place === 'repeated') return { occurs: 'many', element: ruleOf(type), limit };
  if (place === 'list' && item !== undefined)
    return { occurs: isOptional ? 'optional' : 'one', element: listRule(item, type, limit) };
  return isOptional
    ? { occurs: 'optional', element: ruleOf(type) }
    : { occurs: 'one', element: ruleOf(type), limit };
}

/** An element that holds nothing but repeated children of one name; becomes their list. */
function listRule(item: string, type: ValueType, limit: VersionLimit | undefined): ElementRule<unknown> {
  return element({ [item]: { occurs: 'many', element: ruleOf(type), limit } }, (values) => values[item]);
}

function caseRule({ conditions, resultName, result, aliases }: RuleCaseType): ElementRule<unknown> {
  const names = Object.keys(conditions);
  const parts: Record<string, ChildRule> = { [resultName]: { occurs: 'one', element: leaf(result) } };
  for (const [name, scalar] of Object.entries(conditions))
    parts[name] = { occurs: 'optional', element: leaf(scalar) };
  const plainNameOf = new Map(Object.entries(aliases).map(([plain, name]) => [name, plain]));
  for (const [name, plain] of plainNameOf) parts[plain] = parts[name] as ChildRule;
  return element(parts, (values, owner) => {
    const found: Record<string, unknown> = {};
    for (const name of names) {
      const plain = plainNameOf.get(name);
      const other = plain === undefined ? null : values[plain];
      if (other !== null && values[name] !== null) {
        return new Refusal(`Elements "${name}" and "${plain}" of "${owner}" say the same; keep one`);
      }
      found[name] = values[name] ?? other;
    }
    return { conditions: found, result: values[resultName] };
  });
}

/** The envelope that retrieval returns; its own `catalogName` is ignored. */
export interface EnvelopeContent {
  readonly versions: readonly VersionContent[];
}

const versions = element({ version: { occurs: 'many', element: ruleOf(version) } }, (values) => {
  const found = values.version as readonly VersionContent[];
  return found.length > 0 ? found : new Refusal('Element "versions" lacks the element "version"');
});

const envelope = element(
  {
    versions: { occurs: 'one', element: versions },
    catalogName: { occurs: 'optional', element: leaf(anyText) },
  },
  (values): EnvelopeContent => ({ versions: values.versions as EnvelopeContent['versions'] }),
);

/** The two accepted root elements (§3.1). */
export const catalogRoots: ReadonlyMap<string, ElementRule<VersionContent | EnvelopeContent>> = new Map<
  string,
  ElementRule<VersionContent | EnvelopeContent>
>([
  ['catalog', ruleOf(version)],
  ['catalogs', envelope],
]);
