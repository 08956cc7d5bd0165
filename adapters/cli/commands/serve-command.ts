import { Command, Option } from 'commander';
import { readConfiguration } from '../configuration/configured.ts';
import { settings } from '../configuration/server-options.ts';
import { withShortResolution } from '../short-resolution.ts';
import {
  configOption,
  databaseOption,
  defaultDocumentOptions,
  type OptionValues,
  optionValuesOf,
  textOf,
} from './options.ts';

/** Help text about properties that have no command line option. */
const furtherProperties = `
The environment (SERVICE_server_basePath, ...) and the configuration file can set each server property too: an
option wins over the environment, and that over the file. Only these two can set what holds for tenants without a
value of their own (SERVICE_payment_retry_days=3,5,7), and the following (with their defaults):
  server.test.mode (false: as --test-mode)          notifications.allowPrivateNetworks (false)
  server.callCompletion.maxSec (120)                server.idempotency.retention (24h)
  server.pagination.countThreshold (20000)          queue.history.retention (90d)
  health.lateThreshold (60s)                        server.limits.rows (50000: of an account in one answer)
  accesslog.retention (2d; 0s: no request is kept)  health.diagnostic.logDirs (none: directories of log files)
  payment.janitor.rate (1h)                         payment.janitor.attempts.delay (12h)
  usage.bulk.maxRecords (50000)                     usage.bulk.maxBytes (32MiB)
  usage.bulk.chunkSize (5000)                       usage.keyRetentionDays (for good)
and of each queue, persistent.bus.main and notificationq.main, for this node:
  max.failure.retry (3), claim.time (30s), sleep (3s), reapThreshold (10m), reapSchedule (3m),
  maxReDispatchCount (10), claimed and (notification.)nbThreads (as many as are due, 100 of both queues at a time),
  (notification.)off (false)
"billwright --help" names further variables of the environment.`;

export function serveCommand(): Command {
  const command = new Command('serve')
    .summary('run the server')
    .description('Run the server until it receives a signal.')
    .option('--port <n>', 'port to listen on, 0 for a free one (default 8080)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .addOption(databaseOption())
    .option('--migrate', 'update the schema of a PostgreSQL database first (SQLite: always)')
    .option('--work <cells>', 'cells whose queue this node works on, such as west,east (default: all cells)')
    .option(
      '--require-rls',
      'refuse to start with a PostgreSQL role that bypasses row-level security, such as a superuser ' +
        '(default: log a warning)',
    )
    .option(
      '--test-mode',
      'use a test clock, a sandbox gateway, a separate database (default billwright-test.db), and on the first start a user "admin" ' +
        'with the password "password"; an existing user keeps its password. Never use it in production: a database whose ' +
        'administrator has that password can only be served in test mode',
    )
    .option(
      '--sandbox-ledger <file>',
      'ledger file of the test mode sandbox gateway; nodes that share a database must also share this file ' +
        '(default: next to the SQLite file; for PostgreSQL, in the working directory, named after the database)',
    )
    .option(
      '--access-log',
      'log one line per request at level info, with its path and the address of the client',
    )
    .addOption(configOption());
  for (const option of defaultDocumentOptions()) command.addOption(option);
  command.addOption(
    new Option(
      '--node-name <name>',
      'server.nodeName: unique among the nodes of a database; a node that keeps its name resumes its work immediately when it ' +
        'restarts, even on a different host (default: host name, boot id and process, which identify a restart on the ' +
        'same host; containers that share a host name need explicit names)',
    ).helpGroup('Server properties:'),
  );
  command.addOption(
    new Option(
      '--workers <n|auto>',
      'server.workers: number of processes that serve the port together, or auto for one per processor core; PostgreSQL only. Each ' +
        'worker is a node with its own limits and database connections. SIGHUP restarts one after the other (default: a single process)',
    ).helpGroup('Server properties:'),
  );
  for (const [name, { property, value, text }] of Object.entries(settings))
    command.addOption(
      new Option(`--${name} <${value}>`, `${property}: ${text}`).helpGroup('Server properties:'),
    );
  command.addOption(
    new Option('--no-console', 'the same as --console false').helpGroup('Server properties:'),
  );
  return command.addHelpText('after', furtherProperties).action(() => serveWith(optionValuesOf(command)));
}

/** Starts a server, and returns once the server is listening. */
async function serveWith(given: OptionValues): Promise<void> {
  // Only a process that another process has started can be a worker.
  const seat = process.send === undefined ? null : (await import('../workers/seat.ts')).takeSeat(process.env);
  // Load the host's modules outside `withShortResolution`, because Node must resolve them as usual.
  const configuration = await readConfiguration(textOf(given, 'config'), process.env);
  await withShortResolution(async () => {
    const { packagesOf, reachingDatabase, serveOptions } = await import('../serve-options.ts');
    const options = await serveOptions(given, configuration);
    await reachingDatabase({ database: options.database, needed: packagesOf.http }, async () => {
      if (seat !== null) {
        const { serveAsWorker } = await import('../workers/worker.ts');
        await serveAsWorker(options, seat);
      } else if (options.workers !== undefined) {
        const { serveWithWorkers } = await import('../workers/primary.ts');
        await serveWithWorkers(options, options.workers);
      } else {
        const { serve } = await import('../serve.ts');
        await serve(options);
      }
    });
  });
}
