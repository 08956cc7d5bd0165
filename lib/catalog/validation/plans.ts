import { PhaseType } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import { BillingPeriod, formatInstant } from '../../values/time/index.ts';
import { phaseName } from '../model/phase-name.ts';
import { contentPhases, type PhaseContent, type PlanContent } from '../model/version-content.ts';
import { NameKind } from './names.ts';
import { checkPhase } from './phases.ts';
import type { VersionCheck } from './version-check.ts';

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

/** V5 */
function checkBillingMode(check: VersionCheck, plan: PlanContent, owner: string): void {
  if ((plan.recurringBillingMode ?? check.content.recurringBillingMode) !== null) return;
  const period = plan.finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD;
  if (period === BillingPeriod.NO_BILLING_PERIOD) return;
  check.findings.error(
    `${owner} recurs (${period}) but has no recurringBillingMode, neither its own nor the version's`,
    [plan],
  );
}

/** V6 */
function checkDateForExisting(check: VersionCheck, plan: PlanContent, owner: string): void {
  const forExisting = plan.effectiveDateForExistingSubscriptions;
  if (forExisting === null || forExisting >= check.content.effectiveDate) return;
  check.findings.error(
    `${owner}: effectiveDateForExistingSubscriptions ${formatInstant(forExisting)} is before the effective date of the version, ${formatInstant(check.content.effectiveDate)}`,
    [plan, 'effectiveDateForExistingSubscriptions'],
  );
}

/** V7, V8, then each phase by itself. */
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

/** V7 */
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
