import {
  type CatalogEntry,
  type EntryBlock,
  EntryKind,
  type EntryPhase,
  type EntryPrice,
  type EntryScope,
  type EntryTier,
  type EntryUsage,
  type PlanRow,
  type PlanTerms,
  type ProductTerms,
} from '../../../records/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import type { Decimal } from '../../../values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../../values/text/index.ts';
import type { TimeUnit } from '../../../values/time/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type { Product } from '../../model/catalog-model.ts';
import { NameKind } from '../../validation/findings.ts';

// What callers of the entry API give, with the names of json-models §13: the stored fields, any of which may be missing.

/** Absent, null and "" are the same. */
export type EntryGiven<T> = { readonly [Name in keyof T]?: GivenValue<T[Name]> | null };
export type GivenValue<T> = T extends Decimal | number
  ? T
  : T extends readonly (infer Item)[]
    ? readonly GivenValue<Item>[]
    : T extends EntryPrice
      ? PriceInput
      : T extends object
        ? EntryGiven<T>
        : T;

export interface PriceInput {
  readonly currency?: string | null;
  readonly value?: Decimal | null;
}

/** `max` is by default −1, unbounded. */
export type BlockInput = EntryGiven<EntryBlock>;

/** `tierNumber` is by default its place in the list, from 1. */
export type TierInput = EntryGiven<EntryTier>;

/** `tierBlockPolicy` is by default ALL_TIERS. */
export type UsageInput = EntryGiven<EntryUsage>;

/** Without `fixedPrices` a TRIAL is free. */
export interface PhaseInput extends EntryGiven<Omit<EntryPhase, 'duration'>> {
  readonly durationUnit?: TimeUnit | null;
  /** −1 or absent with UNLIMITED. */
  readonly durationLength?: number | null;
}

/** A plan; the last phase is its final one. It recurs IN_ADVANCE only. */
export interface PlanEntryInput
  extends EntryGiven<Omit<PlanTerms, 'xmlProduct'>>,
    EntryGiven<Pick<PlanRow, 'effectiveDate' | 'effectiveDateForExistingSubscriptions'>> {
  readonly name?: string | null;
  readonly phases?: readonly PhaseInput[] | null;
}

export interface ProductEntryInput extends EntryGiven<ProductTerms> {
  readonly name?: string | null;
}

export interface CatalogEntriesInput {
  /** Stored from the first call that gives one; it names the catalog of a tenant without an XML catalog. */
  readonly catalogName?: string | null;
  readonly plans?: readonly PlanEntryInput[] | null;
  readonly products?: readonly ProductEntryInput[] | null;
}

/** Collects what is wrong with the input of one call. */
export class EntryProblems {
  readonly #messages: string[] = [];

  add(message: string): void {
    this.#messages.push(message);
  }

  /** The value; undefined, with a problem noted, if it is not given. */
  need<T>(owner: string, field: string, value: T | null | undefined): T | undefined {
    if (value !== null && value !== undefined && value !== '') return value;
    this.add(`${owner}: ${field} needs to be set`);
    return undefined;
  }

  /** A name that the database and a document can hold; V1 checks whether it is an NCName. */
  needName(owner: string, field: string, value: string | null | undefined): string | undefined {
    const name = this.need(owner, field, value);
    if (name === undefined) return undefined;
    if (name.length <= MAX_XML_NAME_CHARACTERS) return name;
    this.add(`${owner}: ${field} is longer than ${MAX_XML_NAME_CHARACTERS} characters`);
    return undefined;
  }

  /** Text for people; "" if none is given. */
  textOf(owner: string, field: string, value: string | null | undefined): string {
    const text = value ?? '';
    if (!isStorable(text)) this.add(`${owner}: ${field} ${NOT_STORABLE}`);
    return text;
  }

  /** @throws BillingError CATALOG_ENTRY_INVALID_ENTRY (61004) with everything found, if there is anything. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw invalidEntry(this.#messages);
  }
}

/** 61004 with every problem of the list. */
export function invalidEntry(messages: readonly string[]): BillingError {
  const listed = messages.slice(0, MAX_LISTED_PROBLEMS);
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    message: `Invalid catalog entry: ${listed.join('; ')}`,
    problems: listed.map((message): Problem => ({ message })),
  });
}

/** `Plan "gold-monthly"`, for messages. */
export function titleOf(kind: string, name: string | null | undefined): string {
  return name ? `${kind} "${shortened(name)}"` : `A ${kind.toLowerCase()}`;
}

/** A product that a plan may have. */
export interface KnownProduct {
  /** Null: a product of the XML catalog. */
  readonly entryId: CatalogEntry['id'] | null;
  readonly terms: Pick<ProductTerms, 'prettyName' | 'category'>;
}

/** The names that one call mentions, as the entries of the tenant and its XML versions know them. */
export class KnownNames {
  readonly #entries: readonly CatalogEntry[];
  readonly #xml: Catalog;
  readonly #now: Parameters<Catalog['resolveVersion']>[0];

  /** `entries`: all those of the names in question, and the one that names the entry catalog. */
  constructor(entries: readonly CatalogEntry[], xml: Catalog, now: Parameters<Catalog['resolveVersion']>[0]) {
    this.#entries = entries;
    this.#xml = xml;
    this.#now = now;
  }

  /** Name of the entry catalog, where one has been given. */
  get catalogName(): string | undefined {
    return this.#entries.find((entry) => entry.kind === EntryKind.CATALOG)?.name;
  }

  entry(kind: EntryKind, name: string): CatalogEntry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.name === name);
  }

  /** What a taken name stands for; undefined for a free one. */
  kindOf(name: string): NameKind | undefined {
    for (const entry of this.#entries) {
      if (entry.name === name && entry.kind !== EntryKind.CATALOG) return NameKind[entry.kind];
    }
    return kindOfName(this.#xml, name);
  }

  /** A product of that name in the newest XML version that has one. */
  xmlProduct(name: string): Product | undefined {
    return this.#xml.versions
      .findLast((version) => version.productNamed(name) !== undefined)
      ?.productNamed(name);
  }

  /**
   * The product as a plan of the scope finds it: entries of the scope, of the tenant, the XML version in force (§15.4
   * rule 5).
   */
  productFor(scope: EntryScope, name: string): KnownProduct | undefined {
    const entry = this.entry(EntryKind.PRODUCT, name);
    const isVisible = entry?.accountId === null || entry?.accountId === scope.accountId;
    if (entry?.product && isVisible) return { entryId: entry.id, terms: entry.product };
    const inForce = this.#xml.versions.length === 0 ? undefined : this.#xml.resolveVersion(this.#now);
    const { prettyName, category } = inForce?.productNamed(name) ?? {};
    if (prettyName === undefined || category === undefined) return undefined;
    return { entryId: null, terms: { prettyName, category } };
  }
}

const namesOfVersion = new WeakMap<CatalogVersion, ReadonlyMap<string, NameKind>>();

/** What a name stands for in any version of the catalog; undefined where it is free (V1 of §4). */
function kindOfName(catalog: Pick<Catalog, 'versions'>, name: string): NameKind | undefined {
  for (const version of catalog.versions) {
    const kind = namesOf(version).get(name);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Collected once per version, which never changes. */
function namesOf(version: CatalogVersion): ReadonlyMap<string, NameKind> {
  const known = namesOfVersion.get(version);
  if (known !== undefined) return known;
  const usages = version.plans.flatMap((plan) => plan.phases.flatMap((phase) => phase.usages));
  const names = new Map([
    ...kinds(version.units, NameKind.UNIT),
    ...kinds(usages, NameKind.USAGE),
    ...kinds(version.allPriceLists, NameKind.PRICE_LIST),
    ...kinds(version.products, NameKind.PRODUCT),
    ...kinds(version.plans, NameKind.PLAN),
  ]);
  namesOfVersion.set(version, names);
  return names;
}

function kinds(
  records: readonly { readonly name: string }[],
  kind: NameKind,
): readonly (readonly [string, NameKind])[] {
  return records.map((record) => [record.name, kind]);
}

/** Names of the plans and products of these versions. */
export function uploadedNames(versions: readonly CatalogVersion[]): readonly string[] {
  const names = versions.flatMap((version) =>
    [...version.products, ...version.plans].map(({ name }) => name),
  );
  return [...new Set(names)];
}

/** An XML version cannot take a plan or product name that a catalog entry holds (§15.6 rule 2). */
export function heldNames(
  versions: readonly CatalogVersion[],
  entries: readonly CatalogEntry[],
): readonly Problem[] {
  const held = new Set(
    entries.filter((entry) => entry.kind !== EntryKind.CATALOG).map((entry) => entry.name),
  );
  return uploadedNames(versions)
    .filter((name) => held.has(name))
    .map((name) => ({ message: `The name ${JSON.stringify(name)} is already that of a catalog entry` }));
}
