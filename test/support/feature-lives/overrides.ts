import type { FeatureName, LifeValue } from './catalog.ts';
import type { Ms } from './zones.ts';

export interface ModelOverride {
  readonly place: number;
  /** Place of the subscription. Null: the account. */
  readonly subscription: number | null;
  readonly feature: FeatureName;
  readonly value: LifeValue;
  readonly from: Ms;
  /** Exclusive. */
  readonly until: Ms | null;
}

const isBeforeEnd = (at: Ms, { until }: ModelOverride): boolean => until === null || at < until;

const isSameTarget = (a: ModelOverride, b: ModelOverride): boolean =>
  a.subscription === b.subscription && a.feature === b.feature;

/** Adds an override. Of two that overlap, the later one ends the earlier one at its start (features §2 rule 4). */
export function withOverride(
  overrides: readonly ModelOverride[],
  added: ModelOverride,
): readonly ModelOverride[] {
  const others = overrides.filter((each) => isSameTarget(each, added));
  const later = others.filter((each) => each.from > added.from && isBeforeEnd(each.from, each));
  const ends = [...later.map(({ from }) => from), ...(added.until === null ? [] : [added.until])];
  const cut = overrides.map((each) =>
    isSameTarget(each, added) && each.from <= added.from && isBeforeEnd(added.from, each)
      ? { ...each, until: added.from }
      : each,
  );
  return [...cut, { ...added, until: ends.length === 0 ? null : Math.min(...ends) }];
}

export function endedAt(
  overrides: readonly ModelOverride[],
  place: number,
  at: Ms,
): readonly ModelOverride[] {
  return overrides.map((each) =>
    each.place === place && isBeforeEnd(at, each) ? { ...each, until: Math.max(at, each.from) } : each,
  );
}

export function overrideAt(
  overrides: readonly ModelOverride[],
  { subscription, feature }: Pick<ModelOverride, 'subscription' | 'feature'>,
  at: Ms,
): ModelOverride | undefined {
  return overrides.find(
    (each) =>
      each.subscription === subscription &&
      each.feature === feature &&
      each.from <= at &&
      isBeforeEnd(at, each),
  );
}
