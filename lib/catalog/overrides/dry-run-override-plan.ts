import type { Catalog } from '../lookup/catalog.ts';
import { hasPlan } from './catalog-with-overrides.ts';
import type { OverrideDefinition } from './define-overrides.ts';
import { freeNumber, OverridePlan } from './override-plan.ts';

/**
 * The override plan of a dry run: named `<parent>-dryrun-<number>`, known to that call only and never stored (§10 rule
 * 8). Give it to `CatalogWithOverrides.with`.
 * @param first the number to begin with; one whose name a plan of the catalog has is passed over.
 */
export function dryRunOverridePlan(
  definition: OverrideDefinition,
  catalog: Catalog,
  first = 1,
): OverridePlan {
  const nameOf = (number: number): string => `${definition.parentPlanName}-dryrun-${number}`;
  return new OverridePlan(nameOf(freeNumber(first, (each) => hasPlan(catalog, nameOf(each)))), definition);
}
