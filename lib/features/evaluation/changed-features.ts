import type { FeatureKind } from '../../records/index.ts';
import { combinedText } from './feature-views.ts';
import type { FeaturesAt } from './features-at.ts';

type Values = Readonly<Record<string, string | null>>;

interface FeatureChange {
  readonly feature: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Value of a feature to which no subscription or override contributes (§1). */
const absent: Readonly<Record<FeatureKind, string | null>> = {
  SWITCH: 'false',
  NUMBER: '0',
  TEXT: null,
  QUOTA: '0',
};

/** Returns the values of features as text. Omits features with the value that they have without contributions. */
export function valuesOf({ features }: FeaturesAt): Values {
  const values = [...features.values()].map(({ name, kind, value }) => ({
    name,
    kind,
    text: combinedText(value),
  }));
  const present = values.filter(({ kind, text }) => text !== absent[kind]);
  return Object.fromEntries(present.map(({ name, text }) => [name, text]));
}

/**
 * Returns the features whose values have changed since the last check (§5). A feature that was never checked is
 * treated as having had no contribution. A feature that is no longer declared changes to null.
 */
export function changedFeatures(before: Values, current: FeaturesAt): readonly FeatureChange[] {
  const [was, is] = [before, valuesOf(current)].map((values) => new Map(Object.entries(values)));
  const names = new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])]);
  const changes = [...names].map((feature) => {
    const kind = current.features.get(feature)?.kind;
    const none = kind === undefined ? null : absent[kind];
    return { feature, from: was?.get(feature) ?? none, to: is?.get(feature) ?? none };
  });
  return changes.filter(({ from, to }) => from !== to);
}
