/** Definition of the server that the command line starts. Entry point `billwright/server`. */

import type { Billing } from '../../lib/billing.ts';
import type { BillingOptions } from '../../lib/index.ts';

/** Plugins and other objects of the host, with the same meaning as in `Billing.open`. */
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
  | 'eInvoices'
  | 'eInvoiceSender'
  | 'pushSender'
  | 'tracer'
  | 'defaultCatalog'
  | 'defaultOverdueConfig'
>;

/**
 * The value of a property. It is text, or a value that is stored as JSON text, such as the value of
 * `security.jwt.issuers`.
 */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * The content of `billwright.config.ts`. Command line options override the environment, which overrides this file.
 * Commands on a database also read the file, so that they have the same plugins.
 */
export interface ServerDefinition extends Parts {
  /**
   * SQLite file or `postgresql://` URL. Overridden by `--database`. Defaults to `billwright.db`, or in test mode to
   * `billwright-test.db`.
   */
  readonly database?: string;
  /**
   * `postgresql://` URLs of the cells by name. Each tenant is in one of these databases. If cells are given, `database`
   * is the directory and defaults to the URL of the first cell.
   */
  readonly cells?: Readonly<Record<string, string>>;
  /** Names of the cells whose queue this node processes. Overridden by `--work`. Defaults to all cells. */
  readonly work?: readonly string[];
  /** Port number, or 0 for any free port. Overridden by `--port`. Defaults to 8080. */
  readonly port?: number;
  /** Address to listen on. Overridden by `--host`. Defaults to 127.0.0.1. */
  readonly host?: string;
  /**
   * Number of worker processes, or `auto` for one per processor core. Requires PostgreSQL. `--workers` overrides it. By
   * default, the server is a single process. Every worker reads this file and runs `opened` and `closed`.
   */
  readonly workers?: number | 'auto';
  /** If true, migrates the schema of a PostgreSQL database at startup. Defaults to false. */
  readonly migrate?: boolean;
  /** If true, rejects a PostgreSQL role that bypasses row-level security. Defaults to false. */
  readonly requireRowSecurity?: boolean;
  /** File in which the sandbox gateway of test mode stores its transactions. Overridden by `--sandbox-ledger`. */
  readonly sandboxLedger?: string;
  /**
   * Properties by full name (platform §4). They apply to the server, and to tenants that do not set them: `{
   * 'org.service.server.limits.json': '2MiB', 'org.service.payment.retry.days': '3,5,7' }`.
   */
  readonly configuration?: Readonly<Record<string, PropertyValue>>;
  /** Called after the engine opens and before the first request. If it throws, the server does not start. */
  readonly opened?: (billing: Billing<never>) => void | Promise<void>;
  /**
   * Called after the engine of the server closes, and after another command on the database ends. Use this function to
   * close resources of plugins.
   */
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
