/** Definition of the command line's server. Entry point `billwright/server`. */

import type { Billing } from '../../lib/billing.ts';
import type { BillingOptions } from '../../lib/index.ts';

/** Plugins and other parts of the host, as for `Billing.open`. */
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

/** Text, or a value that is stored as JSON text, such as `security.jwt.issuers`. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * The content of `billwright.config.ts`. Command line options override the environment, which overrides this. Commands on
 * a database use it too, so that they have the same plugins.
 */
export interface ServerDefinition extends Parts {
  /** SQLite file or `postgresql://` URL; `--database` wins. Default `billwright.db`, in test mode `billwright-test.db`. */
  readonly database?: string;
  /** Port, 0 for any free one; `--port` overrides it. Default 8080. */
  readonly port?: number;
  /** Address; `--host` overrides it. Default 127.0.0.1. */
  readonly host?: string;
  /** True: migrates the schema of a PostgreSQL database first; default false. */
  readonly migrate?: boolean;
  /** True: rejects a PostgreSQL role that bypasses row-level security; default false. */
  readonly requireRowSecurity?: boolean;
  /** File of the sandbox gateway's transactions in test mode; `--sandbox-ledger` overrides it. */
  readonly sandboxLedger?: string;
  /**
   * Properties by full name (platform §4) of the server, and of tenants without their own value:
   * `{ 'org.service.server.limits.json': '2MiB', 'org.service.payment.retry.days': '3,5,7' }`.
   */
  readonly configuration?: Readonly<Record<string, PropertyValue>>;
  /** Runs after the engine opens, before the first request. A throw aborts the start. */
  readonly opened?: (billing: Billing<never>) => void | Promise<void>;
  /** Runs after the engine closes, to close resources of plugins; also after other commands. */
  readonly closed?: () => void | Promise<void>;
}

/**
 * Returns the definition. It is the default export of `billwright.config.ts` (`.mts`, `.mjs`, `.js`), which
 * `billwright serve` reads at startup from its working directory or from `--config`.
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
