import { type Command, Option } from 'commander';

export type WriteLine = (line: string) => void;

/** Option values by long name, such as `require-rls`. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export function optionValuesOf(command: Command): OptionValues {
  return Object.fromEntries(
    command.options.map((option) => [
      option.name(),
      command.getOptionValue(option.attributeName()) as string | boolean | undefined,
    ]),
  );
}

export function textOf(given: OptionValues, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function databaseOption(): Option {
  return new Option(
    '--database <where>',
    'SQLite file or postgresql:// URL (default: BILLWRIGHT_DATABASE, then the configuration file, then billwright.db)',
  );
}

export function configOption(): Option {
  return new Option(
    '--config <file>',
    'a module that defines the server (see init), or a JSON object of properties (default: billwright.config.ts, .mts, .mjs ' +
      'or .js in the working directory, if present)',
  );
}

export function tenantOption(description = 'id or API key of a tenant (default: all tenants)'): Option {
  return new Option('--tenant <name>', description);
}

export function defaultDocumentOptions(): readonly Option[] {
  return [
    new Option(
      '--default-catalog <file>',
      'catalog.uri: XML catalog for tenants created with useGlobalDefault=true until they upload their own (default: ' +
        'the sample OrchardDemo of the package)',
    ),
    new Option(
      '--default-overdue <file>',
      'overdue.uri: XML or JSON overdue configuration for tenants without their own (default: no account is ever overdue)',
    ),
  ];
}

export function jsonOption(): Option {
  return new Option('--json', 'one JSON object per line instead of text');
}
