import type { EntryBlock, EntryPhase, EntryPrice, EntryTier, EntryUsage } from '../../../records/index.ts';
import { PhaseType, TierBlockPolicy, UsageType } from '../../../records/index.ts';
import { isCurrency, ZERO } from '../../../values/money/index.ts';
import { TimeUnit } from '../../../values/time/index.ts';
import { UNBOUNDED } from '../../model/catalog-model.ts';
import type { BlockInput, PhaseInput, PriceInput, TierInput, UsageInput } from './entry-input.ts';
import type { EntryProblems } from './entry-problems.ts';

/**
 * The phases of a plan as they are stored. What is required must be there, and prices only where they may be (§15.3 rules
 * 1 to 3); what is wrong goes to `problems`. A phase without a type is left out.
 */
export function checkedPhases(
  inputs: readonly PhaseInput[] | null | undefined,
  plan: string,
  problems: EntryProblems,
): readonly EntryPhase[] {
  if (!inputs || inputs.length === 0) {
    problems.add(`${plan}: phases needs at least one phase`);
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
  };
  if (type === undefined || unit === undefined || number === undefined) return undefined;
  checkCharges({ ...phase, type }, owner, problems);
  return { ...phase, type, duration: { unit, number } };
}

/** §15.3 rule 3. */
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
  // One price replaces the bad ones, so that their absence is not reported as well; nothing of it is stored.
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

interface Place {
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
