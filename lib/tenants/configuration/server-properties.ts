import { IDEMPOTENCY_ABANDONED_MS, IDEMPOTENCY_RETENTION_MS, MAX_SETTING_SPAN_MS } from '../../limits.ts';
import { flag, span } from './property.ts';

/**
 * Properties of the engine that hold for the whole server (platform.md §4.3); those of the HTTP server are its own
 * settings, and the queue's are options of `Billing.open`.
 */
export const serverProperties = {
  'notifications.allowPrivateNetworks': flag(true),
  'server.idempotency.retention': span(IDEMPOTENCY_RETENTION_MS, {
    min: IDEMPOTENCY_ABANDONED_MS,
    max: MAX_SETTING_SPAN_MS,
  }),
} as const;
