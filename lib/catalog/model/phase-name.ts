import { PhaseType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';

const SUFFIXES: ReadonlyMap<string, PhaseType> = new Map(
  Object.values(PhaseType).map((type) => [type.toLowerCase(), type]),
);

/** Name of the phase of `type` of a plan: `pro-monthly-evergreen` (§1). */
export function phaseName(planName: string, type: PhaseType): string {
  return `${planName}-${type.toLowerCase()}`;
}

/**
 * Plan and type that a phase name stands for.
 * @throws BillingError 2041 `CATALOG_BAD_PHASE_NAME` if the name does not end in a phase type, or has no plan.
 */
export function parsePhaseName(name: string): { readonly planName: string; readonly type: PhaseType } {
  const dash = name.lastIndexOf('-');
  const type = SUFFIXES.get(name.slice(dash + 1));
  if (dash < 1 || type === undefined) {
    throw new BillingError({
      code: ErrorCode.CATALOG_BAD_PHASE_NAME,
      message: `"${name}" is not a phase name; expected a plan name followed by one of ${[...SUFFIXES.keys()].map((suffix) => `-${suffix}`).join(', ')}`,
      facts: { phaseName: name },
    });
  }
  return { planName: name.slice(0, dash), type };
}
