import { DAY_MS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';

/** Time for which keys are remembered, and for which a consumption can be backdated (§4). */
export const QUOTA_DAYS = 35;
export const QUOTA_KEY_MS = QUOTA_DAYS * DAY_MS;

/** Returns the instant since which keys are remembered. Older keys are free, even if they are not deleted yet. */
export function keysSince(now: Instant): Instant {
  return addMilliseconds(now, -QUOTA_KEY_MS);
}
