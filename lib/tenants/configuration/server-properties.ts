import { flag } from './property.ts';

/**
 * Properties of the engine that hold for the whole server (platform.md §4.3); those of the HTTP server are its own
 * settings, and the queue's are options of `Billing.open`.
 */
export const serverProperties = {
  'notifications.allowPrivateNetworks': flag(true),
} as const;
