import { eachStep, type Steps } from '../../runtime/index.ts';
import { soldAs } from '../model/part.ts';
import type { CatalogVersion } from './catalog-version.ts';
import { featureValuesOf } from './feature-values.ts';

/** The plans and features that differ between catalog versions. */
export interface FeatureDifferences {
  /** Names of plans that have different feature values in a phase. */
  readonly plans: ReadonlySet<string>;
  /** Names of features with different declarations. Includes features that were added or removed. */
  readonly features: ReadonlySet<string>;
}

/**
 * Yields the feature changes that the added versions introduce. Compares each added version with the version in force
 * before it, or with nothing if it is the first. Decodes plans only if they, their products or the declarations differ.
 * @param before Versions at an earlier revision.
 * @param after All versions, sorted by effective date.
 */
export function* featureDifferences(
  before: readonly CatalogVersion[],
  after: readonly CatalogVersion[],
): Steps<FeatureDifferences> {
  const held = new Set(before);
  const plans = new Set<string>();
  const features = new Set<string>();
  for (const [index, version] of after.entries()) {
    // The first version is also in force before its date (§6.1).
    const inForce = after[index - 1] ?? before[0];
    if (held.has(version) || declarations(version).size + declarations(inForce).size === 0) continue;
    const declared = differentKeys(declarations(version), declarations(inForce));
    const names = new Set([version, inForce].flatMap((each) => [...(each?.planParts.names() ?? [])]));
    const differs = yield* eachStep(names, (name) => {
      const isSame = declared.length === 0 && isSharedPlan(name, version, inForce);
      return isSame || valuesText(version, name) === valuesText(inForce, name) ? [] : [name];
    });
    for (const name of declared) features.add(name);
    for (const name of differs.flat()) plans.add(name);
  }
  return { plans, features };
}

type Version = CatalogVersion | undefined;

function declarations(version: Version): ReadonlyMap<string, string> {
  return new Map((version?.features ?? []).map((feature) => [feature.name, JSON.stringify(feature)]));
}

function differentKeys(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));
}

/** Returns true if both versions contain the same plan and the same product. */
function isSharedPlan(name: string, version: CatalogVersion, other: Version): boolean {
  const part = version.planParts.part(name);
  if (part === undefined || part !== other?.planParts.part(name)) return false;
  const { product } = soldAs(part);
  return version.productParts.part(product) === other.productParts.part(product);
}

/** Returns the values of a plan's phases as text. */
function valuesText(version: Version, planName: string): string {
  const plan = version?.planNamed(planName);
  if (version === undefined || plan === undefined) return '[]';
  const phases = plan.phases.map((phase) => [phase.type, ...featureValuesOf(version, plan, phase)]);
  return JSON.stringify(phases.filter(([, value]) => value !== undefined));
}
