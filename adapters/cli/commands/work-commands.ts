import { Argument, type Command } from 'commander';
import { databaseCommand } from './database-commands.ts';
import { jsonOption, type Say, tenantOption, textOf } from './options.ts';

const looks = ['late', 'busy', 'failed', 'put-back', 'free'] as const;

export function archiveUsageCommand(say: Say): Command {
  return databaseCommand('archive-usage', async ({ given, where, configured }) => {
    const [{ archivedText, archiveUsage }, { environmentConfiguration }] = await Promise.all([
      import('../archive-usage.ts'),
      import('../engine-settings.ts'),
    ]);
    const { definition, environment } = configured;
    const archived = await archiveUsage({
      database: where,
      tenant: textOf(given, 'tenant') ?? '',
      before: textOf(given, 'before') ?? '',
      configuration: environmentConfiguration(environment),
      definition,
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
  const command: Command = databaseCommand('queues', async ({ given, where, configured }) => {
    const [{ changedText, entryText, lookAtQueues }, { environmentConfiguration }] = await Promise.all([
      import('../queues.ts'),
      import('../engine-settings.ts'),
    ]);
    const isJson = given.json === true;
    const { definition, environment } = configured;
    const looked = await lookAtQueues({
      look: looks.find((each) => each === command.processedArgs[0]) ?? 'late',
      database: where,
      tenant: textOf(given, 'tenant'),
      account: textOf(given, 'account'),
      kind: textOf(given, 'kind'),
      limit: textOf(given, 'limit'),
      records,
      configuration: environmentConfiguration(environment),
      definition,
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
