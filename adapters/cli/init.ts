import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionNames } from './configuration/configured.ts';
import { reasonOf, UsageError } from './usage-error.ts';

/**
 * The initial configuration file. It contains the default values, so the server behaves as it does without the file.
 */
const definition = `// The server that \`billwright serve\` runs in this directory. Changes to this file take effect at the next start.
// Command-line options override environment variables, and both override this file.
import { defineServer } from 'billwright/server';

export default defineServer({
  // The database is a SQLite file or a URL such as 'postgresql://user:password@localhost:5432/billwright'.
  // To keep the password out of this file, use the environment variable BILLWRIGHT_DATABASE.
  // The default is billwright.db, or billwright-test.db in test mode.
  // database: 'billwright.db',
  port: 8080,
  host: '127.0.0.1', // '0.0.0.0' behind a reverse proxy on another machine

  // These are server properties and default values for tenant properties. For all properties, see
  // node_modules/billwright/lib/runtime/RULES.md (platform §4).
  configuration: {
    // 'org.service.server.trustedProxies': '10.0.0.0/8',
    // 'org.service.payment.retry.days': '3,5,7',
    // 'org.service.server.limits.json': '2MiB',
  },

  // Plugins extend or control billing. They are your own objects or objects from packages. The following example
  // requires import { stripeGateway } from 'billwright/stripe': gateways: [stripeGateway({ credentials: { apiKey: '…',
  // webhookSecret: '…' } })],
  gateways: [],
  invoicePlugins: [], // taxes and other additional items of invoices
  entitlementPlugins: [], // checks and changes of operations on subscriptions
  paymentControls: [], // checks and changes of payments
  catalogPlugins: [], // catalogs from your own code
  usageSources: [], // usage that you meter yourself
  eventSinks: [
    // { name: 'mailer', onEvent: async ({ eventType, accountId }) => console.log(eventType, accountId) },
  ],

  // \`opened\` is called with the open engine, for example to pass the engine to plugins. \`closed\` is called after
  // the engine closes. opened: async (billing) => console.log(await billing.nodes.list()), closed: async () =>
  // pool.end(),
});
`;

/**
 * Writes an initial configuration file. Returns a description of the next steps.
 * @throws UsageError if a configuration file already exists.
 */
export async function writeDefinition(options: {
  readonly directory: string;
  readonly isTypeScript: boolean;
}): Promise<string> {
  const name = `billwright.config.${options.isTypeScript ? 'ts' : 'mjs'}`;
  const file = join(options.directory, name);
  const other = definitionNames.find((each) => each !== name && existsSync(join(options.directory, each)));
  if (other !== undefined)
    throw new UsageError(
      `${other} already exists: with two configuration files, "billwright serve" would read neither`,
    );
  try {
    await writeFile(file, definition, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(
      error instanceof Error && Reflect.get(error, 'code') === 'EEXIST'
        ? `${file} already exists and is not overwritten`
        : `${file} cannot be written: ${reasonOf(error)}`,
    );
  }
  return `Wrote ${name}. "billwright serve" starts the server that it defines.`;
}
