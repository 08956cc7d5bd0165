import type { Bundle } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Why a bundle gives up its key; the value begins the form in which the key is kept from then on (§17.1). */
export const KeyRetirement = { CANCELLED: 'kbcncl', TRANSFERRED: 'kbtsf' } as const;
export type KeyRetirement = (typeof KeyRetirement)[keyof typeof KeyRetirement];

/** True if the bundle holds the key that it carries: no later one has taken it. */
export function holdsKey({ retiredKey }: Bundle): boolean {
  return retiredKey === null;
}

/** The one that holds the key, among the bundles that carry it; the others held it before. */
export function holderOf(carriers: readonly Bundle[]): Bundle | undefined {
  return carriers.find(holdsKey);
}

/** The bundle without its key, which another one may take; callers still see the key. */
export function withoutKey(bundle: Bundle, why: KeyRetirement): Bundle {
  return { ...bundle, retiredKey: `${why}-${bundle.recordId}:${bundle.externalKey}` };
}

/** The original creation date of a bundle made now: that of the oldest bundle that carried its key before (§3). */
export function originalCreation(carriers: readonly Bundle[], now: Instant): Instant {
  return carriers.reduce<Instant>(
    (first, { originalCreatedDate }) => (originalCreatedDate < first ? originalCreatedDate : first),
    now,
  );
}
