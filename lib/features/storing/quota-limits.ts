import { DAY_MS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';

/** Number of days for which keys are remembered, and by which use can be backdated (§4). */
export const QUOTA_DAYS = 35;
export const QUOTA_KEY_MS = QUOTA_DAYS * DAY_MS;

/**
 * Returns the start of the period for which keys are remembered. Older keys can be used again, even if they have not
 * been deleted yet.
 */
export function keysSince(now: Instant): Instant {
  return addMilliseconds(now, -QUOTA_KEY_MS);
}
