import {
  BillingMode,
  type EntryBlock,
  type EntryPhase,
  type EntryPrice,
  type EntryTier,
  type EntryUsage,
  type FeatureSetting,
  PhaseType,
  type PlanRow,
  type PlanTerms,
  ProductCategory,
  type ProductTerms,
  TierBlockPolicy,
  UsageType,
} from '../../../records/index.ts';
import { isCurrency, ZERO } from '../../../values/money/index.ts';
import { formatInstant, type Instant, TimeUnit, truncateToSecond } from '../../../values/time/index.ts';
import { UNBOUNDED } from '../../model/catalog-model.ts';
import {
  type BlockInput,
  type EntryInputOf,
  type EntryProblems,
  type PhaseInput,
  type PlanEntryInput,
  type PriceInput,
  type ProductEntryInput,
  type TierInput,
  titleOf,
  type UsageInput,
} from './entry-input.ts';

/** Returns the category of a product, or undefined if the product is unknown. */
type CategoryOf = (productName: string) => ProductCategory | undefined;

/** Returns the checked product. Adds missing required fields to `problems` (§15.3 rule 1). */
export function checkedProduct(input: ProductEntryInput, problems: EntryProblems): ProductTerms | undefined {
  const owner = titleOf('Product', input.name);
  const category = problems.need(owner, 'category', input.category);
  const terms = {
    prettyName: problems.textOf(owner, 'prettyName', input.prettyName),
    availableForBps: [...new Set(input.availableForBps ?? [])],
    availableAddons: [...new Set(input.availableAddons ?? [])],
    ...checkedFeatures(input.features, owner, problems),
  };
  return category && { ...terms, category };
}

/** Checks the add-ons that a new product offers, and the base products of a new add-on (§15.3 rule 4). */
export function checkAvailability(
  { name, terms }: { readonly name: string; readonly terms: ProductTerms },
  categoryOf: CategoryOf,
  problems: EntryProblems,
): void {
  const owner = titleOf('Product', name);
  const { category, availableForBps, availableAddons } = terms;
  const isAddOn = category === ProductCategory.ADD_ON;
  if (isAddOn && availableForBps.length === 0) {
    problems.add(`${owner}: an ADD_ON needs availableForBps`);
  }
  if (!isAddOn && availableForBps.length > 0) {
    problems.add(`${owner}: only an ADD_ON can have availableForBps, not a ${category} product`);
  }
  if (category !== ProductCategory.BASE && availableAddons.length > 0) {
    problems.add(`${owner}: only a BASE product can have availableAddons, not a ${category} product`);
  }
  const check = (field: 'availableForBps' | 'availableAddons', wanted: ProductCategory): void => {
    for (const other of terms[field]) {
      const found = categoryOf(other);
      const named = `${owner}: ${field} names ${titleOf('product', other)}`;
      if (found === undefined) problems.add(`${named}, which does not exist`);
      else if (found !== wanted) problems.add(`${named}, which is ${found}, not ${wanted}`);
    }
  };
  check('availableForBps', ProductCategory.BASE);
  check('availableAddons', ProductCategory.ADD_ON);
}

export type CheckedRow = Pick<
  PlanRow,
  'planName' | 'effectiveDate' | 'effectiveDateForExistingSubscriptions' | 'phases'
>;

interface CheckedPlan {
  readonly terms: PlanTerms;
  /** The checked row, or undefined if the plan has no valid phase. */
  readonly row: CheckedRow | undefined;
}

/** Returns the checked plan. Adds violations of §15.3 rules 1 to 3 and §15.1 rule 4 to `problems`. */
export function checkedPlan(
  plan: PlanEntryInput & { readonly name: string },
  problems: EntryProblems,
): CheckedPlan | undefined {
  const owner = titleOf('Plan', plan.name);
  const mode = problems.need(owner, 'recurringBillingMode', plan.recurringBillingMode);
  if (mode === BillingMode.IN_ARREAR) {
    problems.add(`${owner}: recurringBillingMode IN_ARREAR is not supported; only IN_ADVANCE is`);
  }
  const productName = problems.needName(owner, 'productName', plan.productName);
  const pricelistName = problems.needName(owner, 'pricelistName', plan.pricelistName);
  const date = problems.need(owner, 'effectiveDate', plan.effectiveDate);
  const phases = checkedPhases(plan.phases, owner, problems);
  const prettyName = problems.textOf(owner, 'prettyName', plan.prettyName);
  if (mode === undefined || productName === undefined || pricelistName === undefined || date === undefined) {
    return undefined;
  }
  const effectiveDate = truncateToSecond(date);
  const { effectiveDateForExistingSubscriptions: given, name: planName } = plan;
  const effectiveDateForExistingSubscriptions = dateForExisting(given, effectiveDate, { owner, problems });
  const features = checkedFeatures(plan.features, owner, problems);
  const names = { prettyName, productName, pricelistName };
  const terms = { ...names, recurringBillingMode: mode, xmlProduct: null, ...features };
  const row = { planName, effectiveDate, effectiveDateForExistingSubscriptions, phases };
  return { terms, row: phases.length === 0 ? undefined : row };
}

/** Returns the date for existing subscriptions. It must not be before the date of the row (§15.1 rule 4, V6). */
export function dateForExisting(
  date: Instant | null | undefined,
  effectiveDate: Instant,
  { owner, problems }: Place,
): Instant | null {
  if (date === null || date === undefined) return null;
  const forExisting = truncateToSecond(date);
  if (forExisting < effectiveDate) {
    problems.add(
      `${owner}: effectiveDateForExistingSubscriptions ${formatInstant(forExisting)} is before the effective date, ${formatInstant(effectiveDate)}`,
    );
  }
  return forExisting;
}

/**
 * Returns the phases of a plan in stored form. Adds violations of §15.3 rules 1 to 3 to `problems`. Skips phases
 * without a type.
 */
export function checkedPhases(
  inputs: readonly PhaseInput[] | null | undefined,
  plan: string,
  problems: EntryProblems,
): readonly EntryPhase[] {
  if (!inputs || inputs.length === 0) {
    problems.add(`${plan}: phases must contain at least one phase`);
    return [];
  }
  return inputs.flatMap((input, index) => checkedPhase(input, `${plan}, phase ${index + 1}`, problems) ?? []);
}

function checkedPhase(input: PhaseInput, owner: string, problems: EntryProblems): EntryPhase | undefined {
  const type = problems.need(owner, 'type', input.type);
  const unit = problems.need(owner, 'durationUnit', input.durationUnit);
  const number =
    unit === TimeUnit.UNLIMITED
      ? (input.durationLength ?? UNBOUNDED)
      : problems.need(owner, 'durationLength', input.durationLength);
  const phase = {
    prettyName: problems.textOf(owner, 'prettyName', input.prettyName),
    fixedPrices: checkedPrices(input.fixedPrices, `${owner}, fixedPrices`, problems),
    recurringPrices: checkedRecurring(input.recurringPrices, owner, problems),
    usages: (input.usages ?? []).map((usage) => checkedUsage(usage, owner, problems)),
    ...checkedFeatures(input.features, owner, problems),
  };
  if (type === undefined || unit === undefined || number === undefined) return undefined;
  checkCharges({ ...phase, type }, owner, problems);
  return { ...phase, type, duration: { unit, number } };
}

/** Returns the feature values in stored form. Rules V23 and V24 check the values later. */
function checkedFeatures(
  inputs: readonly EntryInputOf<FeatureSetting>[] | null | undefined,
  owner: string,
  problems: EntryProblems,
): { readonly features?: readonly FeatureSetting[] } {
  const features = (inputs ?? []).map(({ name, value, per, overage, perQuantity }) => ({
    name: problems.needName(`${owner}, a feature`, 'name', name) ?? '',
    value: problems.textOf(owner, 'the value of a feature', value),
    per: per ?? null,
    overage: overage ?? null,
    perQuantity: perQuantity ?? null,
  }));
  return features.length === 0 ? {} : { features };
}

/** Checks that a phase has the charges that its type requires (§15.3 rule 3). */
function checkCharges(phase: Omit<EntryPhase, 'duration'>, owner: string, problems: EntryProblems): void {
  const { type, fixedPrices, recurringPrices, usages } = phase;
  const recurs = recurringPrices !== null && recurringPrices.prices.length > 0;
  if (type === PhaseType.TRIAL) {
    if (recurs) problems.add(`${owner}: a TRIAL phase has no recurring prices`);
    return;
  }
  if (recurs || usages.length > 0) return;
  if (type === PhaseType.EVERGREEN) {
    problems.add(`${owner}: an EVERGREEN phase needs recurring prices or usages`);
  } else if (fixedPrices.length === 0) {
    problems.add(`${owner}: a ${type} phase needs fixed prices, recurring prices or usages`);
  }
}

function checkedRecurring(
  input: PhaseInput['recurringPrices'],
  owner: string,
  problems: EntryProblems,
): EntryPhase['recurringPrices'] {
  if (!input) return null;
  const prices = checkedPrices(input.prices, `${owner}, recurringPrices`, problems);
  if (prices.length === 0 && !input.billingPeriod) return null;
  const billingPeriod = problems.need(owner, 'recurringPrices.billingPeriod', input.billingPeriod);
  return billingPeriod === undefined ? null : { billingPeriod, prices };
}

function checkedPrices(
  inputs: readonly PriceInput[] | null | undefined,
  owner: string,
  problems: EntryProblems,
): readonly EntryPrice[] {
  const given = inputs ?? [];
  const prices = given.flatMap((input) => {
    const currency = problems.need(owner, 'currency', input.currency);
    const value = problems.need(owner, 'value', input.value);
    if (currency === undefined || value === undefined) return [];
    if (isCurrency(currency)) return { currency, value };
    problems.add(`${owner}: "${currency.slice(0, 16)}" is not a currency; expected an ISO 4217 code, or BTC`);
    return [];
  });
  // A placeholder for invalid prices prevents an additional report that prices are missing. It is never stored.
  return given.length > 0 && prices.length === 0 ? [{ currency: 'USD', value: ZERO }] : prices;
}

function checkedUsage(input: UsageInput, phase: string, problems: EntryProblems): EntryUsage {
  const usageName = problems.needName(`${phase}, a usage`, 'usageName', input.usageName) ?? '';
  const owner = `${phase}, usage "${usageName}"`;
  const usageType = problems.need(owner, 'usageType', input.usageType) ?? UsageType.CONSUMABLE;
  if (usageType !== UsageType.CONSUMABLE) {
    problems.add(`${owner}: usageType ${usageType} is not supported; only CONSUMABLE is`);
  }
  const tiers = (input.tiers ?? []).map((tier, index) => checkedTier(tier, index + 1, { owner, problems }));
  if (new Set(tiers.map((tier) => tier.tierNumber)).size < tiers.length) {
    problems.add(`${owner}: two tiers have the same tierNumber`);
  }
  return {
    usageName,
    prettyName: problems.textOf(owner, 'prettyName', input.prettyName),
    usageType,
    billingPeriod: problems.need(owner, 'billingPeriod', input.billingPeriod) ?? 'NO_BILLING_PERIOD',
    tierBlockPolicy: input.tierBlockPolicy ?? TierBlockPolicy.ALL_TIERS,
    tiers,
  };
}

export interface Place {
  readonly owner: string;
  readonly problems: EntryProblems;
}

function checkedTier(input: TierInput, position: number, { owner, problems }: Place): EntryTier {
  const tierNumber = input.tierNumber ?? position;
  const place = { owner: `${owner}, tier ${tierNumber}`, problems };
  return { tierNumber, blocks: (input.blocks ?? []).map((block) => checkedBlock(block, place)) };
}

function checkedBlock(input: BlockInput, { owner, problems }: Place): EntryBlock {
  return {
    billingMeterCode: problems.needName(owner, 'billingMeterCode', input.billingMeterCode) ?? '',
    size: problems.need(owner, 'size', input.size) ?? 1,
    max: input.max ?? UNBOUNDED,
    prices: checkedPrices(input.prices, owner, problems),
  };
}
