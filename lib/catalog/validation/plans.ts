import { BillingMode, BlockType, PhaseType, UsageType } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { BillingPeriod, type Duration, formatInstant, TimeUnit } from '../../values/time/index.ts';
import { steps } from '../lookup/priced-units.ts';
import {
  type Block,
  type InternationalPrice,
  type Limit,
  type Tier,
  UNBOUNDED,
  type Usage,
  type WrittenDecimal,
} from '../model/catalog-model.ts';
import { phaseName } from '../model/plan.ts';
import { contentPhases, type PhaseContent, type PlanContent } from '../model/version-content.ts';
import { NameKind, type VersionCheck } from './findings.ts';

export function* checkPlans(check: VersionCheck): Steps<void> {
  for (const plan of check.content.plans) {
    const owner = `Plan "${plan.name}"`;
    check.names.declare(NameKind.PLAN, plan);
    check.names.refer({ owner, kind: NameKind.PRODUCT, name: plan.product, place: [plan, 'product'] });
    checkBillingMode(check, plan, owner);
    checkDateForExisting(check, plan, owner);
    checkPhases(check, plan, owner);
    yield;
  }
}

/** Checks V5: a plan with recurring charges must have a billing mode. */
function checkBillingMode(check: VersionCheck, plan: PlanContent, owner: string): void {
  if ((plan.recurringBillingMode ?? check.content.recurringBillingMode) !== null) return;
  const period = plan.finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD;
  if (period === BillingPeriod.NO_BILLING_PERIOD) return;
  check.findings.error(
    `${owner} recurs (${period}) but has no recurringBillingMode, neither its own nor the version's`,
    [plan],
  );
}

/** Checks V6: the date for existing subscriptions must not be before the date of the version. */
function checkDateForExisting(check: VersionCheck, plan: PlanContent, owner: string): void {
  const forExisting = plan.effectiveDateForExistingSubscriptions;
  if (forExisting === null || forExisting >= check.content.effectiveDate) return;
  check.findings.error(
    `${owner}: effectiveDateForExistingSubscriptions ${formatInstant(forExisting)} is before the effective date of the version, ${formatInstant(check.content.effectiveDate)}`,
    [plan, 'effectiveDateForExistingSubscriptions'],
  );
}

/** Checks V7 and V8 for the phases of a plan, then checks each phase. */
function checkPhases(check: VersionCheck, plan: PlanContent, owner: string): void {
  const seen = new Set<PhaseType>();
  for (const phase of contentPhases(plan)) {
    if (seen.has(phase.type)) {
      check.findings.error(`${owner} has more than one phase of type ${phase.type}`, [phase]);
    }
    seen.add(phase.type);
    checkPosition(check, { plan, phase, owner });
    checkPhase(check, phase, `${owner}, phase ${phaseName(plan.name, phase.type)}`);
  }
}

/** Checks V7: the type of the phase must be allowed at this position. */
function checkPosition(
  check: VersionCheck,
  { plan, phase, owner }: { plan: PlanContent; phase: PhaseContent; owner: string },
): void {
  const isFinal = phase === plan.finalPhase;
  if (!isFinal && phase.type === PhaseType.EVERGREEN) {
    check.findings.error(`${owner}: an initial phase cannot be of type EVERGREEN`, [phase]);
  }
  if (isFinal && (phase.type === PhaseType.TRIAL || phase.type === PhaseType.DISCOUNT)) {
    check.findings.error(`${owner}: the final phase cannot be of type ${phase.type}`, [phase]);
  }
}

const MAX_PHASE_YEARS = 1_000;

/** Checks a phase according to V9, V11 and V12. Checks its prices and usages according to V13 to V15, V20 and V21. */
function checkPhase(check: VersionCheck, phase: PhaseContent, owner: string): void {
  if (phase.fixed === null && phase.recurring === null && phase.usages.length === 0) {
    check.findings.error(`${owner} needs a fixed price, a recurring price or usages`, [phase]);
  }
  checkDurationNumber(check, phase.duration, owner);
  checkRecurring(check, phase, owner);
  checkPrice(check, phase.fixed?.price ?? null, `${owner}: the fixed price`);
  checkPrice(check, phase.recurring?.price ?? null, `${owner}: the recurring price`);
  for (const usage of phase.usages) checkUsage(check, usage);
}

const UNITS_PER_YEAR: Readonly<Record<TimeUnit, number>> = {
  DAYS: 365,
  WEEKS: 52,
  MONTHS: 12,
  YEARS: 1,
  UNLIMITED: 0,
};

/** Checks V11: the number of a duration must be valid for its unit. */
function checkDurationNumber(check: VersionCheck, duration: Duration, owner: string): void {
  const { unit, number } = duration;
  const error = (fault: string): void => check.findings.error(`${owner}: ${fault}`, [duration, 'number']);
  if (unit === TimeUnit.UNLIMITED) {
    if (number !== UNBOUNDED) error(`an UNLIMITED duration cannot have a number, but has ${number}`);
  } else if (number === UNBOUNDED) {
    check.findings.error(`${owner}: a duration in ${unit} needs a number`, [duration]);
  } else if (number < 1) {
    error(`the number of a duration must be at least 1, not ${number}`);
  } else if (number > MAX_PHASE_YEARS * UNITS_PER_YEAR[unit]) {
    error(`a duration of ${number} ${unit} is longer than ${MAX_PHASE_YEARS} years`);
  }
}

/** Checks V12: a recurring section must have prices if and only if it has a billing period. */
function checkRecurring(check: VersionCheck, { recurring }: PhaseContent, owner: string): void {
  if (recurring === null) return;
  const isPeriodic = recurring.billingPeriod !== BillingPeriod.NO_BILLING_PERIOD;
  if (recurring.price !== null && !isPeriodic) {
    check.findings.error(`${owner} has a recurring price but NO_BILLING_PERIOD`, [recurring]);
  }
  if (recurring.price === null && isPeriodic) {
    const message = `${owner} has the billing period ${recurring.billingPeriod} but no recurring price`;
    check.findings.error(message, [recurring]);
  }
}

/** Checks the durations of phases (V10). The report lists the errors of this rule last. */
export function checkPhaseTerms(check: VersionCheck): void {
  for (const plan of check.content.plans) {
    for (const phase of contentPhases(plan)) {
      const isEvergreen = phase.type === PhaseType.EVERGREEN;
      const isUnlimited = phase.duration.unit === TimeUnit.UNLIMITED;
      if (isEvergreen === isUnlimited) continue;
      const owner = `Plan "${plan.name}", phase ${phaseName(plan.name, phase.type)}`;
      const fault = isEvergreen
        ? `an EVERGREEN phase must be UNLIMITED, not in ${phase.duration.unit}`
        : `a ${phase.type} phase cannot be UNLIMITED`;
      check.findings.error(`${owner}: ${fault}`, [phase.duration, 'unit']);
    }
  }
}

function checkUsage(check: VersionCheck, usage: Usage): void {
  const owner = `Usage "${usage.name}"`;
  check.names.declare(NameKind.USAGE, usage);
  // Check V14 for the section.
  if (usage.billingMode === BillingMode.IN_ARREAR && usage.tiers.length === 0) {
    check.findings.error(`${owner} is ${usage.billingMode} ${usage.usageType} and needs tiers`, [usage]);
  }
  checkLimits(check, usage.limits, owner);
  for (const block of usage.blocks) checkBlock(check, block, owner);
  usage.tiers.forEach((tier, index) => {
    checkTier(check, { usage, tier, owner: `${owner}, tier ${index + 1}` });
  });
  checkPrice(check, usage.fixedPrice, `${owner}: the fixed price`);
  checkPrice(check, usage.recurringPrice, `${owner}: the recurring price`);
  if (usage.billingMode !== BillingMode.IN_ARREAR) {
    // Usage in advance would be sold but never invoiced (V21).
    const message = `${owner} is IN_ADVANCE, which is never billed. Use IN_ARREAR with tiers, or the recurring price of the phase`;
    check.findings.unbilledUsage(message, [usage]);
    return;
  }
  // Usage in arrears needs a billing period (V20).
  if (usage.billingPeriod === BillingPeriod.NO_BILLING_PERIOD) {
    check.findings.error(`${owner} is IN_ARREAR and needs a billing period`, [usage, 'billingPeriod']);
  }
  checkTierUnits(check, usage, owner);
}

function checkTier(
  check: VersionCheck,
  { usage, tier, owner }: { usage: Usage; tier: Tier; owner: string },
): void {
  // Check V14 for the tier.
  if (usage.billingMode === BillingMode.IN_ARREAR) {
    const needed = usage.usageType === UsageType.CAPACITY ? 'limits' : 'blocks';
    if (tier[needed].length === 0) {
      check.findings.error(`${owner} of a ${usage.usageType} section needs ${needed}`, [tier]);
    }
  }
  checkLimits(check, tier.limits, owner);
  for (const block of tier.blocks) {
    check.names.refer({ owner, kind: NameKind.UNIT, name: block.unit, place: [block, 'unit'] });
    checkSize(check, block, owner);
    checkPrice(check, block.prices, `${owner}: the price of unit "${block.unit}"`);
    // The value of `max` must be positive or unlimited (V15).
    if (!isUnbounded(block.max) && !block.max.value.greaterThan(0)) {
      check.findings.error(
        `${owner}: max of unit "${block.unit}" must be greater than 0, or ${UNBOUNDED} for no limit, not ${block.max.text}`,
        [block, 'max'],
      );
    }
  }
  checkPrice(check, tier.fixedPrice, `${owner}: the fixed price`);
  checkPrice(check, tier.recurringPrice, `${owner}: the recurring price`);
}

function checkBlock(check: VersionCheck, block: Block, owner: string): void {
  check.names.refer({ owner, kind: NameKind.UNIT, name: block.unit, place: [block, 'unit'] });
  checkSize(check, block, owner);
  checkPrice(check, block.prices, `${owner}: the price of unit "${block.unit}"`);
  const { type, unit, minTopUpCredit } = block;
  const isTopUp = type === BlockType.TOP_UP;
  if (isTopUp && minTopUpCredit === null) {
    check.findings.error(`${owner}: the TOP_UP block of unit "${unit}" needs a minTopUpCredit`, [block]);
  }
  if (!isTopUp && minTopUpCredit !== null) {
    const message = `${owner}: only a TOP_UP block can have a minTopUpCredit, not the ${type} block of unit "${unit}"`;
    check.findings.error(message, [block, 'minTopUpCredit']);
  }
}

/** V15: `max` is positive or unlimited. */
function checkSize(
  check: VersionCheck,
  block: { readonly unit: string; readonly size: WrittenDecimal },
  owner: string,
): void {
  if (block.size.value.greaterThan(0)) return;
  const message = `${owner}: the size of a block of unit "${block.unit}" must be greater than 0, not ${block.size.text}`;
  check.findings.error(message, [block, 'size']);
}

/** Checks V13: a price must use declared currencies, each at most once, and must not be negative. */
function checkPrice(check: VersionCheck, price: InternationalPrice | null, owner: string): void {
  const seen = new Set<Currency>();
  for (const entry of price?.prices ?? []) {
    const { currency, amount } = entry;
    if (seen.has(currency)) {
      check.findings.error(`${owner} has more than one amount in ${currency}`, [entry, 'currency']);
    }
    if (!seen.has(currency) && !check.currencies.has(currency)) {
      const message = `${owner} is in ${currency}, which is not among the currencies of the version`;
      check.findings.error(message, [entry, 'currency']);
    }
    seen.add(currency);
    if (amount?.value.isNegative()) {
      check.findings.error(`${owner} is negative: ${amount.text} ${currency}`, [entry, 'value']);
    }
  }
}

const LISTED_UNITS = 5;

/**
 * Checks V20: each unit must occur once in every tier, and may be unlimited only in its last tier. Takes time linear in
 * the number of tiers.
 */
function checkTierUnits(check: VersionCheck, usage: Usage, owner: string): void {
  const lastTierOf = new Map<string, number>();
  usage.tiers.forEach((tier, index) => {
    for (const step of steps(usage, tier)) lastTierOf.set(step.unit, index);
  });
  usage.tiers.forEach((tier, index) => {
    const place = `${owner}, tier ${index + 1}`;
    const seen = new Set<string>();
    for (const step of steps(usage, tier)) {
      if (seen.has(step.unit)) {
        check.findings.error(`${place} has unit "${step.unit}" twice`, [step, 'unit']);
      }
      seen.add(step.unit);
      if (isUnbounded(step.max) && lastTierOf.get(step.unit) !== index) {
        const message = `${place}: unit "${step.unit}" has no limit here, but a later tier has it too`;
        check.findings.error(message, [step, 'max']);
      }
    }
    // V14 already reports a tier without any limits or blocks.
    if (seen.size === 0 || seen.size === lastTierOf.size) return;
    check.findings.error(`${place} is missing ${missingUnits(lastTierOf, seen)} of another tier`, [tier]);
  });
}

/** Returns the names of a few units that are not in `seen`. Stops as soon as enough units are found. */
function missingUnits(units: ReadonlyMap<string, unknown>, seen: ReadonlySet<string>): string {
  const missing: string[] = [];
  for (const unit of units.keys()) {
    if (!seen.has(unit)) missing.push(`"${unit}"`);
    if (missing.length === LISTED_UNITS) break;
  }
  const more = units.size - seen.size - missing.length;
  return `${missing.length === 1 ? 'unit' : 'units'} ${missing.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function isUnbounded(bound: WrittenDecimal): boolean {
  return bound.value.equals(UNBOUNDED);
}

/** Checks the units (V2) and the `max` and `min` (V15) of limits. */
export function checkLimits(check: VersionCheck, limits: readonly Limit[], owner: string): void {
  for (const limit of limits) {
    check.names.refer({ owner, kind: NameKind.UNIT, name: limit.unit, place: [limit, 'unit'] });
    const { max, min } = limit;
    if (isUnbounded(max) || isUnbounded(min) || max.value.greaterThanOrEqualTo(min.value)) continue;
    check.findings.error(
      `${owner}: limit of unit "${limit.unit}" has max ${max.text} below min ${min.text}`,
      [limit],
    );
  }
}
