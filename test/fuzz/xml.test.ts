import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  canonicalXml,
  createCatalog,
  createVersion,
  type ParsedDocument,
  readCatalogXml,
  validateVersion,
  validateVersions,
  writeCatalogXml,
} from '../../lib/catalog/index.ts';
import {
  BillingActionPolicy,
  BillingAlignment,
  BillingMode,
  PhaseType,
  PlanAlignmentChange,
  ProductCategory,
  UsageType,
} from '../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { BillingPeriod, TimeUnit } from '../../lib/values/time/index.ts';
import { anyText } from '../support/any-text.ts';
import { catalogJson } from '../support/catalogs/catalog-json.ts';
import { expect, expectBelow, fixture, isLongRun } from '../support/index.ts';

/** Documents per property: some hundreds on each commit, 100,000 in total in the long run. */
const runs = Number(process.env.BILLWRIGHT_FUZZ_RUNS ?? (isLongRun ? 34_000 : 250));

/** Maximum processor time of one document, a hundred times that of the slowest: anything beyond it hangs. */
const MOST_MS_PER_DOCUMENT = 5_000;

const seeds = ['written.xml', 'every-element.xml'].map((name) =>
  readFileSync(fixture(`catalogs/${name}`), 'utf8'),
);

/** Fragments of documents, valid and invalid, that mutations insert. */
const pieces = [
  ...seeds.flatMap((seed) => seed.match(/<[^>]+>|[^<>]+/g) ?? []),
  '<!DOCTYPE c [<!ENTITY a "&b;">]>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?xml version="1.1" encoding="UTF-16"?>',
  '<?p?>',
  '&amp;',
  '&#0;',
  '&#x110000;',
  '&a;',
  '&',
  '<',
  '</',
  '/>',
  'xmlns="urn:x"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  'xsi:nil="true"',
  'xml:space="preserve"',
  '__proto__',
  'constructor',
  '-1',
  '0',
  '99999999999999999999',
  '1e400',
  '2024-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999-23:59',
  '0001-01-01T00:00:00+23:59',
  '\u0000',
  '\uFEFF',
  '\uD800',
  '\uDC00',
  '\u2028',
  '日本',
  ' '.repeat(5_000),
  'x'.repeat(5_000),
  '<units>'.repeat(30),
];

/** Splits a document into its texts and attribute values (odd positions) and the parts between them. */
function texts(document: string): string[] {
  return document.split(/((?<=>)[^<>\n]+(?=<)|(?<==")[^"<>]+(?="))/);
}

const enumerations = [
  BillingPeriod,
  TimeUnit,
  PhaseType,
  BillingMode,
  ProductCategory,
  UsageType,
  BillingActionPolicy,
  PlanAlignmentChange,
  BillingAlignment,
].map((enumeration): readonly string[] => Object.values(enumeration));

/** Other values of the same kind, which keep most documents valid. */
const sorts: readonly (readonly [sort: RegExp, values: readonly string[]])[] = [
  [/^[-.\d]+$/, ['0', '-0', '-1', '1', '2', '0.000000001', '999999999999999.999999999', '2147483647']],
  [/^\d{4}-/, ['0001-01-01', '2024-01-01', '2024-07-01T00:00', '9999-12-31T23:59:59.999Z']],
  [/^(USD|BTC)$/, ['USD', 'BTC', 'JPY']],
  [/[a-z]/, ['all', 'Base', 'In', 'Av', 'seat', 'call', 'VIP', 'none', 'DEFAULT', 'not a name', '9', 'é']],
];

function choicesFor(value: string): readonly string[] {
  const enumeration = enumerations.find((literals) => literals.includes(value));
  return enumeration ?? sorts.find(([sort]) => sort.test(value))?.[1] ?? [];
}

function changeValue(document: string, change: { readonly place: number; readonly choice: number }): string {
  const tokens = texts(document);
  const index = 2 * Math.floor((change.place * (tokens.length - 1)) / 2) + 1;
  const value = tokens[index];
  if (value === undefined) return document;
  const choices = choicesFor(value);
  tokens[index] = choices[Math.floor(change.choice * choices.length)] ?? value;
  return tokens.join('');
}

/** Positions are fractions of the length, so that shrinking keeps them inside the document. */
const place = fc.nat(999_999).map((millionths) => millionths / 1_000_000);
const piece = fc.oneof(fc.constantFrom(...pieces), anyText(8));
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), place, piece }),
  fc.record({ kind: fc.constant('replace' as const), place, piece }),
  fc.record({ kind: fc.constant('delete' as const), place, length: fc.nat(200) }),
  fc.record({ kind: fc.constant('copy' as const), place, to: place, length: fc.nat(400) }),
  fc.record({ kind: fc.constant('cut' as const), place }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(document: string, change: Mutation): string {
  const start = Math.floor(change.place * document.length);
  switch (change.kind) {
    case 'insert':
      return document.slice(0, start) + change.piece + document.slice(start);
    case 'replace': {
      // A whole tag or text is replaced, so that many results are still well-formed.
      const tokens = document.match(/<[^>]*>|[^<]+/g) ?? [];
      tokens[Math.min(Math.floor(change.place * tokens.length), tokens.length - 1)] = change.piece;
      return tokens.join('');
    }
    case 'delete':
      return document.slice(0, start) + document.slice(start + change.length);
    case 'copy': {
      const copied = document.slice(start, start + change.length);
      const target = Math.floor(change.to * document.length);
      return document.slice(0, target) + copied + document.slice(target);
    }
    case 'cut':
      return document.slice(0, start);
  }
}

/** Reads the document and exercises the result. Returns whether it could be read. */
function examine(document: string | Uint8Array): boolean {
  const began = process.cpuUsage();
  const parsed = read(document);
  if (parsed !== undefined) exercise(parsed);
  const { user, system } = process.cpuUsage(began);
  expectBelow(MOST_MS_PER_DOCUMENT, (user + system) / 1_000, 'processor time in ms');
  return parsed !== undefined;
}

/** Returns the document, or undefined if reading fails with a `BillingError` that has one problem with a position. */
function read(document: string | Uint8Array): ParsedDocument | undefined {
  try {
    return readCatalogXml(document);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    expect(error.code).to.equal(ErrorCode.CATALOG_INVALID_FOR_TENANT);
    expect(error.problems).to.have.length(1);
    expect(error.problems?.[0]?.line).to.be.greaterThan(0);
    expect(error.problems?.[0]?.column).to.be.greaterThan(0);
    expect(error.problems?.[0]?.message).to.be.a('string').and.to.have.length.lessThan(500);
    return undefined;
  }
}

/** Calls everything that accepts a well-formed document, valid or not. */
function exercise(document: ParsedDocument): void {
  const versions = document.versions.map((parsed) => {
    for (const problem of validateVersion(parsed).errors) expect(problem.line).to.be.greaterThan(0);
    return createVersion(parsed.content);
  });
  validateVersions([], versions, document.versions);
  for (const version of versions) {
    catalogJson(version, 'D');
    catalogJson(version, 'K');
    const written = canonicalXml(version);
    const [reread] = readCatalogXml(written).versions;
    expect(reread && canonicalXml(createVersion(reread.content)), 'written again').to.equal(written);
  }
  readCatalogXml(writeCatalogXml(createCatalog(versions)));
}

describe('fuzzed catalog documents', () => {
  it('produce a catalog or a BillingError for mutated text', () => {
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...seeds), mutations, (seed, changes) => {
        examine(changes.reduce(mutate, seed));
      }),
      { numRuns: runs },
    );
  }).timeout(0);

  it('produce a catalog or a BillingError for changed values', () => {
    let readable = 0;
    const changes = fc.array(fc.record({ place, choice: place }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...seeds), changes, (seed, all) => {
        if (examine(all.reduce(changeValue, seed))) readable += 1;
      }),
      { numRuns: runs },
    );
    expect(readable, 'documents that could be read').to.be.greaterThan(runs / 5);
  }).timeout(0);

  it('produce a catalog or a BillingError for mutated bytes', () => {
    const bytes = seeds.map((seed) => new TextEncoder().encode(seed));
    const flips = fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 5 });
    const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
    fc.assert(
      fc.property(fc.constantFrom(...bytes), flips, mark, (seed, changes, byteOrderMark) => {
        const document = Uint8Array.from([...byteOrderMark, ...seed]);
        for (const [at, value] of changes) document[Math.floor(at * (document.length - 1))] = value;
        examine(document);
      }),
      { numRuns: runs },
    );
  }).timeout(0);
});
