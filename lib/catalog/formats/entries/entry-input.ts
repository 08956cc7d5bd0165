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
import { isStorable, NOT_STORABLE, shortenText } from '../../../values/text/index.ts';
import type { Instant, TimeUnit } from '../../../values/time/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type { Product } from '../../model/catalog-model.ts';
import { NameKind } from '../../validation/findings.ts';
import { type DeclaredFeatures, declaredFeatures } from './entry-parts.ts';

// The input of the entry API uses the names from json-models §13 for the stored fields. All these fields are optional.

/** An input whose fields may be absent, null or "". These three forms are equivalent. */
export type EntryInputOf<T> = { readonly [Name in keyof T]?: EntryInputValue<T[Name]> | null };
export type EntryInputValue<T> = T extends Decimal | number
  ? T
  : T extends readonly (infer Item)[]
    ? readonly EntryInputValue<Item>[]
    : T extends EntryPrice
      ? PriceInput
      : T extends object
        ? EntryInputOf<T>
        : T;

export interface PriceInput {
  readonly currency?: string | null;
  readonly value?: Decimal | null;
}

/** A block of a tier. `max` defaults to −1, which means unlimited. */
export type BlockInput = EntryInputOf<EntryBlock>;

/** A tier. `tierNumber` defaults to the position of the tier, starting at 1. */
export type TierInput = EntryInputOf<EntryTier>;

/** A usage section. `tierBlockPolicy` defaults to ALL_TIERS. */
export type UsageInput = EntryInputOf<EntryUsage>;

/** A phase. A TRIAL without `fixedPrices` is free. */
export interface PhaseInput extends EntryInputOf<Omit<EntryPhase, 'duration'>> {
  readonly durationUnit?: TimeUnit | null;
  /** −1 or absent with UNLIMITED. */
  readonly durationLength?: number | null;
}

/** A plan. Its last phase is the final phase. Plans in entries are always billed IN_ADVANCE. */
export interface PlanEntryInput
  extends EntryInputOf<Omit<PlanTerms, 'xmlProduct'>>,
    EntryInputOf<Pick<PlanRow, 'effectiveDate' | 'effectiveDateForExistingSubscriptions'>> {
  readonly name?: string | null;
  readonly phases?: readonly PhaseInput[] | null;
}

export interface ProductEntryInput extends EntryInputOf<ProductTerms> {
  readonly name?: string | null;
}

export interface CatalogEntriesInput {
  /** Name of the catalog, for a tenant without an XML catalog. The first call that specifies a name stores it. */
  readonly catalogName?: string | null;
  readonly plans?: readonly PlanEntryInput[] | null;
  readonly products?: readonly ProductEntryInput[] | null;
}

export class EntryProblems {
  readonly #messages: string[] = [];

  add(message: string): void {
    this.#messages.push(message);
  }

  /** Returns the value. If it is missing, adds a problem and returns undefined. */
  need<T>(owner: string, field: string, value: T | null | undefined): T | undefined {
    if (value !== null && value !== undefined && value !== '') return value;
    this.add(`${owner}: ${field} needs to be set`);
    return undefined;
  }

  /** Returns a name that can be stored. Rule V1 later checks that it is an NCName. */
  needName(owner: string, field: string, value: string | null | undefined): string | undefined {
    const name = this.need(owner, field, value);
    if (name === undefined) return undefined;
    if (name.length <= MAX_XML_NAME_CHARACTERS) return name;
    this.add(`${owner}: ${field} is longer than ${MAX_XML_NAME_CHARACTERS} characters`);
    return undefined;
  }

  textOf(owner: string, field: string, value: string | null | undefined): string {
    const text = value ?? '';
    if (!isStorable(text)) this.add(`${owner}: ${field} ${NOT_STORABLE}`);
    return text;
  }

  /** Throws if there are problems. @throws BillingError CATALOG_ENTRY_INVALID_ENTRY (61004) with all problems. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw invalidEntry(this.#messages);
  }
}

export function invalidEntry(messages: readonly string[]): BillingError {
  const listed = messages.slice(0, MAX_LISTED_PROBLEMS);
  const text = listed.join('; ');
  return new BillingError({
    code: ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    message: `Invalid catalog entry: ${text}`,
    problems: listed.map((message): Problem => ({ message })),
  });
}

export function titleOf(kind: string, name: string | null | undefined): string {
  return name ? `${kind} "${shortenText(name)}"` : `A ${kind.toLowerCase()}`;
}

export interface KnownProduct {
  /** The id of the entry that contains the product, or null if the product is in the XML catalog. */
  readonly entryId: CatalogEntry['id'] | null;
  readonly terms: Pick<ProductTerms, 'prettyName' | 'category'>;
}

/** Resolves the names in a call, using the tenant's entries and XML versions. */
export class KnownNames {
  readonly #entries: readonly CatalogEntry[];
  readonly #xml: Catalog;
  readonly #now: Instant;

  /** @param entries Entries with the names in the input, and the entry that stores the name of the catalog. */
  constructor(entries: readonly CatalogEntry[], xml: Catalog, now: Instant) {
    this.#entries = entries;
    this.#xml = xml;
    this.#now = now;
  }

  get catalogName(): string | undefined {
    return this.#entries.find((entry) => entry.kind === EntryKind.CATALOG)?.name;
  }

  entry(kind: EntryKind, name: string): CatalogEntry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.name === name);
  }

  kindOf(name: string): NameKind | undefined {
    for (const entry of this.#entries) {
      if (entry.name === name && entry.kind !== EntryKind.CATALOG) return NameKind[entry.kind];
    }
    // A name must be unique among all versions (§4 V1).
    const holder = this.#xml.versions.find((version) => namesOf(version).has(name));
    return holder && namesOf(holder).get(name);
  }

  xmlProduct(name: string): Product | undefined {
    const holder = this.#xml.versions.findLast((version) => version.productNamed(name) !== undefined);
    return holder?.productNamed(name);
  }

  /** The features that the XML version in force declares. */
  get declaredFeatures(): DeclaredFeatures {
    return declaredFeatures(this.#inForce);
  }

  get #inForce(): CatalogVersion | undefined {
    return this.#xml.versions.length === 0 ? undefined : this.#xml.resolveVersion(this.#now);
  }

  /**
   * Finds the product of a plan. Searches the scope first, then the tenant's entries, then the XML version in force
   * (§15.4 rule 5).
   */
  productFor(scope: EntryScope, name: string): KnownProduct | undefined {
    const entry = this.entry(EntryKind.PRODUCT, name);
    const isVisible = entry?.accountId === null || entry?.accountId === scope.accountId;
    if (entry?.product && isVisible) return { entryId: entry.id, terms: entry.product };
    const { prettyName, category } = this.#inForce?.productNamed(name) ?? {};
    if (prettyName === undefined || category === undefined) return undefined;
    return { entryId: null, terms: { prettyName, category } };
  }
}

const namesOfVersion = new WeakMap<CatalogVersion, ReadonlyMap<string, NameKind>>();

function namesOf(version: CatalogVersion): ReadonlyMap<string, NameKind> {
  const known = namesOfVersion.get(version);
  if (known !== undefined) return known;
  const usages = version.plans.flatMap((plan) => plan.phases.flatMap((phase) => phase.usages));
  const kinds = (records: readonly { readonly name: string }[], kind: NameKind) =>
    records.map(({ name }) => [name, kind] as const);
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

export function uploadedNames(versions: readonly CatalogVersion[]): readonly string[] {
  const names = versions.flatMap((version) =>
    [...version.products, ...version.plans].map(({ name }) => name),
  );
  return [...new Set(names)];
}

/** Returns the names that entries use. An XML version cannot use them for plans or products (§15.6 rule 2). */
export function heldNames(
  versions: readonly CatalogVersion[],
  entries: readonly CatalogEntry[],
): readonly Problem[] {
  const held = entries.filter((entry) => entry.kind !== EntryKind.CATALOG);
  const heldNames = new Set(held.map((entry) => entry.name));
  return uploadedNames(versions)
    .filter((name) => heldNames.has(name))
    .map((name) => ({
      message: `A catalog entry named ${JSON.stringify(name)} already exists; choose a different name`,
    }));
}
