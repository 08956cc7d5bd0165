import type { CheckedGroup } from '../requests/create-groups.ts';
import { type FoundBundle, namedBundle } from './chosen-group.ts';

/** Joins groups that name the same bundle, so that the rules see everything that is asked of it. */
export function groupsByBundle(
  groups: readonly CheckedGroup[],
  found: readonly FoundBundle[],
): readonly CheckedGroup[] {
  const named = Map.groupBy(
    groups,
    (group) => namedBundle(group, found)?.bundle.id ?? group.bundleExternalKey ?? group,
  );
  return [...named.values()].map((same) => joined(same, found));
}

/**
 * Which id and key the joined group has. An id goes before a key, and a key that is not the bundle's before one that is,
 * since both have to be right.
 */
function joined(same: readonly CheckedGroup[], found: readonly FoundBundle[]): CheckedGroup {
  const members = same.flatMap((group) => group.members);
  const [bundleId = null] = same.flatMap((group) => group.bundleId ?? []);
  const keys = same.flatMap(({ bundleExternalKey }) => bundleExternalKey ?? []);
  const [first = null] = keys;
  const held = namedBundle({ bundleId, bundleExternalKey: first }, found)?.bundle.externalKey;
  return { bundleId, bundleExternalKey: keys.find((key) => key !== held) ?? first, members };
}
