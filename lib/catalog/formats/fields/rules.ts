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
import { prefixed, prefixedName } from '../../model/rule-conditions.ts';
import { VERSION_LIMITS } from '../../model/version-limits.ts';
import { type Field, list, type RuleCaseType, record } from './field.ts';
import { name, oneOf, type Scalar } from './scalar.ts';

// The rules of §3.3: conditions in the order of the document.

const phaseType = oneOf('a phase type', PhaseType);
const productCategory = oneOf('a product category', ProductCategory);
const billingPeriod = oneOf('a billing period', BillingPeriod);

const ofCreation = { product: name, productCategory, billingPeriod, priceList: name };
const ofSubscription = { phaseType, ...ofCreation };
const ofSource = prefixed('from', ofCreation);
const ofChange = { phaseType, ...ofSource, ...prefixed('to', ofCreation) };

/** The names without `from` mean the same. Other servers accept and ignore them, which is a trap (§3.3). */
const plainNames = Object.fromEntries(
  Object.keys(ofCreation).map((plain) => [plain, prefixedName('from', plain)]),
);

type Conditions<C> = { readonly [Name in keyof C]: Scalar<NonNullable<C[Name]>> };

function cases<C, R extends string>(
  item: string,
  conditions: Conditions<C>,
  ofCase: {
    readonly result: readonly [name: string, type: Scalar<R>];
    readonly aliases?: RuleCaseType['aliases'];
  },
): Field<readonly RuleCase<C, R>[]> {
  const {
    result: [resultName, result],
    aliases = {},
  } = ofCase;
  const type: RuleCaseType<RuleCase<C, R>> = { kind: 'case', conditions, resultName, result, aliases };
  return list(item, type, { absent: [], limit: VERSION_LIMITS.ruleCases });
}

const policy = { result: ['policy', oneOf('a policy', BillingActionPolicy)] } as const;

function alignment<R extends string>(type: Scalar<R>) {
  return { result: ['alignment', type] } as const;
}

export const rules = record<PlanRules>({
  changePolicy: cases('changePolicyCase', ofChange, policy),
  changeAlignment: cases(
    'changeAlignmentCase',
    ofChange,
    alignment(oneOf('a change alignment', PlanAlignmentChange)),
  ),
  cancelPolicy: cases('cancelPolicyCase', ofSubscription, policy),
  createAlignment: cases(
    'createAlignmentCase',
    ofCreation,
    alignment(oneOf('a create alignment', PlanAlignmentCreate)),
  ),
  billingAlignment: cases(
    'billingAlignmentCase',
    ofSubscription,
    alignment(oneOf('a billing alignment', BillingAlignment)),
  ),
  priceList: cases('priceListCase', ofSource, { result: ['toPriceList', name], aliases: plainNames }),
});
