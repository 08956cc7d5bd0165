import { BillingActionPolicy } from '../../records/index.ts';
import type { PlanRules, RuleCase } from '../model/catalog-model.ts';
import { NameKind } from './names.ts';
import type { VersionCheck } from './version-check.ts';

const REFERENCES: ReadonlyMap<string, NameKind> = new Map([
  ['product', NameKind.PRODUCT],
  ['fromProduct', NameKind.PRODUCT],
  ['toProduct', NameKind.PRODUCT],
  ['priceList', NameKind.PRICE_LIST],
  ['fromPriceList', NameKind.PRICE_LIST],
  ['toPriceList', NameKind.PRICE_LIST],
]);

type AnyCase = RuleCase<object, string>;

/** V2, V17, V18 and V19 of the six rules, in the order of the grammar. */
export function checkRules(check: VersionCheck): void {
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
  rules.priceList.forEach((ruleCase, index) => {
    const owner = caseTitle('priceList', index);
    check.names.refer({
      owner,
      kind: NameKind.PRICE_LIST,
      name: ruleCase.result,
      place: [ruleCase, 'toPriceList'],
    });
  });
}

/** V2 of the conditions, then V18, case by case. */
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

/** V19 */
function checkPolicies(
  check: VersionCheck,
  rule: 'changePolicy' | 'cancelPolicy',
  refused: readonly BillingActionPolicy[],
): void {
  check.content.rules[rule].forEach((ruleCase, index) => {
    if (!refused.includes(ruleCase.result)) return;
    check.findings.error(`${caseTitle(rule, index)}: ${ruleCase.result} is not a policy of this rule`, [
      ruleCase,
      'policy',
    ]);
  });
}

/** V17 */
function checkHasDefault(check: VersionCheck, rule: 'changePolicy' | 'cancelPolicy'): void {
  const cases: readonly AnyCase[] = check.content.rules[rule];
  const hasDefault = cases.some(({ conditions }) =>
    Object.values(conditions).every((value) => value === null),
  );
  if (hasDefault) return;
  check.findings.error(`Rule ${rule} has no default: add a last case without conditions`, [
    check.content.rules,
    rule,
  ]);
}

function caseTitle(rule: keyof PlanRules, index: number): string {
  return `Rule ${rule}, case ${index + 1}`;
}
