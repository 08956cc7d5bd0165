import type {
  AnyVersionDefinition,
  CatalogDefinition,
  FeatureDefinitions,
  VersionDefinition,
} from '../../ports/index.ts';
import { trimXml, XML_CHARACTERS } from '../../values/documents/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS, MAX_XML_TEXT_CHARACTERS } from '../../values/limits.ts';
import { type Currency, Decimal, formatDecimal } from '../../values/money/index.ts';
import { describeValue, shortenText } from '../../values/text/index.ts';
import { type Catalog, createCatalog } from '../lookup/catalog.ts';
import { type CatalogVersion, createVersion } from '../lookup/catalog-version.ts';
import { DEFAULT_PRICE_LIST } from '../model/catalog-model.ts';
import { createPlan, samePlan } from '../model/plan.ts';
import type { VersionContent } from '../model/version-content.ts';
import { invalidCatalog } from '../validation/findings.ts';
import { validateVersion, validateVersions } from '../validation/validate-version.ts';
import { featureSetting, internationalPrice, phase, version } from './fields/catalog-records.ts';
import {
  anyText,
  currency,
  decimal,
  featureText,
  flag,
  int,
  type NamedField,
  PREFIX,
  type RecordType,
  type RuleCaseType,
  recordOf,
  type Scalar,
  type ValueType,
} from './fields/field.ts';
import { writeCatalogXml } from './xml/write-catalog.ts';

type NoFeatures = Readonly<Record<never, never>>;

/** The names of the features that a catalog declares. Write `FeatureName<typeof catalog>`. */
export type FeatureName<C> = C extends DefinedCatalog<infer F> ? F : never;

/** A catalog that is defined in code, with the equivalent document. F is the type of the names of its features. */
export class DefinedCatalog<F extends string = string> {
  readonly name: string;
  readonly catalog: Catalog;
  /** Type-only property with the names of the features. Never set. */
  declare readonly featureNames?: F;

  constructor(name: string, versions: readonly CatalogVersion[]) {
    this.name = name;
    this.catalog = createCatalog(versions);
    Object.freeze(this);
  }

  /**
   * Returns the catalog with one more version. Versions are complete: a missing plan is retired from the version's
   * date on.
   * @throws BillingError 2080 like `defineCatalog`, and if the versions contradict each other (§5).
   */
  withVersion<
    const C extends Currency,
    const P extends string,
    const N extends string,
    const L extends string,
    const U extends string = never,
    const D extends FeatureDefinitions = NoFeatures,
  >(definition: VersionDefinition<C, U, P, N, L, D>): DefinedCatalog<F | (keyof D & string)> {
    const { versions } = this.catalog;
    const added = versionOf(this.name, definition, versions);
    throwAny(validateVersions(versions, [added]));
    return new DefinedCatalog(this.name, [...versions, added]);
  }

  /**
   * Returns the catalog as the XML envelope that retrieval returns (§3.4). `uploadCatalog` accepts this text or the
   * catalog itself.
   */
  toXml(): string {
    return writeCatalogXml(this.catalog);
  }
}

/**
 * Returns a catalog written in TypeScript. The compiler checks a version's references to products, plans, price
 * lists, units and currencies. Everything else is validated immediately, as in an upload (§4).
 *
 * @param definition the first version. Add further versions with `withVersion`.
 * @returns an immutable catalog, equal to the catalog that its XML describes.
 * @throws BillingError 2080 `CATALOG_INVALID_FOR_TENANT` with all errors as `problems`.
 *
 * @example const lantern = defineCatalog({ name: 'Lantern', effectiveDate: '2026-01-01',
 * recurringBillingMode: 'IN_ADVANCE', currencies: ['USD'], products: { Light: { category: 'BASE' } }, plans:
 * { 'light-monthly': { product: 'Light', finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod:
 * 'MONTHLY', price: { USD: '9.00' } } }, }, }, priceLists: { DEFAULT: ['light-monthly'] }, rules: {
 * changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'END_OF_TERM' }] }, }); await
 * acme.uploadCatalog(lantern);
 */
export function defineCatalog<
  const C extends Currency,
  const P extends string,
  const N extends string,
  const L extends string,
  const U extends string = never,
  const D extends FeatureDefinitions = NoFeatures,
>(
  definition: VersionDefinition<C, U, P, N, L, D> & { readonly name: string },
): DefinedCatalog<keyof D & string> {
  return new DefinedCatalog(definition.name, [versionOf(definition.name, definition, [])]);
}

/** Returns the version. Plans that are equal to plans of earlier versions are shared with them. */
function versionOf(
  name: string,
  definition: AnyVersionDefinition,
  earlier: readonly CatalogVersion[],
): CatalogVersion {
  const { content, problems } = contentOf(name, definition);
  throwAny(problems);
  throwAny(validateVersion({ content }).errors);
  const plans = content.plans.map((written) => {
    const plan = createPlan(written, content.recurringBillingMode);
    const known = earlier.map((version) => version.planNamed(plan.name));
    return known.find((candidate) => candidate !== undefined && samePlan(candidate, plan)) ?? plan;
  });
  return createVersion({ ...content, plans });
}

function throwAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidCatalog(problems);
}

/**
 * Returns a plugin's catalog, validated like an uploaded one (§16 rule 4).
 * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) with the plugin's name and every error.
 */
export function compilePluginCatalog(
  { name, versions: given }: CatalogDefinition,
  origin: { readonly tenantId: string; readonly pluginName: string },
): Catalog {
  const versions: CatalogVersion[] = [];
  const problems: Problem[] = [];
  if (!Array.isArray(given)) problems.push({ message: 'versions is not a list' });
  else {
    for (const version of given) {
      const read = contentOf(name, version, []);
      const faults = read.problems.length > 0 ? read.problems : validateVersion(read).errors;
      problems.push(...faults);
      if (faults.length === 0) versions.push(createVersion(read.content));
    }
  }
  if (problems.length === 0) problems.push(...validateVersions([], versions));
  if (problems.length > 0) throw invalid(problems, origin);
  return createCatalog(versions);
}

function invalid(
  problems: readonly Problem[],
  { tenantId, pluginName }: { readonly tenantId: string; readonly pluginName: string },
): BillingError {
  const listed = problems.map((problem) => problem.message).join('; ');
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog for tenant ${tenantId}, returned by catalog plugin "${pluginName}": ${listed}`,
    facts: { tenantId, pluginName },
    problems,
  });
}

interface ReadDefinition {
  /** The content of the version. It must not be used if there are problems. */
  readonly content: VersionContent;
  readonly problems: readonly Problem[];
}

/**
 * Converts a definition to the content of the equivalent document.
 * @param missingDefault the plans of `DEFAULT` for a definition that has only other lists. By default, a missing
 * `DEFAULT` is a problem.
 */
function contentOf(
  name: string,
  definition: AnyVersionDefinition,
  missingDefault?: readonly string[],
): ReadDefinition {
  const reader = new DefinitionReader();
  // A plugin may return any value.
  const given: Partial<AnyVersionDefinition> = Object(definition);
  const lists = given.priceLists ?? { [DEFAULT_PRICE_LIST]: Object.keys(Object(given.plans)) };
  const { [DEFAULT_PRICE_LIST]: defaultList = missingDefault, ...childPriceLists } = lists;
  if (defaultList === undefined) reader.note(`priceLists: the list ${DEFAULT_PRICE_LIST} is missing`);
  const defaultPriceList = Array.isArray(defaultList) ? { plans: defaultList } : defaultList;
  const priceLists = { defaultPriceList: { name: DEFAULT_PRICE_LIST, ...defaultPriceList }, childPriceLists };
  const content = reader.record(version, { ...given, catalogName: name, priceLists }, '');
  return { content, problems: reader.problems };
}

type HostInput = Readonly<Record<string, unknown>>;

/**
 * Parses a definition according to the field tables. Records with names are keyed by name and prices by currency; rule
 * cases are flat. If there are problems, the result does not conform to its type.
 */
class DefinitionReader {
  readonly problems: Problem[] = [];

  record<T>(type: RecordType<T>, given: unknown, place: string): T {
    const values = isRecord(given) ? given : this.note(`${place}: ${describeValue(given)} is not an object`);
    return recordOf(type, (field) => values && this.#field(field, values[field.name], place));
  }

  note(message: string): undefined {
    if (this.problems.length < MAX_LISTED_PROBLEMS) this.problems.push({ message });
  }

  #field(field: NamedField, given: unknown, owner: string): unknown {
    const { name, place, type } = field;
    if (given === undefined || given === null) {
      const isOptional = field.ifAbsent !== undefined || field.absent !== undefined;
      return isOptional ? field.ifAbsent : this.note(`${below(owner, name)} is missing`);
    }
    if (place === 'list' || place === 'repeated') return this.#items(field, given, owner);
    return this.#value(type, given, placeOf(type, given, { owner, name }));
  }

  #items({ name, item = name, type }: NamedField, given: unknown, owner: string): unknown {
    if (type.kind === 'record' && type.fields.some((field) => field.name === 'name')) {
      if (!isRecord(given))
        return this.note(`${below(owner, name)}: ${describeValue(given)} is not an object keyed by name`);
      return Object.entries(given).map(([key, each]) => {
        const place = placeOf(type, each, {
          owner,
          name: `${item.startsWith(PREFIX) ? 'feature' : item} "${shortenText(key)}"`,
        });
        return this.record(type, { ...(inFull(type, each) as object), name: key }, place);
      });
    }
    if (!Array.isArray(given))
      return this.note(`${below(owner, name)}: ${describeValue(given)} is not a list`);
    return given.map((each, index) =>
      this.#value(type, each, placeOf(type, each, { owner, name: `${name} ${index + 1}` })),
    );
  }

  #value(type: ValueType, given: unknown, place: string): unknown {
    if (type === internationalPrice) return this.#price(given, place);
    if (type.kind === 'case') return this.#case(type, given, place);
    return type.kind === 'scalar'
      ? this.#scalar(type, given, place)
      : this.record(type, inFull(type, given), place);
  }

  #scalar(type: Scalar, given: unknown, place: string): unknown {
    const text = textOf(type, given);
    if (text !== undefined && (!XML_CHARACTERS.test(text) || text.length > MAX_XML_TEXT_CHARACTERS)) {
      return this.note(
        `${place}: ${describeValue(given)} is too long or contains characters that XML does not allow`,
      );
    }
    const value = text === undefined ? undefined : type.parse(isUntrimmed(type) ? text : trimXml(text));
    return value === undefined
      ? this.note(`${place}: ${describeValue(given)} is not ${type.description}`)
      : value;
  }

  /** Parses a price. `0` means zero in every currency. */
  #price(given: unknown, place: string): unknown {
    if (given === 0) return { prices: [] };
    if (!isRecord(given))
      return this.note(`${place}: ${describeValue(given)} is neither 0 nor an object of amounts by currency`);
    const amounts = Object.entries(given).filter(([, amount]) => amount !== undefined);
    return {
      prices: amounts.map(([code, amount]) => ({
        currency: this.#scalar(currency, code, place),
        amount: amount === null ? null : this.#amount(amount, `${place}, ${shortenText(code)}`),
      })),
    };
  }

  /** Parses an amount. Rejects JavaScript numbers, because their digits may be inexact. */
  #amount(given: unknown, place: string): unknown {
    if (typeof given !== 'number') return this.#scalar(decimal, given, place);
    return this.note(`${place}: the number ${given} is not ${decimal.description}; write it as text`);
  }

  #case({ conditions, resultName, result }: RuleCaseType, given: unknown, place: string): unknown {
    if (!isRecord(given)) return this.note(`${place}: ${describeValue(given)} is not an object`);
    for (const name of Object.keys(given)) {
      if (name !== resultName && !(name in conditions))
        this.note(`${place}: unknown condition "${shortenText(name)}"`);
    }
    const said = Object.entries(conditions).map(([name, type]) => {
      const value = given[name] ?? null;
      return [name, value === null ? null : this.#scalar(type, value, `${place}, ${name}`)];
    });
    return {
      conditions: Object.fromEntries(said),
      result: this.#scalar(result, given[resultName], `${place}, ${resultName}`),
    };
  }
}

function placeOf(
  type: ValueType,
  given: unknown,
  { owner, name }: { readonly owner: string; readonly name: string },
): string {
  if (type === phase)
    return `${owner}, phase ${isRecord(given) ? shortenText(String(given.type)) : describeValue(given)}`;
  // The path leads to the section that contains the price, because problems with a price are reported there.
  return name === 'price' ? owner : below(owner, name);
}

function below(owner: string, name: string): string {
  if (owner !== '') return `${owner}, ${name}`;
  return name.includes('"') ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}

function inFull(type: RecordType, given: unknown): unknown {
  // In a definition, the value of a NUMBER or QUOTA is called its amount.
  if (type === featureSetting) return isRecord(given) ? { ...given, value: given.amount } : { value: given };
  const { short, fields } = type;
  const isFull = short === undefined || (isRecord(given) && fields.some(({ name }) => name in given));
  return isFull ? given : { [short]: given };
}

function isUntrimmed(type: Scalar): boolean {
  return type === anyText || type === featureText;
}

/** Returns the text of a scalar, or undefined if the value has a different type. */
function textOf(type: Scalar, given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const isFeature = type === featureText;
  if (typeof given === 'boolean' && (type === flag || isFeature)) return String(given);
  if (typeof given === 'number' && (type === decimal || type === int || isFeature)) return String(given);
  return Decimal.isDecimal(given) && (type === decimal || isFeature) ? formatDecimal(given) : undefined;
}

function isRecord(given: unknown): given is HostInput {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
