import type { StoredCatalogSource } from '../../../records/index.ts';
import { atOnce, type Steps } from '../../../runtime/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, versionSteps } from '../../lookup/catalog-version.ts';
import type { Locate, ParsedVersion, VersionContent, VersionLimit } from '../../model/version-content.ts';
import {
  type VersionFindings,
  validateVersions,
  validationSteps,
} from '../../validation/validate-version.ts';
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
import {
  type AttributeRule,
  type ChildRule,
  decodeXml,
  type ElementRule,
  Refusal,
  readScalar,
} from './element.ts';
import { xmlSteps } from './reader.ts';
import { canonicalXmlSteps } from './write-catalog.ts';

export interface Parsed {
  readonly isEnvelope: boolean;
  readonly versions: readonly ReadVersion[];
  readonly warnings: readonly Problem[];
}

/** A version, with the positions of its parts in the document. */
export interface ReadVersion {
  readonly version: CatalogVersion;
  readonly parsed: ParsedVersion;
  /** Violations of V21. They make a new version invalid, but not a stored one. */
  readonly unbilled: readonly Problem[];
}

/**
 * Parses a document in steps.
 * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with all errors found; TOO_LARGE (60012).
 */
export function* parse(source: Uint8Array | string, maxBytes?: number): Steps<Parsed> {
  const { document, errors } = yield* examine(source, maxBytes);
  if (document === null) throw invalid(errors);
  return document;
}

/** Returns the versions of a valid catalog document. @throws The errors of `parse`. */
export function validVersions(source: string): readonly CatalogVersion[] {
  const read = atOnce(parse(source)).versions;
  const versions = read.map(({ version }) => version);
  const problems = [...read.flatMap(({ unbilled }) => unbilled), ...validateVersions([], versions)];
  if (problems.length > 0) throw invalid(problems);
  return versions;
}

/** Yields the versions that the tenant does not have yet (§5 rule 6). */
export function* toAdd<R extends ReadVersion>(
  read: readonly R[],
  stored: readonly CatalogVersion[],
  isEnvelope: boolean,
): Steps<readonly R[]> {
  const versions = read.map((each) => each.version);
  const added = new Set(yield* additionSteps(stored, versions, isEnvelope));
  return read.filter((each) => added.has(each.version));
}

export function sourceText(source: Uint8Array | string, maxBytes?: number): string {
  return decodeXml(source, maxBytes).text;
}

function invalid(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: 'Invalid catalog',
    problems,
  });
}

export interface CatalogValidation {
  /** Problems in the order of §4. A malformed document has exactly one problem. */
  readonly errors: readonly Problem[];
  /** Findings that do not prevent an upload. */
  readonly warnings: readonly Problem[];
}

interface Examined extends CatalogValidation {
  /** The document, or null if there are errors. */
  readonly document: Parsed | null;
}

/** Examines each version of a document on its own (§3, §4). @throws BillingError TOO_LARGE (60012). */
export function* examine(source: Uint8Array | string, maxBytes?: number): Steps<Examined> {
  try {
    const { isEnvelope, versions } = yield* catalogXmlSteps(source, maxBytes);
    const findings: VersionFindings[] = [];
    for (const version of versions) findings.push(yield* validationSteps(version));
    const errors = findings.flatMap((found) => found.errors);
    const warnings = findings.flatMap((found) => found.warnings);
    if (errors.length > 0) {
      const unbilled = findings.flatMap((found) => found.unbilled);
      return { errors: [...errors, ...unbilled], warnings, document: null };
    }
    const read: ReadVersion[] = [];
    for (const [index, each] of versions.entries()) {
      const unbilled = findings[index]?.unbilled ?? [];
      read.push({ version: yield* versionSteps(each.content), parsed: each, unbilled });
    }
    return { errors, warnings, document: { isEnvelope, versions: read, warnings } };
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.CATALOG_INVALID_FOR_TENANT) throw error;
    return { errors: error.problems ?? [{ message: error.message }], warnings: [], document: null };
  }
}

export interface ParsedDocument {
  /** True if the root is the envelope `catalogs`, false if it is `catalog`. */
  readonly isEnvelope: boolean;
  /** The versions in document order. There is at least one. */
  readonly versions: readonly ParsedVersion[];
}

/**
 * Reads a catalog document (§3) without file or network access. The root is `catalog` with one version, or
 * the envelope `catalogs`. Bytes are UTF-8, or UTF-16 with a byte order mark. Pass the results to
 * `validateVersion`, then to `createVersion`.
 * @throws BillingError 2080 `CATALOG_INVALID_FOR_TENANT` for the first structural error, as the one entry of
 * `problems`, with line and column; 60012 `TOO_LARGE` above the document limit.
 */
export function readCatalogXml(document: Uint8Array | string, maxBytes?: number): ParsedDocument {
  return atOnce(catalogXmlSteps(document, maxBytes));
}

function* catalogXmlSteps(document: Uint8Array | string, maxBytes?: number): Steps<ParsedDocument> {
  const { value, positions } = yield* xmlSteps(decodeXml(document, maxBytes), catalogRoots);
  const locate: Locate = (record, child, index) => positions.locate(record, child, index);
  const isEnvelope = 'versions' in value;
  const contents = isEnvelope ? value.versions : [value];
  return { isEnvelope, versions: contents.map((content) => ({ content, locate })) };
}

/**
 * Returns the versions to add (§5 rule 6). Omits stored versions that an envelope repeats. If all versions are already
 * stored, returns all of them, so that `validateVersions` reports their dates.
 */
export function* additionSteps(
  stored: readonly CatalogVersion[],
  added: readonly CatalogVersion[],
  isEnvelope: boolean,
): Steps<readonly CatalogVersion[]> {
  if (!isEnvelope) return added;
  const byDate = new Map(stored.map((version) => [version.effectiveDate, version]));
  const fresh: CatalogVersion[] = [];
  for (const version of added) {
    const holder = byDate.get(version.effectiveDate);
    const isKnown =
      holder !== undefined && (yield* canonicalXmlSteps(holder)) === (yield* canonicalXmlSteps(version));
    if (!isKnown) fresh.push(version);
  }
  return fresh.length > 0 ? fresh : added;
}

/**
 * Returns the documents of a tenant's catalog in the order of their upload (§5 rule 9). Omits versions that have been
 * replaced or deleted.
 * @param sources The uploaded versions, in the order in which they were stored.
 * @param catalog The current versions of the tenant.
 */
export function* uploadedTexts(
  sources: readonly StoredCatalogSource[],
  catalog: Catalog,
): Steps<readonly string[]> {
  const byDate = new Map(catalog.versions.map((version) => [version.effectiveDate, version]));
  const texts: string[] = [];
  for (const upload of Map.groupBy(sources, (source) => source.uploadId).values()) {
    const text = upload.find((source) => source.sourceText !== null)?.sourceText ?? null;
    if (text !== null && upload.every((source) => source.isLive)) {
      texts.push(text);
      continue;
    }
    const live = upload.filter((source) => source.isLive);
    const versions = live.flatMap((source) => byDate.get(source.effectiveDate) ?? []);
    for (const version of versions) texts.push(yield* canonicalXmlSteps(version));
  }
  return texts;
}

// This is the grammar of §3.3, derived from the field tables.

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

/** Returns an element that contains text. If it is nillable, `xsi:nil="true"` means null. */
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

type PartValues = Readonly<Record<string, unknown>>;

/** Returns an element with attributes, and with children in any order. `build` converts their values. */
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
        return new Refusal(`Elements "${name}" and "${plain}" of "${owner}" have the same meaning; keep one`);
      }
      found[name] = values[name] ?? other;
    }
    return { conditions: found, result: values[resultName] };
  });
}

/** Content of the envelope. The `catalogName` of the envelope itself is ignored. */
interface EnvelopeContent {
  readonly versions: readonly VersionContent[];
}

const versions = element({ version: { occurs: 'many', element: ruleOf(version) } }, (values) => {
  const found = values.version as readonly VersionContent[];
  return found.length > 0 ? found : new Refusal('Element "versions" has no element "version"');
});

const envelope = element(
  {
    versions: { occurs: 'one', element: versions },
    catalogName: { occurs: 'optional', element: leaf(anyText) },
  },
  (values): EnvelopeContent => ({ versions: values.versions as EnvelopeContent['versions'] }),
);

const catalogRoots: ReadonlyMap<string, ElementRule<VersionContent | EnvelopeContent>> = new Map<
  string,
  ElementRule<VersionContent | EnvelopeContent>
>([
  ['catalog', ruleOf(version)],
  ['catalogs', envelope],
]);
