import type {
  EntryBlock,
  EntryPhase,
  EntryPrice,
  EntryTier,
  EntryUsage,
  PlanRow,
  PlanTerms,
  ProductTerms,
} from '../../../records/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS, MAX_XML_NAME_CHARACTERS } from '../../../values/limits.ts';
import type { Decimal } from '../../../values/money/index.ts';
import { isStorable, NOT_STORABLE, shortened } from '../../../values/text/index.ts';
import type { TimeUnit } from '../../../values/time/index.ts';

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
