import { UsageType } from '../../records/index.ts';
import type { Limit, Tier, TieredBlock, Usage } from '../model/catalog-model.ts';
import { isUnbounded } from './unit-limits.ts';
import type { VersionCheck } from './version-check.ts';

/** How many units one message names. */
const LISTED_UNITS = 5;

/** What bounds a tier: its limits for CAPACITY, its blocks for CONSUMABLE. */
export function steps(usage: Usage, tier: Tier): readonly (Limit | TieredBlock)[] {
  return usage.usageType === UsageType.CAPACITY ? tier.limits : tier.blocks;
}

/**
 * V20 for the units: each occurs in every tier, once, and is unbounded at most in the last tier that has it. Linear in
 * the tiers.
 */
export function checkTierUnits(check: VersionCheck, usage: Usage, owner: string): void {
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
        check.findings.error(`${place}: unit "${step.unit}" is unbounded, but a later tier has it too`, [
          step,
          'max',
        ]);
      }
    }
    // A tier without any step lacks all its limits or blocks, which V14 reports.
    if (seen.size === 0 || seen.size === lastTierOf.size) return;
    check.findings.error(`${place} lacks ${missingUnits(lastTierOf, seen)} of another tier`, [tier]);
  });
}

/** Names a few units that `seen` lacks; examines no more units than are seen and named. */
function missingUnits(units: ReadonlyMap<string, unknown>, seen: ReadonlySet<string>): string {
  const missing: string[] = [];
  for (const unit of units.keys()) {
    if (!seen.has(unit)) missing.push(`"${unit}"`);
    if (missing.length === LISTED_UNITS) break;
  }
  const more = units.size - seen.size - missing.length;
  return `${missing.length === 1 ? 'unit' : 'units'} ${missing.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
