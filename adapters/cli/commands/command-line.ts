import { Command, CommanderError } from 'commander';
import { productVersion } from '../../node/product-version.ts';
import { UsageError } from '../usage-error.ts';
import {
  archiveUsageCommand,
  backupCommand,
  cellsCommand,
  checkCommand,
  migrateCommand,
  passwordCommand,
  queuesCommand,
  rotateKeyCommand,
  tenantsCommand,
} from './database-commands.ts';
import type { WriteLine } from './options.ts';
import { serveCommand } from './serve-command.ts';

const environmentHelp = `
Environment: BILLWRIGHT_DATABASE is where the database is, for all commands that have --database.
BILLWRIGHT_ADMIN_PASSWORD, or SERVICE_security_admin_password, is the password of the administrator made at the
first start, and the one that "billwright password" sets (default: a random one, shown once);
SERVICE_security_admin_user is the administrator's name (default admin). BILLWRIGHT_LOG_LEVEL is debug, info, warn
or error (default info). BILLWRIGHT_TRACES=true gives traces to the OpenTelemetry SDK with which Node was started
(default false). BILLWRIGHT_SERVER_KEY (at least 32 characters, the same on all nodes) encrypts what is stored and
must be read again, such as the keys that sign bearer tokens; without it a key file does, made at the first start:
<file>.key beside a SQLite file, for PostgreSQL in the working directory. Keep a copy of it.
BILLWRIGHT_FORMER_SERVER_KEY is the old key while the key is changed with "billwright rotate-key".

Ends with status 0, with 1 after a failure, with 2 where the command line or the configuration is wrong.`;

/** Output of commands. The server itself writes to the standard output of the process. */
interface Console {
  out(text: string): void;
  error(text: string): void;
}

/**
 * Runs a command or starts the server. @returns the exit status: 0 for success, 1 for a failure, 2 for an invalid
 * command line or configuration.
 */
export async function runCommandLine(args: readonly string[], console: Console): Promise<0 | 1 | 2> {
  const program = programOf(console);
  const command = program.commands.find((each) => each.name() === args[0])?.name() ?? '';
  try {
    if (args.length === 0)
      throw new UsageError(`specify a command: ${program.commands.map((each) => each.name()).join(', ')}`);
    const [, asked] = args[0] === 'help' ? args : [];
    if (asked !== undefined && !program.commands.some((each) => each.name() === asked))
      throw new UsageError(`there is no command ${asked} to describe`);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const { isUsage, text } = await describeError(error, command);
    console.error(`${text}\n`);
    return isUsage ? 2 : 1;
  }
}

function programOf(console: Console): Command {
  const program = new Command('billwright')
    .description('A multi-tenant subscription billing engine: the server and its operator commands.')
    .version(productVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print the options of a command')
    .addHelpText('after', environmentHelp);
  const say = (line: string): void => console.out(`${line}\n`);
  const commands = [
    serveCommand(),
    initCommand(say),
    migrateCommand(say),
    backupCommand(say),
    passwordCommand(say),
    rotateKeyCommand(say),
    checkCommand(say),
    queuesCommand(say),
    archiveUsageCommand(say),
    cellsCommand(say),
    tenantsCommand(say),
    openapiCommand(say),
  ];
  for (const each of commands) program.addCommand(each.helpOption('-h, --help', 'print this'));
  for (const each of [program, ...commands])
    each.exitOverride().configureOutput({
      writeOut: (text) => console.out(text),
      writeErr: (text) => console.error(text),
      // `describeError` formats this error as a single line.
      outputError: () => undefined,
    });
  return program;
}

/** Returns a one-line description of the problem and its solution, and whether the command line is the cause. */
async function describeError(
  error: unknown,
  command: string,
): Promise<{ readonly isUsage: boolean; readonly text: string }> {
  const name = ['billwright', ...(command === '' ? [] : [command])].join(' ');
  if (error instanceof CommanderError) {
    const fault = error.message.replace(/^error: |\.$/g, '').replaceAll(/\s*\n\s*/g, ' ');
    return { isUsage: true, text: `${name}: ${fault}. See "${name} --help"` };
  }
  if (error instanceof UsageError)
    return {
      isUsage: true,
      text: command === '' ? `${name}: ${error.message}. See "${name} --help"` : `${name}: ${error.message}`,
    };
  // A MissingError already describes the missing database or package completely.
  const isMissingOption = error instanceof Error && error.name === 'MissingError';
  const { missingPackages, packagesOf } = await import('../packages.ts');
  return {
    isUsage: false,
    text: `billwright: ${(isMissingOption ? null : missingPackages(error, packagesOf.http)) ?? messageOf(error)}`,
  };
}

/** Returns the message of an error with its causes. HTTP callers do not see the causes. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (Reflect.get(error, 'syscall') === 'listen') return portMessage(error);
  if (Reflect.get(error, 'syscall') === 'getaddrinfo')
    return `The host ${String(Reflect.get(error, 'hostname'))} cannot be found: specify an address of this machine with --host (${error.message})`;
  const { cause } = error;
  return error.name === 'BillingError' && cause instanceof Error
    ? `${error.message} (${cause.message})`
    : error.message;
}

function portMessage(error: Error): string {
  const port = `Port ${String(Reflect.get(error, 'port'))} of ${String(Reflect.get(error, 'address'))}`;
  switch (Reflect.get(error, 'code')) {
    case 'EADDRINUSE':
      return `${port} is in use: stop the process that uses it, or choose a different port with --port, or 0 for a free port (${error.message})`;
    case 'EACCES':
      return `${port} is not allowed for this user: choose a port of 1024 or higher with --port (${error.message})`;
    default:
      return `${port} cannot be opened: correct --host and --port (${error.message})`;
  }
}

function initCommand(say: WriteLine): Command {
  const command = new Command('init')
    .summary('write a starter configuration file')
    .description(
      'Write billwright.config.ts to the working directory: a commented configuration of a server with a database, properties and ' +
        'plugins. "billwright serve" reads this file. An existing file is not overwritten.',
    )
    .option('--javascript', 'write billwright.config.mjs')
    .action(async () => {
      const { writeDefinition } = await import('../init.ts');
      const isTypeScript = command.getOptionValue('javascript') !== true;
      say(await writeDefinition({ directory: process.cwd(), isTypeScript }));
    });
  return command;
}

function openapiCommand(say: WriteLine): Command {
  return new Command('openapi')
    .summary('print the OpenAPI document of the HTTP interface')
    .description('Print the OpenAPI document of the HTTP interface.')
    .action(async () => {
      const { openApi } = await import('../../koa/index.ts');
      say(JSON.stringify(await openApi(), null, 2));
    });
}
