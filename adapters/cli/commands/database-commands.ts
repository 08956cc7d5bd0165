import { Command } from 'commander';
import type { Configured } from '../configuration/configured.ts';
import {
  configOption,
  databaseOption,
  defaultDocumentOptions,
  documentsOf,
  type Given,
  givenTo,
  jsonOption,
  type Say,
  tenantOption,
  textOf,
} from './options.ts';

/** Differs from the exit code of a check that could not be made. */
const breachesFound = 3;

/** What a command is given that does something to a database: where it is, and how the server beside it is configured. */
export interface OnDatabase {
  readonly given: Given;
  readonly where: string;
  readonly configured: Configured;
}

/** A command with `--database` and `--config`; `act` is told where the database is, and its failures name it. */
export function databaseCommand(name: string, act: (on: OnDatabase) => Promise<void>): Command {
  const command = new Command(name);
  return command
    .addOption(databaseOption())
    .addOption(configOption())
    .action(async () => {
      const [{ configured }, { databaseOf }, { reachingDatabase }] = await Promise.all([
        import('../configuration/configured.ts'),
        import('../database.ts'),
        import('../database-failure.ts'),
      ]);
      const given = givenTo(command);
      const configuration = await configured(textOf(given, 'config'), process.env);
      const where = databaseOf(textOf(given, 'database'), configuration, { testMode: false });
      try {
        await reachingDatabase({ database: where }, () => act({ given, where, configured: configuration }));
      } finally {
        await configuration.definition.closed?.();
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
    const [{ setPassword }, { administratorOf }] = await Promise.all([
      import('../password.ts'),
      import('../administrator.ts'),
    ]);
    const user = textOf(given, 'user') ?? administratorOf(environment);
    say(await setPassword({ user, database: where, environment }));
  })
    .summary('give a user a new password')
    .description(
      'Give a user a new password: that of BILLWRIGHT_ADMIN_PASSWORD, else a random one, shown once. Stop the server of a SQLite ' +
        'file first.',
    )
    .option('--user <name>', "whose password (default: the administrator's)");
}

export function checkCommand(say: Say): Command {
  const command = databaseCommand('check', async ({ given, where, configured }) => {
    const [{ breachText, checkDatabase }, { defaultDocuments, environmentConfiguration }] = await Promise.all(
      [import('../check.ts'), import('../engine-settings.ts')],
    );
    const { environment, definition } = configured;
    const isJson = given.json === true;
    const options = {
      database: where,
      tenant: textOf(given, 'tenant'),
      configuration: environmentConfiguration(environment),
      ...(await defaultDocuments(documentsOf(given), configured)),
      definition,
    };
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
    for (const line of await backupDatabase({ database: where, to, environment })) say(line);
  })
    .summary('copy a SQLite database, beside a running server')
    .description(
      'Copy a SQLite database to a new file, beside a running server: the copy is the database as it is at one moment. Refuses ' +
        'PostgreSQL, and names the pg_dump command to use instead.',
    )
    .requiredOption('--to <file>', 'the copy; a file that is there is not overwritten');
}
