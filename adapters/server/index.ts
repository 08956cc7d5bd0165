/** What the server of the command line is made of besides its options. Entry point `billwright/server`. */

import type { Billing } from '../../lib/billing.ts';
import type { BillingOptions } from '../../lib/index.ts';

/** The plugins and other parts of the host's own that a server takes as `Billing.open` does. */
type Parts = Pick<
  BillingOptions<never>,
  | 'gateways'
  | 'paymentControls'
  | 'catalogPlugins'
  | 'entitlementPlugins'
  | 'invoicePlugins'
  | 'usageSources'
  | 'eventSinks'
  | 'nodeCommands'
  | 'invoiceFormatter'
  | 'documentRenderer'
  | 'pushSender'
  | 'tracer'
  | 'defaultCatalog'
  | 'defaultOverdueConfig'
>;

/** Text, or what its JSON is the text of, such as a number, a list or `security.jwt.issuers`. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * A server as `billwright.config.ts` defines it. An option of the command line wins over the environment, and that over
 * what stands here. The commands that look at a database take their part of it too, so that they know the same plugins.
 */
export interface ServerDefinition extends Parts {
  /** SQLite file or `postgresql://` URL; `--database` wins. Default: `billwright.db`, in test mode `billwright-test.db`. */
  readonly database?: string;
  /** Port to listen on, 0 for a free one; `--port` wins. Default 8080. */
  readonly port?: number;
  /** Address to listen on; `--host` wins. Default 127.0.0.1. */
  readonly host?: string;
  /** Whether to bring the schema of a PostgreSQL database up to date first; default false. */
  readonly migrate?: boolean;
  /** Whether to refuse a role of a PostgreSQL database that row-level security does not bind; default false. */
  readonly requireRowSecurity?: boolean;
  /** Where the sandbox gateway of test mode keeps what it has done; `--sandbox-ledger` wins. */
  readonly sandboxLedger?: string;
  /**
   * Properties by their full names (platform §4), of the server and of tenants without a value of their own:
   * `{ 'org.service.server.limits.json': '2MiB', 'org.service.payment.retry.days': '3,5,7' }`.
   */
  readonly configuration?: Readonly<Record<string, PropertyValue>>;
  /** Called with the engine once it is open, before the first request is answered. A throw ends the start. */
  readonly opened?: (billing: Billing<never>) => void | Promise<void>;
  /** Called when the engine has been closed, to close what the plugins have opened. Commands that end by themselves call it too. */
  readonly closed?: () => void | Promise<void>;
}

/**
 * The default export of `billwright.config.ts` (`.mts`, `.mjs`, `.js`), which `billwright serve` takes from its working
 * directory or from `--config`. It is read once, at the start.
 *
 * @example
 * import { defineServer } from 'billwright/server';
 * import { stripeGateway } from 'billwright/stripe';
 *
 * export default defineServer({
 *   database: 'postgresql://billwright@localhost/billwright',
 *   gateways: [stripeGateway({ credentials: { apiKey: '…', webhookSecret: '…' } })],
 *   configuration: { 'org.service.payment.retry.days': '3,5,7' },
 * });
 */
export function defineServer(definition: ServerDefinition): ServerDefinition {
  return definition;
}
