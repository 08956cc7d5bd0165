import { Argument, Command } from 'commander';
import type { BesideServer } from '../beside-server.ts';
import type { Configured } from '../configuration/configured.ts';
import type { QueueLook } from '../queues.ts';
import {
  configOption,
  databaseOption,
  defaultDocumentOptions,
  type Given,
  givenTo,
  jsonOption,
  type Say,
  tenantOption,
  textOf,
} from './options.ts';

/** Distinct from the exit code of a failed check. */
const breachesFound = 3;

interface OnDatabase {
  readonly given: Given;
  readonly where: string;
  readonly configured: Configured;
  readonly server: () => Promise<BesideServer>;
}

/** A command with `--database` and `--config`, whose failures name the database. */
function databaseCommand(name: string, act: (on: OnDatabase) => Promise<void>): Command {
  const command = new Command(name);
  return command
    .addOption(databaseOption())
    .addOption(configOption())
    .action(async () => {
      const [configuration, { databaseOf, reachingDatabase }] = await Promise.all([
        import('../configuration/configured.ts'),
        import('../database.ts'),
      ]);
      const given = givenTo(command);
      const configured = await configuration.configured(textOf(given, 'config'), process.env);
      const { definition, environment } = configured;
      const where = databaseOf(textOf(given, 'database'), configured, { testMode: false });
      const server = async (): Promise<BesideServer> => {
        const { environmentConfiguration } = await import('../engine-settings.ts');
        return { database: where, configuration: environmentConfiguration(environment), definition };
      };
      try {
        await reachingDatabase({ database: where }, () => act({ given, where, configured, server }));
      } finally {
        await definition.closed?.();
      }
    });
}

export function migrateCommand(say: Say): Command {
  return databaseCommand('migrate', async ({ where }) => {
    const { migrateDatabase } = await import('../database.ts');
    const applied = await migrateDatabase(where);
    for (const name of applied) say(`applied ${name}`);
    say(applied.length === 0 ? 'The schema is up to date.' : 'The schema is now up to date.');
  })
    .summary('bring the schema of a database up to date')
    .description(
      'Bring the schema of a database up to date. Refuses one of a newer version of billwright. Stop the servers of a SQLite file ' +
        'first.',
    );
}

export function passwordCommand(say: Say): Command {
  return databaseCommand('password', async ({ given, where, configured: { environment } }) => {
    const { administratorOf, setPassword } = await import('../administrator.ts');
    const user = textOf(given, 'user') ?? administratorOf(environment);
    say(await setPassword(where, user, environment));
  })
    .summary('give a user a new password')
    .description(
      'Give a user a new password: that of BILLWRIGHT_ADMIN_PASSWORD, else a random one, shown once. Stop the server of a SQLite ' +
        'file first.',
    )
    .option('--user <name>', "whose password (default: the administrator's)");
}

export function checkCommand(say: Say): Command {
  const command = databaseCommand('check', async ({ given, configured, server }) => {
    const { breachText, checkDatabase } = await import('../beside-server.ts');
    const { defaultDocuments } = await import('../engine-settings.ts');
    const isJson = given.json === true;
    const documents = await defaultDocuments(given, configured);
    const options = { ...(await server()), tenant: textOf(given, 'tenant'), ...documents };
    const breaches = await checkDatabase(options, {
      breach: (breach) => say(isJson ? JSON.stringify(breach) : breachText(breach)),
      note: (note) => say(isJson ? JSON.stringify({ note }) : note),
    });
    if (isJson) say(JSON.stringify({ breaches }));
    else say(breaches === 0 ? 'Nothing is wrong.' : `${breaches} found.`);
    if (breaches > 0) process.exitCode = breachesFound;
  })
    .summary('look for contradictions in the stored data')
    .description(
      'Look for contradictions in the stored data, such as balances that do not match their items, days that are billed ' +
        'twice or missed, and events without a queue entry. Reads only, beside a running server. Ends with status 0 if ' +
        'nothing is wrong, 3 if something is, 1 if the check cannot be made.',
    )
    .addOption(tenantOption());
  for (const option of defaultDocumentOptions()) command.addOption(option);
  return command.addOption(jsonOption());
}

export function backupCommand(say: Say): Command {
  return databaseCommand('backup', async ({ given, where, configured: { environment } }) => {
    const { backupDatabase } = await import('../backup.ts');
    const to = textOf(given, 'to') ?? '';
    for (const line of await backupDatabase(where, to, environment)) say(line);
  })
    .summary('copy a SQLite database, beside a running server')
    .description(
      'Copy a SQLite database to a new file, beside a running server: the copy is the database as it is at one moment. Refuses ' +
        'PostgreSQL, and names the pg_dump command to use instead.',
    )
    .requiredOption('--to <file>', 'the copy; a file that is there is not overwritten');
}

const looks: readonly QueueLook[] = ['late', 'busy', 'failed', 'put-back', 'free'];

export function archiveUsageCommand(say: Say): Command {
  return databaseCommand('archive-usage', async ({ given, server }) => {
    const { archivedText, archiveUsage } = await import('../beside-server.ts');
    const archived = await archiveUsage(await server(), {
      tenant: textOf(given, 'tenant') ?? '',
      before: textOf(given, 'before') ?? '',
    });
    say(archivedText(archived));
  })
    .summary("delete the usage points of a tenant's closed months")
    .description(
      "Delete the usage points of a tenant's closed months: those that are billed and older than the look-back. Invoices and " +
        'sums over whole days stay as they are. Tracking ids older than usage.keyRetentionDays are forgotten. On PostgreSQL it ' +
        'runs beside a server; stop the server of a SQLite file first.',
    )
    .addOption(tenantOption('whose, by id or API key').makeOptionMandatory())
    .requiredOption('--before <date>', 'the first day of a month, such as 2026-04-01: points before it');
}

export function queuesCommand(say: Say): Command {
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
    if (!isJson && looked.entries.length === 0) say('There is nothing.');
  })
    .summary('look at the work that the engine has to do')
    .description(
      'Look at the work that the engine has to do: what is late with the reason, what nodes work on (busy), what was given up ' +
        '(failed), the oldest first. These read only, beside a running server. put-back queues failed entries again, free ' +
        'releases stuck ones to any node at once; stop the server of a SQLite file before either.',
    )
    .addArgument(new Argument('[look]', 'what is looked at, or done').choices(looks).default('late'))
    .addOption(tenantOption())
    .option('--account <id>', 'one account (not for put-back and free)')
    .option('--kind <bus|notification>', 'only these (default: both; put-back and free need one)')
    .option('--limit <n>', 'at most so many, 1 to 1000 (default 100)')
    .option('--record <n>', 'number of an entry that is put back or freed, once for each', (record) => {
      records.push(record);
      return records;
    })
    .addOption(jsonOption());
  return command;
}
