import { type Command, Option } from 'commander';

export type Say = (line: string) => void;

/** Option values by long name, such as `require-rls`. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

export function givenTo(command: Command): Given {
  return Object.fromEntries(
    command.options.map((option) => [
      option.name(),
      command.getOptionValue(option.attributeName()) as string | boolean | undefined,
    ]),
  );
}

export function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function databaseOption(): Option {
  return new Option(
    '--database <where>',
    'SQLite file or postgresql:// URL (default: BILLWRIGHT_DATABASE, else what the configuration file says, else billwright.db)',
  );
}

export function configOption(): Option {
  return new Option(
    '--config <file>',
    'a module that defines the server (see init), or a JSON object of properties (default: billwright.config.ts, .mts, .mjs ' +
      'or .js of the working directory, if there is one)',
  );
}

export function tenantOption(description = 'one tenant, by id or API key (default: all)'): Option {
  return new Option('--tenant <name>', description);
}

export function defaultDocumentOptions(): readonly Option[] {
  return [
    new Option(
      '--default-catalog <file>',
      'catalog.uri: XML of the catalog that tenants created with useGlobalDefault=true see until they have their own (default: ' +
        'the sample OrchardDemo of the package)',
    ),
    new Option(
      '--default-overdue <file>',
      'overdue.uri: XML or JSON of the overdue configuration of tenants without one of their own (default: nobody is overdue)',
    ),
  ];
}

export function jsonOption(): Option {
  return new Option('--json', 'one JSON object per line in place of text');
}
