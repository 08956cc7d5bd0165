import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import type { Plan, Product } from '../model/catalog-model.ts';
import type { Location, ParsedVersion } from '../model/version-content.ts';

/**
 * Checks new versions, each valid by itself, against those that the tenant has and against each other (§5
 * rules 1 to 3): one name, no date twice, and in all versions the same phases of a plan, product of a plan and category
 * of a product. Empty: they may be stored. Lines and columns come from `parsed`, the documents of `added` in the same
 * order, if it is given.
 */
export function validateVersions(
  stored: readonly CatalogVersion[],
  added: readonly CatalogVersion[],
  parsed: readonly ParsedVersion[] = [],
): readonly Problem[] {
  return atOnce(agreementSteps(stored, added, parsed));
}

/** As `validateVersions`, step by step. */
export function* agreementSteps(
  stored: readonly CatalogVersion[],
  added: readonly CatalogVersion[],
  parsed: readonly ParsedVersion[] = [],
): Steps<readonly Problem[]> {
  const agreement = new Agreement(stored);
  const problems: Problem[] = [];
  for (const [index, version] of added.entries()) {
    problems.push(...(yield* agreement.conflicts(version, parsed[index])));
    agreement.extend(version);
  }
  return problems;
}

interface Held<T> {
  readonly value: T;
  readonly version: CatalogVersion;
}

/**
 * What versions have in common so far. They agree with each other, so the first holder of a name stands for all; of the
 * plans of many versions only those are read that a new version has too.
 */
class Agreement {
  readonly #versions: CatalogVersion[];
  readonly #dates: Set<Instant>;

  constructor(stored: readonly CatalogVersion[]) {
    this.#versions = [...stored];
    this.#dates = new Set(stored.map((version) => version.effectiveDate));
  }

  extend(version: CatalogVersion): void {
    this.#versions.push(version);
    this.#dates.add(version.effectiveDate);
  }

  *conflicts(version: CatalogVersion, parsed: ParsedVersion | undefined): Steps<readonly Problem[]> {
    const written = new Map(parsed?.content.plans.map((plan) => [plan.name, plan]));
    const locatePlan = (plan: Plan, child?: string): Location | undefined => {
      const content = written.get(plan.name);
      return content && parsed?.locate(content, child);
    };
    const ofProducts = yield* eachStep(version.productParts.parts, ({ value }) =>
      this.#productConflict(value, parsed),
    );
    const ofPlans = yield* eachStep(version.planParts.parts, ({ value }) =>
      this.#planConflicts(value, locatePlan),
    );
    return [
      ...this.#nameConflict(version, parsed),
      ...this.#dateConflict(version, parsed),
      ...ofProducts.flat(),
      ...ofPlans.flat(),
    ];
  }

  #nameConflict(version: CatalogVersion, parsed: ParsedVersion | undefined): readonly Problem[] {
    const name = this.#versions[0]?.catalogName;
    if (name === undefined || name === version.catalogName) return [];
    const message = `The name differs: this version is of catalog "${version.catalogName}", the others are of "${name}"`;
    return [{ message, ...parsed?.locate(parsed.content, 'catalogName') }];
  }

  #dateConflict(version: CatalogVersion, parsed: ParsedVersion | undefined): readonly Problem[] {
    if (!this.#dates.has(version.effectiveDate)) return [];
    const message = `There already is a version of effective date ${formatInstant(version.effectiveDate)}; a version is changed by one of a later date`;
    return [{ message, ...parsed?.locate(parsed.content, 'effectiveDate') }];
  }

  #productConflict(product: Product, parsed: ParsedVersion | undefined): readonly Problem[] {
    const known = this.#first((candidate) => candidate.productNamed(product.name));
    if (known === undefined || known.value.category === product.category) return [];
    const message = `Product "${product.name}" is ${product.category} here and ${known.value.category} in ${known.version.title}`;
    return [{ message, ...parsed?.locate(product, 'category') }];
  }

  #planConflicts(
    plan: Plan,
    locate: (plan: Plan, child?: string) => Location | undefined,
  ): readonly Problem[] {
    const known = this.#first((candidate) => candidate.planNamed(plan.name));
    if (known === undefined) return [];
    const problems: Problem[] = [];
    if (known.value.product !== plan.product) {
      const message = `Plan "${plan.name}" is of product "${plan.product}" here and of "${known.value.product}" in ${known.version.title}`;
      problems.push({ message, ...locate(plan, 'product') });
    }
    if (shapeOf(known.value) !== shapeOf(plan)) {
      const message = `Plan "${plan.name}" has the phases ${shapeOf(plan)} here and ${shapeOf(known.value)} in ${known.version.title}`;
      problems.push({ message, ...locate(plan) });
    }
    return problems;
  }

  #first<T>(find: (version: CatalogVersion) => T | undefined): Held<T> | undefined {
    for (const version of this.#versions) {
      const value = find(version);
      if (value !== undefined) return { value, version };
    }
    return undefined;
  }
}

function shapeOf(plan: Plan): string {
  return plan.phases.map((phase) => phase.type).join(', ');
}
