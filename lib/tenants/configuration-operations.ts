import type { Leading } from '../records/index.ts';
import type { TenantSettings } from './configuration/index.ts';

/** The settings in force for a tenant. */
export interface ConfigurationOperations<C extends Leading = []> {
  /**
   * The settings of the tenant by property name without prefix, such as `payment.retry.days` (platform §4.1): its own
   * value if it has uploaded one, else the server's.
   */
  settings(...given: C): Promise<TenantSettings>;
}
