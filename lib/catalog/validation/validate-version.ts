import {
  BillingActionPolicy,
  BillingMode,
  type FeatureDeclaration,
  ProductCategory,
} from '../../records/index.ts';
import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import { steps } from '../lookup/priced-units.ts';
import {
  DEFAULT_PRICE_LIST,
  type Plan,
  type PlanRules,
  type PriceList,
  type Product,
  type RuleCase,
  type Usage,
} from '../model/catalog-model.ts';
import { pricesOfUsage } from '../model/plan.ts';
import {
  contentPhases,
  exceededLimits,
  type Locate,
  type Location,
  type ParsedVersion,
  type VersionContent,
} from '../model/version-content.ts';
import { checkFeatures } from './features.ts';
import { Findings, NameKind, Names, type VersionCheck } from './findings.ts';
import { checkLimits, checkPhaseTerms, checkPlans, isUnbounded } from './plans.ts';

export interface VersionValidation {
  /**
   * The errors, in the order units, products, plans, features, price lists, rules, durations. The list is empty for a
   * valid version.
   */
  readonly errors: readonly Problem[];
  /** Problems that do not prevent an upload. */
  readonly warnings: readonly Problem[];
}

/**
 * Checks the size of one version (platform §16), rules V1 to V24 and the warnings of §4. Collects all errors. If
 * `locate` knows their positions, the errors contain line numbers. Never throws.
 */
export function validateVersion(version: ValidatedContent): VersionValidation {
  const { errors, unbilled, warnings } = atOnce(validationSteps(version));
  return { errors: [...errors, ...unbilled], warnings };
}

/**
 * Findings about a version. V21 is separate, because it applies only to new versions; stored versions may violate it.
 */
export interface VersionFindings extends VersionValidation {
  /** The errors of rule V21. `errors` does not contain them. */
  readonly unbilled: readonly Problem[];
}

interface ValidatedContent {
  readonly content: VersionContent;
  readonly locate?: Locate;
}

/** Validates a version in steps. Returns the findings of V21 separately. */
export function* validationSteps(version: ValidatedContent): Steps<VersionFindings> {
  const { content } = version;
  const tooMany = exceededLimits(content);
  if (tooMany.length > 0) return { errors: tooMany, unbilled: [], warnings: [] };
  const findings = new Findings(version.locate ?? null);
  const check: VersionCheck = {
    content,
    findings,
    names: new Names(content, findings),
    currencies: new Set(content.currencies),
  };
  for (const unit of content.units) check.names.declare(NameKind.UNIT, unit);
  yield* checkProducts(check);
  yield* checkPlans(check);
  yield* checkFeatures(check);
  yield;
  checkPriceLists(check);
  yield;
  checkRules(check);
  yield;
  checkPhaseTerms(check);
  yield* collectWarnings(check);
  const { errors, unbilled, warnings } = findings;
  return { errors, unbilled, warnings };
}

function* checkProducts(check: VersionCheck): Steps<void> {
  const ofAddOns = check.content.products.filter(({ category }) => category === ProductCategory.ADD_ON);
  const addOns = new Set(ofAddOns.map(({ name }) => name));
  for (const product of check.content.products) {
    check.names.declare(NameKind.PRODUCT, product);
    checkAddOns(check, product, addOns);
    checkLimits(check, product.limits, `Product "${product.name}"`);
    yield;
  }
}

function checkAddOns(check: VersionCheck, product: Product, addOns: ReadonlySet<string>): void {
  checkAddOnList(check, { product, list: 'included', addOns });
  checkAddOnList(check, { product, list: 'available', addOns });
  const included = new Set(product.included);
  product.available.forEach((name, index) => {
    if (name === product.name || !included.has(name)) return;
    const message = `Product "${product.name}": add-on "${name}" is both included and available`;
    check.findings.error(message, [product.available, 'addonProduct', index]);
  });
}

/** Checks a list of add-ons according to V3 and V4. A violation of V3 is reported once per list. */
function checkAddOnList(
  check: VersionCheck,
  of: {
    readonly product: Product;
    readonly list: 'included' | 'available';
    readonly addOns: ReadonlySet<string>;
  },
): void {
  const { product, list, addOns } = of;
  const owner = `Product "${product.name}"`;
  const names = product[list];
  const own = names.indexOf(product.name);
  if (own >= 0)
    check.findings.error(`${owner} lists itself in its ${list} products`, [names, 'addonProduct', own]);
  const isBase = product.category === ProductCategory.BASE;
  if (!isBase && names.some((name) => name !== product.name)) {
    const message = `${owner} is ${product.category}: only a BASE product can have ${list} products`;
    check.findings.error(message, [names]);
  }
  names.forEach((name, index) => {
    if (name === product.name) return;
    const place = [names, 'addonProduct', index] as const;
    if (!check.names.refer({ owner, kind: NameKind.PRODUCT, name, place })) return;
    if (isBase && !addOns.has(name)) {
      check.findings.error(`${owner}: its ${list} product "${name}" is not an ADD_ON`, place);
    }
  });
}

/** Checks price lists according to V16, V1 and V2. */
function checkPriceLists(check: VersionCheck): void {
  const { defaultPriceList, childPriceLists } = check.content.priceLists;
  const { name } = defaultPriceList;
  if (name === DEFAULT_PRICE_LIST) check.names.declare(NameKind.PRICE_LIST, defaultPriceList);
  else {
    const message = `The default price list must be named ${DEFAULT_PRICE_LIST}, not ${JSON.stringify(name)}`;
    check.findings.error(message, [defaultPriceList]);
  }
  checkPlansOf(check, defaultPriceList);
  for (const list of childPriceLists) {
    if (list.name !== DEFAULT_PRICE_LIST) check.names.declare(NameKind.PRICE_LIST, list);
    else check.findings.error(`A child price list cannot be named ${DEFAULT_PRICE_LIST}`, [list]);
    checkPlansOf(check, list);
  }
  const listed = new Set([defaultPriceList, ...childPriceLists].flatMap((list) => list.plans));
  for (const plan of check.content.plans) {
    if (!listed.has(plan.name)) check.findings.error(`Plan "${plan.name}" is not in any price list`, [plan]);
  }
}

function checkPlansOf(check: VersionCheck, list: PriceList): void {
  const owner = `Price list "${list.name}"`;
  const seen = new Set<string>();
  list.plans.forEach((name, index) => {
    const place = [list.plans, 'plan', index] as const;
    if (seen.has(name)) check.findings.error(`${owner} lists plan "${name}" twice`, place);
    else check.names.refer({ owner, kind: NameKind.PLAN, name, place });
    seen.add(name);
  });
}

const REFERENCES: ReadonlyMap<string, NameKind> = new Map([
  ['product', NameKind.PRODUCT],
  ['fromProduct', NameKind.PRODUCT],
  ['toProduct', NameKind.PRODUCT],
  ['priceList', NameKind.PRICE_LIST],
  ['fromPriceList', NameKind.PRICE_LIST],
  ['toPriceList', NameKind.PRICE_LIST],
]);

type AnyCase = RuleCase<object, string>;

/** Checks the six rules in the order of the grammar, according to V2, V17, V18 and V19. */
function checkRules(check: VersionCheck): void {
  const { rules } = check.content;
  const { START_OF_TERM, ILLEGAL } = BillingActionPolicy;
  checkRule(check, 'changePolicy', rules.changePolicy);
  checkPolicies(check, 'changePolicy', [START_OF_TERM]);
  checkHasDefault(check, 'changePolicy');
  checkRule(check, 'changeAlignment', rules.changeAlignment);
  checkRule(check, 'cancelPolicy', rules.cancelPolicy);
  checkPolicies(check, 'cancelPolicy', [START_OF_TERM, ILLEGAL]);
  checkHasDefault(check, 'cancelPolicy');
  checkRule(check, 'createAlignment', rules.createAlignment);
  checkRule(check, 'billingAlignment', rules.billingAlignment);
  checkRule(check, 'priceList', rules.priceList);
  const kind = NameKind.PRICE_LIST;
  rules.priceList.forEach((ruleCase, index) => {
    const place = [ruleCase, 'toPriceList'] as const;
    check.names.refer({ owner: caseTitle('priceList', index), kind, name: ruleCase.result, place });
  });
}

/** Checks the conditions of a rule according to V2, then each case according to V18. */
function checkRule(check: VersionCheck, rule: keyof PlanRules, cases: readonly AnyCase[]): void {
  const seen = new Map<string, number>();
  cases.forEach((ruleCase, index) => {
    checkReferences(check, ruleCase, caseTitle(rule, index));
    const key = JSON.stringify([ruleCase.conditions, ruleCase.result]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else check.findings.error(`${caseTitle(rule, index)} repeats case ${first + 1}`, [ruleCase]);
  });
}

function checkReferences(check: VersionCheck, ruleCase: AnyCase, owner: string): void {
  for (const [condition, name] of Object.entries(ruleCase.conditions)) {
    const kind = REFERENCES.get(condition);
    if (kind === undefined || name === null) continue;
    check.names.refer({ owner: `${owner}, ${condition}`, kind, name, place: [ruleCase, condition] });
  }
}

/** Checks V19: no case may have one of the `refused` policies. */
function checkPolicies(
  check: VersionCheck,
  rule: 'changePolicy' | 'cancelPolicy',
  refused: readonly BillingActionPolicy[],
): void {
  check.content.rules[rule].forEach((ruleCase, index) => {
    if (!refused.includes(ruleCase.result)) return;
    const message = `${caseTitle(rule, index)}: ${ruleCase.result} is not a policy of this rule`;
    check.findings.error(message, [ruleCase, 'policy']);
  });
}

/** Checks V17: the rule must have a case without conditions. */
function checkHasDefault(check: VersionCheck, rule: 'changePolicy' | 'cancelPolicy'): void {
  const cases: readonly AnyCase[] = check.content.rules[rule];
  if (cases.some(({ conditions }) => Object.values(conditions).every((value) => value === null))) return;
  const message = `Rule ${rule} has no default: add a last case without conditions`;
  check.findings.error(message, [check.content.rules, rule]);
}

function caseTitle(rule: keyof PlanRules, index: number): string {
  return `Rule ${rule}, case ${index + 1}`;
}

/** Yields warnings about probable mistakes. A version with warnings is still valid (§4). */
function* collectWarnings(check: VersionCheck): Steps<void> {
  for (const plan of check.content.plans) {
    for (const usage of contentPhases(plan).flatMap((phase) => phase.usages)) {
      const owner = `Plan "${plan.name}", usage "${usage.name}"`;
      warnBoundedLastTier(check, usage, owner);
      warnMissingCurrencies(check, usage, owner);
    }
    yield;
  }
}

function warnBoundedLastTier(check: VersionCheck, usage: Usage, owner: string): void {
  const last = usage.tiers.at(-1);
  if (usage.billingMode !== BillingMode.IN_ARREAR || last === undefined) return;
  const bounded = steps(usage, last).filter((step) => !isUnbounded(step.max));
  if (bounded.length === 0) return;
  const units = bounded.map((step) => `"${step.unit}"`).join(', ');
  check.findings.warn(`${owner}: the last tier limits ${units}; usage beyond the limit is not charged`, [
    last,
  ]);
}

function warnMissingCurrencies(check: VersionCheck, usage: Usage, owner: string): void {
  const prices = pricesOfUsage(usage);
  const all = new Set<Currency>(prices.flatMap((price) => price.prices.map((entry) => entry.currency)));
  for (const price of prices) {
    // An empty price is zero in every currency.
    if (price.prices.length === 0) continue;
    const own = new Set(price.prices.map((entry) => entry.currency));
    const missing = [...all].filter((currency) => !own.has(currency));
    if (missing.length === 0) continue;
    const message = `${owner}: a price has no amount in ${missing.join(', ')}, but another of its prices does`;
    check.findings.warn(message, [price]);
  }
}

/**
 * Checks new versions against the tenant's versions and against each other (§5 rules 1 to 3): the versions must have
 * the same name and distinct dates, a plan must keep its phases and product, a product must keep its category, and a
 * feature must keep its kind. Line numbers come from `parsed`, which contains the documents of `added` in the same
 * order.
 */
export function validateVersions(
  stored: readonly CatalogVersion[],
  added: readonly CatalogVersion[],
  parsed: readonly ParsedVersion[] = [],
): readonly Problem[] {
  return atOnce(agreementSteps(stored, added, parsed));
}

/** Runs `validateVersions` in steps. */
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
 * The content that must be equal in all versions. A new version is compared with the first version that has the same
 * plan or product. Only plans of new versions are read.
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
      ...version.features.flatMap((feature) => this.#kindConflict(feature, parsed)),
    ];
  }

  #nameConflict(version: CatalogVersion, parsed: ParsedVersion | undefined): readonly Problem[] {
    const name = this.#versions[0]?.catalogName;
    if (name === undefined || name === version.catalogName) return [];
    const message = `The catalog name differs: this version has "${version.catalogName}", the others have "${name}"`;
    return [{ message, ...parsed?.locate(parsed.content, 'catalogName') }];
  }

  #dateConflict(version: CatalogVersion, parsed: ParsedVersion | undefined): readonly Problem[] {
    if (!this.#dates.has(version.effectiveDate)) return [];
    const message = `A version with effective date ${formatInstant(version.effectiveDate)} already exists; to change it, upload a version with a later date`;
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
      const message = `Plan "${plan.name}" belongs to product "${plan.product}" here and to "${known.value.product}" in ${known.version.title}`;
      problems.push({ message, ...locate(plan, 'product') });
    }
    if (shapeOf(known.value) !== shapeOf(plan)) {
      const message = `Plan "${plan.name}" has the phases ${shapeOf(plan)} here and ${shapeOf(known.value)} in ${known.version.title}`;
      problems.push({ message, ...locate(plan) });
    }
    return problems;
  }

  #kindConflict({ name, kind }: FeatureDeclaration, parsed: ParsedVersion | undefined): readonly Problem[] {
    const known = this.#first(({ features }) => features.find((feature) => feature.name === name));
    if (known === undefined || known.value.kind === kind) return [];
    const message = `Feature "${name}" is a ${kind} here and a ${known.value.kind} in ${known.version.title}; choose another name`;
    const written = parsed?.content.features?.find((feature) => feature.name === name);
    return [{ message, ...(written && parsed?.locate(written)) }];
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
