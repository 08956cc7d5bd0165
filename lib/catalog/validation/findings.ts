import type { TenantRef } from '../../records/index.ts';
import { BillingError, ErrorCode, type Problem, problemText } from '../../values/errors/index.ts';
import { MAX_LISTED_PROBLEMS } from '../../values/limits.ts';
import type { Currency } from '../../values/money/index.ts';
import { DEFAULT_PRICE_LIST } from '../model/catalog-model.ts';
import type { Locate, VersionContent } from '../model/version-content.ts';

type Place = readonly [record: object, child?: string, index?: number];

/** Collects the problems of one version, with positions if the version came from a document. */
export class Findings {
  readonly #locate: Locate | null;
  readonly #errors: Problem[] = [];
  readonly #unbilled: Problem[] = [];
  readonly #warnings: Problem[] = [];
  #unlistedErrors = 0;

  constructor(locate: Locate | null) {
    this.#locate = locate;
  }

  /** The errors in order. Errors beyond the limit are counted but not listed. */
  get errors(): readonly Problem[] {
    if (this.#unlistedErrors === 0) return [...this.#errors];
    return [...this.#errors, { message: `${this.#unlistedErrors} more errors were found` }];
  }

  /** The V21 problems of the version. */
  get unbilled(): readonly Problem[] {
    return [...this.#unbilled];
  }

  get warnings(): readonly Problem[] {
    return [...this.#warnings];
  }

  error(message: string, place: Place): void {
    if (!this.#add(this.#errors, message, place)) this.#unlistedErrors += 1;
  }

  unbilledUsage(message: string, place: Place): void {
    this.#add(this.#unbilled, message, place);
  }

  warn(message: string, place: Place): void {
    this.#add(this.#warnings, message, place);
  }

  #add(list: Problem[], message: string, place: Place): boolean {
    if (list.length >= MAX_LISTED_PROBLEMS) return false;
    list.push({ message, ...this.#locate?.(...place) });
    return true;
  }
}

export const NameKind = {
  UNIT: 'unit',
  PRODUCT: 'product',
  PLAN: 'plan',
  USAGE: 'usage',
  PRICE_LIST: 'price list',
} as const;
export type NameKind = (typeof NameKind)[keyof typeof NameKind];

const NAME_START =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const NC_NAME = new RegExp(
  `^[${NAME_START}][${NAME_START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040]*$`,
  'u',
);

/**
 * Returns true if the name is an NCName. An NCName contains no space and none of `: @ $ % & / + , ;`. It does not start
 * with a digit, dot or minus.
 */
export function isNcName(name: string): boolean {
  return NC_NAME.test(name);
}

export class Names {
  readonly #kinds = new Map<string, Set<NameKind>>();
  readonly #seen = new Map<string, NameKind>();
  readonly #findings: Findings;

  constructor(content: VersionContent, findings: Findings) {
    this.#findings = findings;
    for (const unit of content.units) this.#add(unit.name, NameKind.UNIT);
    for (const product of content.products) this.#add(product.name, NameKind.PRODUCT);
    for (const plan of content.plans) this.#add(plan.name, NameKind.PLAN);
    for (const list of content.priceLists.childPriceLists) this.#add(list.name, NameKind.PRICE_LIST);
    // DEFAULT is treated as declared even if its list has an invalid name.
    // References to DEFAULT are therefore not reported.
    this.#add(DEFAULT_PRICE_LIST, NameKind.PRICE_LIST);
  }

  /**
   * Checks V1: the name must be an NCName and unique among the names of all kinds. Reports the later of two equal
   * names.
   */
  declare(kind: NameKind, record: { readonly name: string }): void {
    const { name } = record;
    const holder = this.#seen.get(name);
    if (!isNcName(name)) {
      this.#findings.error(
        `${capital(kind)} ${JSON.stringify(name)}: the name is not an XML NCName (a letter or underscore, then letters, digits, "-", "_" and ".")`,
        [record],
      );
    } else if (holder !== undefined) {
      this.#findings.error(
        `${capital(kind)} "${name}": the name is already used by a ${holder}; names must be unique across units, products, plans, usages and price lists`,
        [record],
      );
    } else {
      this.#seen.set(name, kind);
    }
  }

  has(kind: NameKind, name: string): boolean {
    return this.#kinds.get(name)?.has(kind) ?? false;
  }

  /** Checks V2: the target of a reference must exist and have the right kind. */
  refer(reference: Reference): boolean {
    const { owner, kind, name, place } = reference;
    const kinds = this.#kinds.get(name);
    if (kinds?.has(kind)) return true;
    const [otherKind] = kinds ?? [];
    const fault =
      otherKind === undefined ? 'does not exist in this version' : `is a ${otherKind}, not a ${kind}`;
    this.#findings.error(`${owner}: ${kind} ${JSON.stringify(name)} ${fault}`, place);
    return false;
  }

  #add(name: string, kind: NameKind): void {
    const kinds = this.#kinds.get(name);
    if (kinds === undefined) this.#kinds.set(name, new Set([kind]));
    else kinds.add(kind);
  }
}

interface Reference {
  /** Description of the owner for messages, such as `Plan "gold-monthly"`. */
  readonly owner: string;
  readonly kind: NameKind;
  readonly name: string;
  readonly place: Place;
}

function capital(kind: NameKind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

export interface VersionCheck {
  readonly content: VersionContent;
  readonly findings: Findings;
  readonly names: Names;
  readonly currencies: ReadonlySet<Currency>;
}

export function invalidCatalog(problems: readonly Problem[]): BillingError {
  const listed = problems.map(({ message }) => message).join('; ');
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog: ${listed}`,
    problems,
  });
}

/** Returns an error that names the tenant and lists all problems (§5 rule 7). */
export function invalidForTenant(tenant: TenantRef, problems: readonly Problem[]): BillingError {
  const listed = problems.map(problemText).join('; ');
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog for tenant ${tenant.id}: ${listed}`,
    facts: { tenantId: tenant.id },
    problems,
  });
}

export async function forTenant<T>(tenant: TenantRef, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.CATALOG_INVALID_FOR_TENANT) throw error;
    throw invalidForTenant(tenant, error.problems ?? [{ message: error.message }]);
  }
}
