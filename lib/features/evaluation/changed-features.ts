import type { FeatureKind } from '../../records/index.ts';
import { combinedText } from './feature-views.ts';
import type { FeaturesAt } from './features-at.ts';

type Values = Readonly<Record<string, string | null>>;

/** Returns the values of features as text. Features with the value without a contribution are omitted. */
export function valuesOf({ features }: FeaturesAt): Values {
  const values = [...features.values()].map(({ name, kind, value }) => ({
    name,
    kind,
    text: combinedText(value),
  }));
  return Object.fromEntries(
    values.flatMap(({ name, kind, text }) => (text === absent[kind] ? [] : [[name, text]])),
  );
}

interface FeatureChange {
  readonly feature: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Value of a feature that nothing contributes to (§1). */
const absent: Readonly<Record<FeatureKind, string | null>> = {
  SWITCH: 'false',
  NUMBER: '0',
  TEXT: null,
  QUOTA: '0',
};

/**
 * Returns the features whose values differ from the values of the last check (§5). A feature that was never checked
 * changes from the value without a contribution. A feature that is no longer declared changes to null.
 */
export function changedFeatures(before: Values, { features }: FeaturesAt): readonly FeatureChange[] {
  const current = [...features.values()].map(({ name, kind, value }) => ({
    feature: name,
    from: Object.hasOwn(before, name) ? (before[name] ?? null) : absent[kind],
    to: combinedText(value),
  }));
  const removed = Object.entries(before).filter(([name]) => !features.has(name));
  const gone = removed.map(([feature, from]) => ({ feature, from, to: null }));
  return [...current, ...gone].filter(({ from, to }) => from !== to);
}
