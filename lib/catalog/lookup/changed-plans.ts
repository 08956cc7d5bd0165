import type { PartList } from '../model/part-list.ts';
import { textOfValue } from '../model/plain-text.ts';
import type { CatalogVersion } from './catalog-version.ts';

/** Names of plans, or null: any plan. */
export type ChangedPlans = ReadonlySet<string> | null;

/**
 * The plans whose subscriptions may be billed otherwise since versions were added to a catalog: those that an added
 * version does not have just as the version has that was in force in its place, and every plan where it says otherwise by
 * which day they are billed. No plan is read.
 * @param before versions that `after` holds too.
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
