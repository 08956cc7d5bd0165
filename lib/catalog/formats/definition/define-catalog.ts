import type { AnyVersionDefinition, VersionDefinition } from '../../../ports/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import type { Currency } from '../../../values/money/index.ts';
import { type Catalog, createCatalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, createVersion } from '../../lookup/catalog-version.ts';
import { createPlan, samePlan } from '../../model/plan.ts';
import { invalidCatalog } from '../../validation/invalid-catalog.ts';
import { validateVersion } from '../../validation/validate-version.ts';
import { validateVersions } from '../../validation/validate-versions.ts';
import { writeCatalogXml } from '../xml/write-catalog.ts';
import { contentOf } from './content-of-definition.ts';

/** A catalog written in code: both the value that the engine works with, and the equivalent document. */
export class DefinedCatalog {
  readonly name: string;
  readonly catalog: Catalog;

  constructor(name: string, versions: readonly CatalogVersion[]) {
    this.name = name;
    this.catalog = createCatalog(versions);
    Object.freeze(this);
  }

  /**
   * The same catalog with one more version. A version is complete: what it leaves out is retired from its date on.
   * @throws BillingError 2080 as `defineCatalog`, also if the versions contradict each other (§5).
   */
  withVersion<
    const C extends Currency,
    const P extends string,
    const N extends string,
    const L extends string,
    const U extends string = never,
  >(definition: VersionDefinition<C, U, P, N, L>): DefinedCatalog {
    const { versions } = this.catalog;
    const added = versionOf(this.name, definition, versions);
    throwAny(validateVersions(versions, [added]));
    return new DefinedCatalog(this.name, [...versions, added]);
  }

  /** The envelope that retrieval returns too (§3.4). `uploadCatalog` takes this text, and also this value itself. */
  toXml(): string {
    return writeCatalogXml(this.catalog);
  }
}

/**
 * A catalog written in TypeScript. Products, plans, price lists, units and currencies that a version refers to are
 * checked by the compiler; everything else is validated at once, as an upload would do it (§4).
 *
 * @param definition the first version; further ones are added by `withVersion`.
 * @returns an immutable value, equal to what its XML is read as.
 * @throws BillingError 2080 `CATALOG_INVALID_FOR_TENANT` with all errors as `problems`.
 *
 * @example
 * const lantern = defineCatalog({
 *   name: 'Lantern',
 *   effectiveDate: '2026-01-01',
 *   recurringBillingMode: 'IN_ADVANCE',
 *   currencies: ['USD'],
 *   products: { Light: { category: 'BASE' } },
 *   plans: {
 *     'light-monthly': {
 *       product: 'Light',
 *       finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '9.00' } } },
 *     },
 *   },
 *   priceLists: { DEFAULT: ['light-monthly'] },
 *   rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'END_OF_TERM' }] },
 * });
 * await acme.uploadCatalog(lantern);
 */
export function defineCatalog<
  const C extends Currency,
  const P extends string,
  const N extends string,
  const L extends string,
  const U extends string = never,
>(definition: VersionDefinition<C, U, P, N, L> & { readonly name: string }): DefinedCatalog {
  return new DefinedCatalog(definition.name, [versionOf(definition.name, definition, [])]);
}

/** Reuses the objects of plans that are equal in earlier versions. */
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
