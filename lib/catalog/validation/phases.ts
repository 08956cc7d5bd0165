import { PhaseType } from '../../records/index.ts';
import { BillingPeriod, type Duration, TimeUnit } from '../../values/time/index.ts';
import { UNBOUNDED } from '../model/catalog-model.ts';
import { phaseName } from '../model/phase-name.ts';
import { contentPhases, type PhaseContent } from '../model/version-content.ts';
import { checkPrice } from './prices.ts';
import { checkUsage } from './usages.ts';
import type { VersionCheck } from './version-check.ts';

/** Years that one phase may last. */
const MAX_PHASE_YEARS = 1_000;

/** V9, V11, V12, and V13 to V15, V20, V21 for its prices and usages. */
export function checkPhase(check: VersionCheck, phase: PhaseContent, owner: string): void {
  if (phase.fixed === null && phase.recurring === null && phase.usages.length === 0) {
    check.findings.error(`${owner} has neither a fixed nor a recurring price nor usages`, [phase]);
  }
  checkDurationNumber(check, phase.duration, owner);
  checkRecurring(check, phase, owner);
  checkPrice(check, phase.fixed?.price ?? null, `${owner}: the fixed price`);
  checkPrice(check, phase.recurring?.price ?? null, `${owner}: the recurring price`);
  for (const usage of phase.usages) checkUsage(check, usage);
}

/** Upper bound of the length of a year in units, for the bound of a duration. */
const UNITS_PER_YEAR: Readonly<Record<TimeUnit, number>> = {
  DAYS: 365,
  WEEKS: 52,
  MONTHS: 12,
  YEARS: 1,
  UNLIMITED: 0,
};

/** V11 */
function checkDurationNumber(check: VersionCheck, duration: Duration, owner: string): void {
  const { unit, number } = duration;
  if (unit === TimeUnit.UNLIMITED) {
    if (number === UNBOUNDED) return;
    check.findings.error(`${owner}: an UNLIMITED duration has no number, but ${number} is given`, [
      duration,
      'number',
    ]);
  } else if (number === UNBOUNDED) {
    check.findings.error(`${owner}: a duration in ${unit} needs a number`, [duration]);
  } else if (number < 1) {
    check.findings.error(`${owner}: a duration is at least 1 of its unit, not ${number}`, [
      duration,
      'number',
    ]);
  } else if (number > MAX_PHASE_YEARS * UNITS_PER_YEAR[unit]) {
    check.findings.error(
      `${owner}: a duration of ${number} ${unit} is longer than ${MAX_PHASE_YEARS} years`,
      [duration, 'number'],
    );
  }
}

/** V12 */
function checkRecurring(check: VersionCheck, { recurring }: PhaseContent, owner: string): void {
  if (recurring === null) return;
  const isPeriodic = recurring.billingPeriod !== BillingPeriod.NO_BILLING_PERIOD;
  if (recurring.price !== null && !isPeriodic) {
    check.findings.error(`${owner} has a recurring price but NO_BILLING_PERIOD`, [recurring]);
  }
  if (recurring.price === null && isPeriodic) {
    check.findings.error(
      `${owner} has the billing period ${recurring.billingPeriod} but no recurring price`,
      [recurring],
    );
  }
}

/** V10, in the last section of the report. */
export function checkPhaseTerms(check: VersionCheck): void {
  for (const plan of check.content.plans) {
    for (const phase of contentPhases(plan)) {
      const isEvergreen = phase.type === PhaseType.EVERGREEN;
      const isUnlimited = phase.duration.unit === TimeUnit.UNLIMITED;
      if (isEvergreen === isUnlimited) continue;
      const owner = `Plan "${plan.name}", phase ${phaseName(plan.name, phase.type)}`;
      const fault = isEvergreen
        ? `an EVERGREEN phase is UNLIMITED, not in ${phase.duration.unit}`
        : `a ${phase.type} phase cannot be UNLIMITED`;
      check.findings.error(`${owner}: ${fault}`, [phase.duration, 'unit']);
    }
  }
}
