import { FeatureCombination, type FeatureDeclaration, FeatureKind } from '../../records/index.ts';
import { Decimal, sum, ZERO } from '../../values/money/index.ts';
import type { FeatureSource } from './feature-source.ts';

/** The value of a feature for an account (§1). */
export type CombinedValue =
  | { readonly kind: 'SWITCH'; readonly isOn: boolean }
  /** Null means unlimited. */
  | { readonly kind: 'NUMBER'; readonly amount: Decimal | null }
  /** Null if no subscription has the feature. */
  | { readonly kind: 'TEXT'; readonly text: string | null }
  /** The sum of the amounts of all counters in their current periods. */
  | { readonly kind: 'QUOTA'; readonly amount: Decimal };

/** Combines the contributions of the sources (§1). If there is no source, the value is `false`, 0 or null. */
export function combinedValue(
  { kind, combine }: FeatureDeclaration,
  sources: readonly FeatureSource[],
): CombinedValue {
  switch (kind) {
    case FeatureKind.SWITCH:
      return { kind, isOn: sources.some(({ value }) => value.kind === kind && value.isOn) };
    case FeatureKind.TEXT: {
      const [first] = sources.flatMap(({ value }) => (value.kind === kind ? [value.text] : []));
      return { kind, text: first ?? null };
    }
    case FeatureKind.NUMBER:
      return { kind, amount: combinedNumber(combine, sources) };
    case FeatureKind.QUOTA:
      return { kind, amount: sum(sources.map(({ amount }) => amount ?? ZERO)) };
  }
}

/** Combines numbers. If one of them is unlimited, the result is unlimited. */
function combinedNumber(combine: FeatureDeclaration['combine'], sources: readonly FeatureSource[]) {
  const amounts = sources.flatMap(({ amount }) => amount ?? []);
  if (amounts.length < sources.length) return null;
  return combine === FeatureCombination.MAX ? Decimal.max(ZERO, ...amounts) : sum(amounts);
}
