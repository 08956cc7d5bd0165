import type { PluginRules } from '../../../ports/index.ts';
import {
  BillingActionPolicy,
  BillingAlignment,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
} from '../../../records/index.ts';
import { BillingPeriod } from '../../../values/time/index.ts';
import type { PlanRules, RuleCase } from '../../model/catalog-model.ts';
import {
  anyChange,
  anyCreation,
  anySource,
  anySubscription,
  SIMPLE_RULES,
} from '../../model/simple-rules.ts';
import type { PluginValues } from './plugin-values.ts';

/** Rules as plain data; each one that is left out is that of `SIMPLE_RULES`. */
export function rulesContent(values: PluginValues, rules: PluginRules | undefined): PlanRules {
  const policy = (value: BillingActionPolicy) => values.oneOf(BillingActionPolicy, value, 'Rules');
  return {
    changePolicy:
      rules?.changePolicy?.map((each) =>
        ruleCase(values, { any: anyChange, each, result: policy(each.policy) }),
      ) ?? SIMPLE_RULES.changePolicy,
    changeAlignment:
      rules?.changeAlignment?.map((each) => {
        const result = values.oneOf(PlanAlignmentChange, each.alignment, 'Rules');
        return ruleCase(values, { any: anyChange, each, result });
      }) ?? SIMPLE_RULES.changeAlignment,
    cancelPolicy:
      rules?.cancelPolicy?.map((each) =>
        ruleCase(values, { any: anySubscription, each, result: policy(each.policy) }),
      ) ?? SIMPLE_RULES.cancelPolicy,
    createAlignment:
      rules?.createAlignment?.map((each) => {
        const result = values.oneOf(PlanAlignmentCreate, each.alignment, 'Rules');
        return ruleCase(values, { any: anyCreation, each, result });
      }) ?? SIMPLE_RULES.createAlignment,
    billingAlignment:
      rules?.billingAlignment?.map((each) => {
        const result = values.oneOf(BillingAlignment, each.alignment, 'Rules');
        return ruleCase(values, { any: anySubscription, each, result });
      }) ?? SIMPLE_RULES.billingAlignment,
    priceList:
      rules?.priceList?.map((each) => ruleCase(values, { any: anySource, each, result: each.toPriceList })) ??
      SIMPLE_RULES.priceList,
  };
}

const ENUMERATED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  phaseType: PhaseType,
  fromProductCategory: ProductCategory,
  toProductCategory: ProductCategory,
  productCategory: ProductCategory,
  fromBillingPeriod: BillingPeriod,
  toBillingPeriod: BillingPeriod,
  billingPeriod: BillingPeriod,
};

const RESULTS: ReadonlySet<string> = new Set(['policy', 'alignment', 'toPriceList']);

/** `any` has every condition of the rule; the case replaces some. */
function ruleCase<Conditions extends object, Result>(
  values: PluginValues,
  { any, each, result }: { readonly any: Conditions; readonly each: object; readonly result: Result },
): RuleCase<Conditions, Result> {
  const given = Object.entries(each).filter(
    ([name, value]) => !RESULTS.has(name) && value !== null && value !== undefined,
  );
  for (const [name, value] of given) {
    if (!(name in any)) values.meaningless(`Rules: there is no condition "${name}" here`);
    const known = ENUMERATED[name];
    if (known !== undefined) values.oneOf(known, value, `Rules, condition ${name}`);
  }
  return { conditions: { ...any, ...Object.fromEntries(given) }, result };
}
