import { Argument, Command } from 'commander';
import type { Configured } from '../configuration/configured.ts';
import type { QueueLook } from '../queues.ts';
import type { ServerDatabase } from '../server-database.ts';
import {
  configOption,
  databaseOption,
  defaultDocumentOptions,
  jsonOption,
  type OptionValues,
  optionValuesOf,
  tenantOption,
  textOf,
  type WriteLine,
} from './options.ts';
import { withProgress } from './progress.ts';

/** Exit code if a check finds inconsistencies. A check that cannot run has a different exit code. */
const breachesFound = 3;

interface OnDatabase {
  readonly given: OptionValues;
  readonly where: string;
  /** The database without its password. */
  readonly shown: string;
  readonly configured: Configured;
  readonly server: () => Promise<ServerDatabase>;
}

/** Creates a command with the options `--database` and `--config`. Its error messages name the database. */
function databaseCommand(name: string, act: (on: OnDatabase) => Promise<void>): Command {
  const command = new Command(name);
  return command
    .addOption(databaseOption())
    .addOption(configOption())
    .action(async () => {
      const [configuration, { databaseOf, reachingDatabase, shownDatabase }] = await Promise.all([
        import('../configuration/configured.ts'),
        import('../database.ts'),
      ]);
      const given = optionValuesOf(command);
      const configured = await configuration.readConfiguration(textOf(given, 'config'), process.env);
      const { definition, environment } = configured;
      const where = databaseOf(textOf(given, 'database'), configured, { testMode: false });
      const server = async (): Promise<ServerDatabase> => {
        const { environmentConfiguration } = await import('../engine-settings.ts');
        return { database: where, configuration: environmentConfiguration(environment), definition };
      };
      try {
        await reachingDatabase({ database: where }, () =>
          act({ given, where, shown: shownDatabase(where), configured, server }),
        );
      } finally {
        await definition.closed?.();
      }
    });
}

export function migrateCommand(say: WriteLine): Command {
  return databaseCommand('migrate', async ({ where, shown, configured }) => {
    const { cellsOf, migrateDatabase, onEachDatabase, reachingDatabase } = await import('../database.ts');
    await onEachDatabase(where, cellsOf(configured.definition, where), async (url, name) => {
      const of = name === null ? '' : ` of ${name}`;
      const applied = await withProgress(`Migrating ${name ?? shown}`, () =>
        reachingDatabase({ database: url }, () => migrateDatabase(url)),
      );
      for (const each of applied) say(`applied ${each}`);
      say(applied.length === 0 ? `The schema${of} is up to date.` : `The schema${of} is now up to date.`);
    });
  })
    .summary('update the database schema')
    .description(
      'Update the schema of a database. Rejects a database of a newer billwright version. Stop the servers of a SQLite file ' +
        'first.',
    );
}

export function passwordCommand(say: WriteLine): Command {
  return databaseCommand('password', async ({ given, where, configured: { environment } }) => {
    const { administratorOf, setPassword } = await import('../administrator.ts');
    const user = textOf(given, 'user') ?? administratorOf(environment);
    say(await setPassword(where, user, environment));
  })
    .summary('set a new password for a user')
    .description(
      'Set a new password for a user: the value of BILLWRIGHT_ADMIN_PASSWORD, or a random one, shown once. Stop the server of a SQLite ' +
        'file first.',
    )
    .option('--user <name>', 'name of the user (default: the administrator)');
}

export function rotateKeyCommand(say: WriteLine): Command {
  return databaseCommand('rotate-key', async ({ where, configured: { environment, definition } }) => {
    const [{ rotatedText, rotateKey }, { cellsOf }] = await Promise.all([
      import('../rotate-key.ts'),
      import('../database.ts'),
    ]);
    const rotated = await rotateKey(where, environment, cellsOf(definition, where));
    for (const line of rotatedText(rotated)) say(line);
  })
    .summary('encrypt the stored secrets with a new server key')
    .description(
      'Encrypt the stored secrets with a new server key: BILLWRIGHT_SERVER_KEY. The old key is BILLWRIGHT_FORMER_SERVER_KEY, ' +
        'otherwise that of the key file. Start the servers with both variables first, and remove the old key afterward. Can ' +
        'be repeated after an interruption. Rejects a wrong old key without changes. Stop the server of a SQLite file first.',
    );
}

export function checkCommand(say: WriteLine): Command {
  const command = databaseCommand('check', async ({ given, shown, configured, server }) => {
    const { breachText, checkDatabase } = await import('../server-database.ts');
    const { defaultDocuments } = await import('../engine-settings.ts');
    const isJson = given.json === true;
    const documents = await defaultDocuments(given, configured);
    const options = { ...(await server()), tenant: textOf(given, 'tenant'), ...documents };
    const breaches = await withProgress(`Checking ${shown}`, (show) =>
      checkDatabase(options, {
        breach: (breach) => say(isJson ? JSON.stringify(breach) : breachText(breach)),
        note: (note) => say(isJson ? JSON.stringify({ note }) : note),
        checked: (accounts) => show(`accounts: ${accounts}`),
      }),
    );
    if (isJson) say(JSON.stringify({ breaches }));
    else say(breaches === 0 ? 'No inconsistencies found.' : `${breaches} found.`);
    if (breaches > 0) process.exitCode = breachesFound;
  })
    .summary('check the stored data for inconsistencies')
    .description(
      'Check the stored data for inconsistencies, such as balances that do not match their items, days that are billed ' +
        'twice or missed, and events without a queue entry. Read-only; can run alongside a server. Exits with status 0 if ' +
        'no inconsistencies are found, 3 if some are found, and 1 if the check fails.',
    )
    .addOption(tenantOption());
  for (const option of defaultDocumentOptions()) command.addOption(option);
  return command.addOption(jsonOption());
}

export function backupCommand(say: WriteLine): Command {
  return databaseCommand('backup', async ({ given, where, shown, configured: { environment } }) => {
    const { backupDatabase } = await import('../backup.ts');
    const to = textOf(given, 'to') ?? '';
    const lines = await withProgress(`Copying ${shown}`, () => backupDatabase(where, to, environment));
    for (const line of lines) say(line);
  })
    .summary('copy a SQLite database while the server runs')
    .description(
      'Copy a SQLite database to a new file while the server runs. The copy is a consistent snapshot. Rejects ' +
        'PostgreSQL and prints the pg_dump command to use instead.',
    )
    .requiredOption('--to <file>', 'file to write; an existing file is not overwritten');
}

export function cellsCommand(say: WriteLine): Command {
  return databaseCommand('cells', async ({ given, server }) => {
    const { cellText, listCells } = await import('../cells.ts');
    for (const cell of await listCells(await server()))
      say(given.json === true ? JSON.stringify(cell) : cellText(cell));
  })
    .summary('list the cells with their tenants, accounts and late work')
    .description(
      'List the cells of the configuration file and of the directory: their tenants, accounts, late queue entries, and the ' +
        'reason if a cell does not answer. Read-only; can run alongside servers.',
    )
    .addOption(jsonOption());
}

export function tenantsCommand(say: WriteLine): Command {
  const command: Command = databaseCommand('tenants', async ({ given, server }) => {
    const { moveTenantOn, progressText } = await import('../cells.ts');
    const request = {
      tenant: String(command.processedArgs[1]),
      to: textOf(given, 'to'),
      isUndone: given.undo === true,
      cleanUpAfter: textOf(given, 'clean-up-after'),
    };
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort();
    process.once('SIGINT', interrupt);
    try {
      const on = await server();
      const outcome = await withProgress(`Moving ${request.tenant}`, (show) =>
        moveTenantOn(on, request, {
          onProgress: (progress) => show(progressText(progress)),
          signal: interruption.signal,
        }),
      );
      say(outcome);
    } finally {
      process.off('SIGINT', interrupt);
    }
  })
    .summary('move a tenant to another cell')
    .description(
      'Move a tenant to another cell while the servers run. The tenant works during the move, except for a short pause in ' +
        'which its writes are rejected with status 503. If the command is interrupted, run it again to continue, or run it ' +
        'with --undo. Afterward, the command deletes the rows in the former cell.',
    )
    .addArgument(new Argument('<action>', 'what to do').choices(['move']))
    .addArgument(new Argument('<tenant>', 'id or API key of the tenant'))
    .option('--to <cell>', 'name of the new cell')
    .option('--undo', 'undo an interrupted move instead')
    .option(
      '--clean-up-after <seconds>',
      'seconds from the move until the rows in the former cell are deleted (default 60)',
    );
  return command;
}

const looks: readonly QueueLook[] = ['late', 'busy', 'failed', 'put-back', 'free'];

export function archiveUsageCommand(say: WriteLine): Command {
  return databaseCommand('archive-usage', async ({ given, shown, server }) => {
    const { archivedText, archiveUsage } = await import('../server-database.ts');
    const on = await server();
    const archived = await withProgress(`Archiving usage of ${shown}`, () =>
      archiveUsage(on, {
        tenant: textOf(given, 'tenant') ?? '',
        before: textOf(given, 'before') ?? '',
      }),
    );
    say(archivedText(archived));
  })
    .summary("delete the usage points of a tenant's closed months")
    .description(
      "Delete the usage points of a tenant's closed months: billed months older than the look-back. Invoices and " +
        'daily sums do not change. Tracking ids older than usage.keyRetentionDays are deleted. On PostgreSQL, the command ' +
        'can run alongside a server; stop the server of a SQLite file first.',
    )
    .addOption(tenantOption('id or API key of the tenant').makeOptionMandatory())
    .requiredOption(
      '--before <date>',
      'first day of a month, such as 2026-04-01; earlier points are deleted',
    );
}

export function queuesCommand(say: WriteLine): Command {
  const records: string[] = [];
  const command: Command = databaseCommand('queues', async ({ given, server }) => {
    const { changedText, entryText, lookAtQueues } = await import('../queues.ts');
    const isJson = given.json === true;
    const looked = await lookAtQueues({
      ...(await server()),
      look: looks.find((each) => each === command.processedArgs[0]) ?? 'late',
      tenant: textOf(given, 'tenant'),
      account: textOf(given, 'account'),
      kind: textOf(given, 'kind'),
      limit: textOf(given, 'limit'),
      records,
    });
    if (!('entries' in looked)) {
      say(isJson ? JSON.stringify(looked) : changedText(looked));
      return;
    }
    for (const entry of looked.entries) say(isJson ? JSON.stringify(entry) : entryText(entry));
    if (!isJson && looked.entries.length === 0) say('No entries found.');
  })
    .summary('list or repair queue entries')
    .description(
      'List queue entries, oldest first: late ones with the reason, ones that nodes are processing (busy), and ones that were given up ' +
        '(failed). Listing is read-only and can run alongside a server. put-back queues failed entries again, free ' +
        'releases stuck entries to all nodes immediately; stop the server of a SQLite file before using either.',
    )
    .addArgument(new Argument('[look]', 'what to list, or the repair to run').choices(looks).default('late'))
    .addOption(tenantOption())
    .option('--account <id>', 'limit to one account (not for put-back and free)')
    .option('--kind <bus|notification>', 'limit to one kind (default: both; required for put-back and free)')
    .option('--limit <n>', 'maximum number of entries, 1 to 1000 (default 100)')
    .option('--record <n>', 'record id of an entry to put back or free; repeatable', (record) => {
      records.push(record);
      return records;
    })
    .addOption(jsonOption());
  return command;
}
