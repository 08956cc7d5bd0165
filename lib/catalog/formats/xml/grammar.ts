import type { VersionContent } from '../../model/version-content.ts';
import {
  type NamedField,
  type RecordType,
  type RuleCaseType,
  recordOf,
  type ValueType,
} from '../fields/field.ts';
import { version } from '../fields/records.ts';
import { anyText } from '../fields/scalar.ts';
import {
  type AttributeRule,
  attribute,
  type ChildRule,
  type ElementRule,
  element,
  leaf,
  many,
  nillableLeaf,
  one,
  optional,
  Refusal,
} from './element.ts';

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

function recordRule(type: RecordType): ElementRule<unknown> {
  const parts: Record<string, AttributeRule<unknown> | ChildRule> = {};
  for (const [name, scalar] of type.constants) parts[name] = attribute(scalar, false);
  for (const field of type.fields) parts[field.element] = partOf(field);
  return element(parts, (values) => recordOf(type, (field) => values[field.element]));
}

function partOf({ place, type, absent, limit, ...field }: NamedField): AttributeRule<unknown> | ChildRule {
  if (place === 'attribute' && type.kind === 'scalar') return attribute(type, absent === undefined);
  if (place === 'repeated') return many(ruleOf(type), limit);
  const rule = field.item === undefined ? ruleOf(type) : listRule(field.item, many(ruleOf(type), limit));
  if (absent !== undefined) return optional(rule);
  if (field.isNillable && type.kind === 'scalar') return one(nillableLeaf(type));
  return one(rule, field.item === undefined ? limit : undefined);
}

/** An element that holds nothing but repeated children of one name; becomes their list. */
function listRule(item: string, items: ChildRule): ElementRule<unknown> {
  return element({ [item]: items }, (values) => values[item]);
}

function caseRule({ conditions, resultName, result, aliases }: RuleCaseType): ElementRule<unknown> {
  const names = Object.keys(conditions);
  const parts: Record<string, ChildRule> = { [resultName]: one(leaf(result)) };
  for (const [name, scalar] of Object.entries(conditions)) parts[name] = optional(leaf(scalar));
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

const versions = element({ version: many(ruleOf(version)) }, (values) => {
  const found = values.version as readonly VersionContent[];
  return found.length > 0 ? found : new Refusal('Element "versions" lacks the element "version"');
});

const envelope = element(
  { versions: one(versions), catalogName: optional(leaf(anyText)) },
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
