import { PlanAlignmentCreate } from '../catalog/index.ts';
import type { DatedInstant } from '../time/index.ts';
import type { Subscription } from './model.ts';

/** Where the phase timeline of a newly created subscription begins (subscriptions.md §5 rule 3). */
export function createAnchor(
  alignment: PlanAlignmentCreate,
  origins: Pick<Subscription, 'alignStart' | 'bundleStart'>,
): DatedInstant {
  switch (alignment) {
    case PlanAlignmentCreate.START_OF_SUBSCRIPTION:
      return origins.alignStart;
    case PlanAlignmentCreate.START_OF_BUNDLE:
      return origins.bundleStart;
    default:
      return neverAlignment(alignment);
  }
}

function neverAlignment(alignment: never): never {
  throw new Error(`Unknown create alignment ${String(alignment)}`);
}
