import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionNames } from './configuration/configured.ts';
import { reasonOf, UsageError } from './usage-error.ts';

/** The initial configuration file. It contains the default values, so the server runs unchanged. */
const definition = `// The server that \`billwright serve\` runs in this directory. Changes count from the next start on. An option of
// the command line wins over the environment, and that over this file.
import { defineServer } from 'billwright/server';

export default defineServer({
  // A SQLite file, or PostgreSQL: 'postgresql://user:password@localhost:5432/billwright' (better in the environment:
  // BILLWRIGHT_DATABASE). Without it: billwright.db, in test mode billwright-test.db.
  // database: 'billwright.db',
  port: 8080,
  host: '127.0.0.1', // '0.0.0.0' behind a reverse proxy on another machine

  // Properties of the server, and of tenants that set none of their own. All of them:
  // node_modules/billwright/lib/runtime/RULES.md (platform §4).
  configuration: {
    // 'org.service.server.trustedProxies': '10.0.0.0/8',
    // 'org.service.payment.retry.days': '3,5,7',
    // 'org.service.server.limits.json': '2MiB',
  },

  // Plugins that take part in billing: your own objects or objects from packages.
  // With import { stripeGateway } from 'billwright/stripe':
  // gateways: [stripeGateway({ credentials: { apiKey: '…', webhookSecret: '…' } })],
  gateways: [],
  invoicePlugins: [], // taxes and other items on invoices
  entitlementPlugins: [], // what happens to subscriptions
  paymentControls: [], // before and behind payments
  catalogPlugins: [], // catalogs from your own code
  usageSources: [], // usage that you meter yourself
  eventSinks: [
    // { name: 'mailer', onEvent: async ({ eventType, accountId }) => console.log(eventType, accountId) },
  ],

  // Called with the engine after it opens, for example for plugins that query it, and after it closes.
  // opened: async (billing) => console.log(await billing.nodes.list()),
  // closed: async () => pool.end(),
});
`;

/**
 * Writes an initial configuration file and returns the next steps. @throws UsageError if a configuration file
 * exists.
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
