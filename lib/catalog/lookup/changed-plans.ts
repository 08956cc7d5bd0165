import type { PartList } from '../model/part-list.ts';
import { textOfValue } from '../model/plain-text.ts';
import type { CatalogVersion } from './catalog-version.ts';

/** Names of plans, or null: any plan. */
export type ChangedPlans = ReadonlySet<string> | null;

/**
 * The plans whose subscriptions may be billed differently since versions were added to a catalog: those that an added
 * version has otherwise than the version in force before it, and every plan if the added version changes the day of
 * billing. Reads no plan.
 * @param before versions that `after` contains too.
 * @param after all versions, ascending by effective date.
 */
export function changedPlans(
  before: readonly CatalogVersion[],
  after: readonly CatalogVersion[],
): ChangedPlans {
  const held = new Set(before);
  const changed = new Set<string>();
  for (const [index, version] of after.entries()) {
    if (held.has(version)) continue;
    // §6.1: before the first version the first version is in force.
    const inForce = after[index - 1] ?? before[0];
    if (inForce === undefined || !alignsAlike(version, inForce)) return null;
    addDifferent(version.planParts, inForce.planParts, changed);
    addDifferent(inForce.planParts, version.planParts, changed);
  }
  return changed;
}

function alignsAlike(one: CatalogVersion, other: CatalogVersion): boolean {
  if (one.frame === other.frame) return true;
  return textOfValue(one.rules.billingAlignment) === textOfValue(other.rules.billingAlignment);
}

function addDifferent<T extends object>(list: PartList<T>, other: PartList<T>, names: Set<string>): void {
  if (list === other) return;
  for (const part of list.parts) if (other.part(part.name) !== part) names.add(part.name);
}
