import { closestTo } from '../../../lib/values/text/index.ts';
import type { ServerDefinition } from '../../server/index.ts';
import { UsageError } from '../usage-error.ts';

/** Kinds of values in a definition. Each has a description and a check. */
const forms = {
  text: ['a non-empty string', (value) => typeof value === 'string' && value !== ''],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  port: [
    'a number from 0 to 65535',
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  ],
  workers: ['a whole number or "auto"', (value) => Number.isInteger(value) || value === 'auto'],
  cells: [
    'an object with the postgresql:// URL of each cell',
    (value) =>
      isObject(value) &&
      Object.values(value).every((url) => typeof url === 'string') &&
      Object.keys(value).length > 0,
  ],
  names: [
    'a list of names',
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  ],
  list: ['a list of plugins', (value) => Array.isArray(value)],
  object: ['an object', (value) => isObject(value) && !Array.isArray(value)],
  function: ['a function', (value) => typeof value === 'function'],
  document: [
    'a string, a function or a definition',
    (value) => typeof value === 'string' || typeof value === 'function' || isObject(value),
  ],
} as const satisfies Readonly<Record<string, readonly [words: string, holds: (value: unknown) => boolean]>>;

type Kind = keyof typeof forms;

/** Settings of the definition that the command itself validates. */
const settings = {
  database: 'text',
  cells: 'cells',
  work: 'names',
  port: 'port',
  host: 'text',
  workers: 'workers',
  migrate: 'flag',
  requireRowSecurity: 'flag',
  sandboxLedger: 'text',
  configuration: 'object',
  defaultCatalog: 'document',
  defaultOverdueConfig: 'document',
  opened: 'function',
  closed: 'function',
} as const satisfies Partial<Record<keyof ServerDefinition, Kind>>;

/** Plugins in the definition. The engine validates them. */
type Plugins = Omit<ServerDefinition, keyof typeof settings>;
const plugins: Readonly<Record<keyof Plugins, Kind>> = {
  gateways: 'list',
  paymentControls: 'list',
  catalogPlugins: 'list',
  entitlementPlugins: 'list',
  invoicePlugins: 'list',
  usageSources: 'list',
  eventSinks: 'list',
  nodeCommands: 'object',
  invoiceFormatter: 'object',
  documentRenderer: 'object',
  eInvoices: 'object',
  eInvoiceSender: 'object',
  pushSender: 'object',
  tracer: 'object',
};
const kinds: Readonly<Record<keyof ServerDefinition, Kind>> = { ...settings, ...plugins };

/** @throws UsageError that names the file. */
export function checkedDefinition(value: unknown, file: string): ServerDefinition {
  if (!isObject(value))
    throw new UsageError(
      `${file} has no default export that defines a server: export default defineServer({ … })`,
    );
  for (const [name, each] of Object.entries(value)) {
    if (!isPartOfServer(name))
      throw new UsageError(`${file}: "${name}" is not a member of a server definition${hintOf(name)}`);
    // An undefined value is treated as missing. A value of null disables the push sender.
    if (each === undefined || (each === null && name === 'pushSender')) continue;
    const [words, holds] = forms[kinds[name]];
    if (!holds(each)) throw new UsageError(`${file}: ${name} must be ${words}`);
  }
  return value as ServerDefinition;
}

export function isPartOfServer(name: string): name is keyof ServerDefinition {
  return Object.hasOwn(kinds, name);
}

function hintOf(name: string): string {
  const meant = closestTo(name, Object.keys(kinds));
  return meant === null ? ` (it has ${Object.keys(kinds).join(', ')})` : `; did you mean ${meant}?`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function pluginsOf(definition: ServerDefinition): Plugins {
  // An undefined plugin is treated as missing.
  const given = Object.entries(definition).filter(
    ([name, part]) => part !== undefined && Object.hasOwn(plugins, name),
  );
  return Object.fromEntries(given);
}
