import { serverProperties } from './server-properties.ts';
import { tenantProperties } from './tenant-properties.ts';

/** Names, without prefix, of every property that the configuration of the engine can set. */
export const configurableProperties: readonly string[] = [
  ...Object.keys(serverProperties),
  ...Object.keys(tenantProperties),
];
