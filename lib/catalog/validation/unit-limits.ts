import { type Limit, UNBOUNDED, type WrittenDecimal } from '../model/catalog-model.ts';
import { NameKind } from './names.ts';
import type { VersionCheck } from './version-check.ts';

export function isUnbounded(bound: WrittenDecimal): boolean {
  return bound.value.equals(UNBOUNDED);
}

/** V2 of the units; V15 of `max` and `min`. */
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
