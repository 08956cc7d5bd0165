import type { Bundle } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Why a bundle gives its key up: the beginning of the form in which the key is kept from then on (§17.1). */
export const KeyRetirement = { CANCELLED: 'kbcncl', TRANSFERRED: 'kbtsf' } as const;
export type KeyRetirement = (typeof KeyRetirement)[keyof typeof KeyRetirement];

/** Whether a bundle holds the key that it carries: no other one has it. */
export function holdsKey({ retiredKey }: Bundle): boolean {
  return retiredKey === null;
}

/** Of the bundles that carry a key the one that holds it; the others did before. */
export function holderOf(carriers: readonly Bundle[]): Bundle | undefined {
  return carriers.find(holdsKey);
}

/** The bundle without its key, which the next one may have; callers still see it. */
export function withoutKey(bundle: Bundle, why: KeyRetirement): Bundle {
  return { ...bundle, retiredKey: `${why}-${bundle.recordId}:${bundle.externalKey}` };
}

/** Original creation of a bundle that is made now: that of the oldest bundle which carried its key before (§3). */
export function originalCreation(carriers: readonly Bundle[], now: Instant): Instant {
  return carriers.reduce<Instant>(
    (first, { originalCreatedDate }) => (originalCreatedDate < first ? originalCreatedDate : first),
    now,
  );
}
