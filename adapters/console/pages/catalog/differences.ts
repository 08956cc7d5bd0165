import { words } from '../../core/index.ts';
import { texts } from '../../texts.ts';
import {
  type CatalogVersion,
  durationText,
  type Plan,
  phasePrices,
  ruleTexts,
  settingText,
} from './catalog-words.ts';

const t = texts.catalog;

/** A difference between two versions. */
export interface Difference {
  /** What differs, such as `team-monthly, evergreen, EUR`. */
  readonly subject: string;
  /** Null if only the new version has the subject. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns what differs between two versions: plans with phases, prices and features, products, and rules. */
export function differences(before: CatalogVersion, after: CatalogVersion): readonly Difference[] {
  const old = factsOf(before);
  const now = factsOf(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((subject) => ({ subject, before: old.get(subject) ?? null, after: now.get(subject) ?? null }))
    .filter((each) => each.before !== each.after);
}

/** The facts of a version in words, by their subject. */
function factsOf(version: CatalogVersion): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const plan of version.plans) addPlan(facts, plan, version.currencies);
  for (const { name, category, included, available, features = [] } of version.products) {
    const relations = [
      words(category),
      ...(included.length > 0 ? [t.includes(included.join(', '))] : []),
      ...(available.length > 0 ? [t.offers(available.join(', '))] : []),
    ];
    facts.set(t.productNamed(name), relations.join('; '));
    for (const setting of features)
      facts.set(`${t.productNamed(name)}, ${setting.name}`, settingText(setting));
  }
  for (const { name, kind } of version.features) facts.set(t.featureNamed(name), words(kind));
  for (const [name, cases] of Object.entries(version.rules))
    facts.set(t.ruleNamed(ruleName(name)), ruleTexts(cases).join('; ') || t.byDefault);
  return facts;
}

function addPlan(facts: Map<string, string>, plan: Plan, currencies: readonly string[]): void {
  facts.set(t.planNamed(plan.name), t.ofProduct(plan.product));
  for (const setting of plan.features ?? []) facts.set(`${plan.name}, ${setting.name}`, settingText(setting));
  for (const phase of plan.phases) {
    const name = `${plan.name}, ${words(phase.type).toLowerCase()}`;
    facts.set(`${name}, ${t.duration.toLowerCase()}`, durationText(phase));
    for (const currency of currencies)
      facts.set(`${name}, ${currency}`, phasePrices(phase, currency).join('; '));
  }
}

/** Returns the name of a rule as words, such as `change policy`. */
export function ruleName(name: string): string {
  return name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
}
