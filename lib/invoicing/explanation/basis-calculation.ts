import {
  type BasisDiscount,
  type ComputedBasis,
  type RecurringBasis,
  type RepairBasis,
  RepairRule,
  type Share,
  type UsageBasis,
} from '../../records/index.ts';
import { MAX_FRACTION_DIGITS } from '../../values/limits.ts';
import {
  type Currency,
  type Decimal,
  decimal,
  quotient,
  roundToCurrency,
  roundToScale,
  ZERO,
} from '../../values/money/index.ts';

/** One step of a calculation. By default, its base is the result of the previous step. */
export interface CalculationStep {
  /**
   * The operation. MULTIPLY: base × factor. PRORATE: base × ratio of the days (9 decimals), rounded half up to the
   * currency. ROUND: base rounded half up to the currency. LIMIT: base, at most factor. REMAINDER: factor, regardless
   * of the base. NEGATE: base with the opposite sign. ADD, SUBTRACT: base + factor, base − factor; the base of an ADD
   * is the total of the lines so far.
   */
  readonly operation:
    | 'MULTIPLY'
    | 'PRORATE'
    | 'ROUND'
    | 'LIMIT'
    | 'REMAINDER'
    | 'NEGATE'
    | 'ADD'
    | 'SUBTRACT';
  readonly base: Decimal;
  readonly factor: Decimal | null;
  readonly days: number | null;
  readonly totalDays: number | null;
  readonly ratio: Decimal | null;
  readonly unrounded: Decimal | null;
  readonly result: Decimal;
}

/** Returns the steps that lead from the facts of an item to its amount. The result of the last step is the amount. */
export function stepsOf(basis: ComputedBasis, currency: Currency): readonly CalculationStep[] {
  switch (basis.kind) {
    case 'FIXED': {
      const priced = pricedSteps(basis);
      return [...priced, roundingStep(resultOf(priced, basis.price), currency)];
    }
    case 'RECURRING':
      return recurringSteps(basis, currency);
    case 'REPAIR':
      return repairSteps(basis, currency);
    case 'USAGE':
      return usageSteps(basis, currency);
    case 'CREDIT': {
      if (basis.balance.isNegative()) return [negationStep(basis.balance)];
      const used = limitStep(basis.balance, basis.credit);
      return [used, negationStep(used.result)];
    }
  }
}

function recurringSteps(basis: RecurringBasis, currency: Currency) {
  const { price, share, part } = basis;
  const steps = pricedSteps(basis);
  const rate = resultOf(steps, price);
  const whole = share === null ? roundingStep(rate, currency) : prorationStep(share, currency);
  return part === null ? [...steps, whole] : [...steps, whole, prorationStep(part, currency)];
}

function repairSteps(basis: RepairBasis, currency: Currency) {
  const { rule, share, amount, repairable } = basis;
  const steps: CalculationStep[] = share === null ? [] : [prorationStep(share, currency)];
  const base = resultOf(steps, amount);
  if (rule === RepairRule.LIMIT) steps.push(limitStep(base, repairable));
  if (rule === RepairRule.REMAINDER) {
    steps.push(step({ operation: 'REMAINDER', base, factor: repairable, result: repairable }));
  }
  return [...steps, negationStep(resultOf(steps, amount))];
}

function usageSteps(basis: UsageBasis, currency: Currency) {
  const { due, billed, credit, minimum } = basis;
  const lines = lineSteps(basis);
  const share = minimum === null ? [] : [prorationStep(minimum, currency)];
  const steps = [...share, ...lines, roundingStep(resultOf(lines, due), currency)];
  if (!billed.isZero()) {
    const base = resultOf(steps, due);
    steps.push(step({ operation: 'SUBTRACT', base, factor: billed, result: base.minus(billed) }));
  }
  if (credit === null) return steps;
  const tooMuch = resultOf(steps, due);
  const given = tooMuch.abs().minus(credit.open);
  if (!given.isZero()) steps.push(additionStep(tooMuch, given));
  steps.push(negationStep(resultOf(steps, due)), limitStep(credit.open, credit.left));
  return [...steps, negationStep(resultOf(steps, due))];
}

/**
 * Returns the steps that multiply the price and blocks of each line and add the results. Each CAPACITY tier has its own
 * price.
 */
function lineSteps({ lines }: UsageBasis) {
  const steps: CalculationStep[] = [];
  let total: Decimal | null = null;
  for (const { price, quantity, amount } of lines) {
    if (amount === null) continue;
    steps.push(
      step({ operation: 'MULTIPLY', base: price, factor: quantity, unrounded: amount, result: amount }),
    );
    if (total !== null) steps.push(additionStep(total, amount));
    total = total === null ? amount : total.plus(amount);
  }
  return steps;
}

/** Returns the steps of price × quantity less discounts, with at most 9 decimals. Stored rates have this precision. */
function pricedSteps({
  price,
  quantity,
  discounts,
}: Pick<RecurringBasis, 'price' | 'quantity' | 'discounts'>) {
  const listed = quantity === 1 ? [] : [multiplicationStep(price, decimal(quantity))];
  return [...listed, ...discountSteps(resultOf(listed, price), discounts ?? [])];
}

function multiplicationStep(base: Decimal, factor: Decimal): CalculationStep {
  const unrounded = base.times(factor);
  const result = roundToScale(unrounded, MAX_FRACTION_DIGITS);
  return step({ operation: 'MULTIPLY', base, factor, unrounded, result });
}

/** Returns one SUBTRACT step for each discount. Only the last result is rounded. */
function discountSteps(listRate: Decimal, discounts: readonly BasisDiscount[]): readonly CalculationStep[] {
  let base = listRate;
  return discounts.map(({ taken }, index) => {
    const exact = base.minus(taken);
    const result = index < discounts.length - 1 ? exact : roundToScale(exact, MAX_FRACTION_DIGITS);
    const subtraction = step({ operation: 'SUBTRACT', base, factor: taken, result });
    base = result;
    return subtraction;
  });
}

function prorationStep({ base, days, totalDays }: Share, currency: Currency): CalculationStep {
  const ratio = quotient(days, totalDays);
  const unrounded = base.times(ratio);
  const result = roundToCurrency(unrounded, currency);
  return step({ operation: 'PRORATE', base, days, totalDays, ratio, unrounded, result });
}

function roundingStep(base: Decimal, currency: Currency): CalculationStep {
  return step({ operation: 'ROUND', base, unrounded: base, result: roundToCurrency(base, currency) });
}

function additionStep(base: Decimal, factor: Decimal): CalculationStep {
  return step({ operation: 'ADD', base, factor, result: base.plus(factor) });
}

function limitStep(base: Decimal, factor: Decimal): CalculationStep {
  return step({ operation: 'LIMIT', base, factor, result: base.lessThan(factor) ? base : factor });
}

function negationStep(base: Decimal): CalculationStep {
  return step({ operation: 'NEGATE', base, result: base.isZero() ? ZERO : base.negated() });
}

function step(known: Pick<CalculationStep, 'operation' | 'base' | 'result'> & Partial<CalculationStep>) {
  return { factor: null, days: null, totalDays: null, ratio: null, unrounded: null, ...known };
}

function resultOf(steps: readonly CalculationStep[], start: Decimal): Decimal {
  return steps.at(-1)?.result ?? start;
}
