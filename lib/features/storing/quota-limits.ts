import { DAY_MS } from '../../values/limits.ts';

/** Time for which keys are remembered, and for which a consumption can be backdated (§4). */
export const QUOTA_DAYS = 35;
export const QUOTA_KEY_MS = QUOTA_DAYS * DAY_MS;
