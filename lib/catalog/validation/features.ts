import {
  type FeatureDeclaration,
  FeatureKind,
  type FeatureSetting,
  QuotaOverage,
} from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import { parseFeatureValue } from '../lookup/feature-values.ts';
import { pricedUnits } from '../lookup/priced-units.ts';
import { phaseName } from '../model/plan.ts';
import { contentPhases, type PlanContent } from '../model/version-content.ts';
import { NameKind, type VersionCheck } from './findings.ts';

const FEATURE_NAME = /^[a-z][a-zA-Z0-9-]{0,63}$/;

const FORMS: Readonly<Record<FeatureKind, string>> = {
  SWITCH: 'true or false',
  NUMBER: 'a decimal of at least 0, or UNLIMITED',
  TEXT: 'a text of at most 255 characters',
  QUOTA: 'an amount of at least 0 with a period',
};

type Declared = ReadonlyMap<string, FeatureDeclaration>;
type Settings = readonly FeatureSetting[] | undefined;

/** Checks V22 to V24: the declared features, and the feature values of products, plans and phases. */
export function* checkFeatures(check: VersionCheck): Steps<void> {
  const { features = [], products, plans } = check.content;
  const declared = new Map(features.map((feature) => [feature.name, feature]));
  checkDeclarations(check, features);
  for (const product of products)
    checkSettings(check, declared, { owner: `Product "${product.name}"`, settings: product.features });
  yield;
  const ofProducts = new Map(products.map((product) => [product.name, product.features]));
  for (const plan of plans) {
    const owner = `Plan "${plan.name}"`;
    checkSettings(check, declared, { owner, settings: plan.features });
    for (const phase of contentPhases(plan)) {
      const ofPhase = `${owner}, phase ${phaseName(plan.name, phase.type)}`;
      checkSettings(check, declared, { owner: ofPhase, settings: phase.features });
    }
    if (declared.size > 0)
      checkBilledOverage(check, declared, { plan, ofProduct: ofProducts.get(plan.product) });
    yield;
  }
}

/** Checks V22: the names, combinations and units of the declared features. */
function checkDeclarations(check: VersionCheck, features: readonly FeatureDeclaration[]): void {
  const seen = new Set<string>();
  for (const feature of features) {
    const { name, kind, combine, unit } = feature;
    const owner = `Feature ${JSON.stringify(name)}`;
    const error = (fault: string): void => check.findings.error(`${owner}${fault}`, [feature]);
    if (!FEATURE_NAME.test(name))
      error(': the name must be a lower-case letter and at most 63 letters, digits and "-"');
    if (seen.has(name)) error(' is declared twice');
    seen.add(name);
    if (combine !== null && kind !== FeatureKind.NUMBER)
      error(` is a ${kind}: only a NUMBER can have combine`);
    if (unit === null) continue;
    if (kind !== FeatureKind.QUOTA) error(` is a ${kind}: only a QUOTA can have a unit`);
    check.names.refer({ owner, kind: NameKind.UNIT, name: unit, place: [feature] });
  }
}

/** Checks V23: each value must belong to a declared feature and have the form of the feature's kind. */
function checkSettings(
  check: VersionCheck,
  declared: Declared,
  { owner, settings = [] }: { readonly owner: string; readonly settings: Settings },
): void {
  const seen = new Set<string>();
  for (const setting of settings) {
    const name = JSON.stringify(setting.name);
    const error = (fault: string): void =>
      check.findings.error(`${owner}: feature ${name} ${fault}`, [setting]);
    const kind = declared.get(setting.name)?.kind;
    if (seen.has(setting.name)) error('has more than one value');
    else if (kind === undefined) error('is not declared in this version');
    else if (parseFeatureValue(kind, setting) === undefined) error(`is a ${kind} and needs ${FORMS[kind]}`);
    seen.add(setting.name);
  }
}

interface BilledPlan {
  readonly plan: PlanContent;
  readonly ofProduct: Settings;
}

/** Checks V24: if a QUOTA bills its overage, a usage section of the plan must price the unit of the QUOTA. */
function checkBilledOverage(check: VersionCheck, declared: Declared, billed: BilledPlan): void {
  const { plan } = billed;
  const names = billedFeatures(billed);
  if (names.size === 0) return;
  const priced = pricedUnits(contentPhases(plan));
  for (const name of names) {
    const unit = declared.get(name)?.unit;
    if (unit === undefined || (unit !== null && priced.has(unit))) continue;
    const reason =
      unit === null
        ? 'the feature has no unit'
        : `no usage section of the plan prices unit ${JSON.stringify(unit)}`;
    const message = `Plan "${plan.name}": feature ${JSON.stringify(name)} cannot bill its overage: ${reason}`;
    check.findings.error(message, [plan]);
  }
}

/** Returns the names of the features that bill their overage in a phase. */
function billedFeatures({ plan, ofProduct = [] }: BilledPlan): ReadonlySet<string> {
  const names = new Set<string>();
  for (const phase of contentPhases(plan)) {
    const settings = [...ofProduct, ...(plan.features ?? []), ...(phase.features ?? [])];
    const effective = new Map(settings.map((setting) => [setting.name, setting.overage]));
    for (const [name, overage] of effective) if (overage === QuotaOverage.BILL) names.add(name);
  }
  return names;
}
