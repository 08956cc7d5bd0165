import type { Leading } from '../records/index.ts';
import type { TenantSettings } from './configuration/index.ts';

/** What is in force for a tenant. */
export interface ConfigurationOperations<C extends Leading = []> {
  /**
   * The settings of the tenant by property name without prefix, such as `payment.retry.days` (platform §4.1): its own
   * value where it has uploaded one, else that of the server.
   */
  settings(...given: C): Promise<TenantSettings>;
}
