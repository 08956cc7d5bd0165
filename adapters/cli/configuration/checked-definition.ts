import { closestTo } from '../../../lib/values/text/index.ts';
import type { ServerDefinition } from '../../server/index.ts';
import { UsageError } from '../usage-error.ts';

type Kind = 'text' | 'flag' | 'port' | 'list' | 'object' | 'function' | 'document';

/** What each part of a definition has to be; the engine looks at the plugins themselves. */
const kinds: Readonly<Record<keyof ServerDefinition, Kind>> = {
  database: 'text',
  port: 'port',
  host: 'text',
  migrate: 'flag',
  requireRowSecurity: 'flag',
  sandboxLedger: 'text',
  configuration: 'object',
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
  pushSender: 'object',
  tracer: 'object',
  defaultCatalog: 'document',
  defaultOverdueConfig: 'document',
  opened: 'function',
  closed: 'function',
};

const words: Readonly<Record<Kind, string>> = {
  text: 'a text that says something',
  flag: 'true or false',
  port: 'a number from 0 to 65535',
  list: 'a list of plugins',
  object: 'an object',
  function: 'a function',
  document: 'a text, a function or a definition',
};

/** @throws UsageError that names the file, for what is no definition of a server. */
export function checkedDefinition(value: unknown, file: string): ServerDefinition {
  if (!isObject(value))
    throw new UsageError(
      `${file} has no default export that defines a server: export default defineServer({ … })`,
    );
  for (const [name, each] of Object.entries(value)) {
    if (!isPartOfServer(name))
      throw new UsageError(`${file}: "${name}" is no part of a server${hintOf(name)}`);
    // Undefined is as if it were not there; null turns a sender of pushes off.
    if (each === undefined || (each === null && name === 'pushSender')) continue;
    if (!isOfKind(kinds[name], each)) throw new UsageError(`${file}: ${name} is not ${words[kinds[name]]}`);
  }
  return value as ServerDefinition;
}

/** Whether a definition of a server may have a part of that name. */
export function isPartOfServer(name: string): name is keyof ServerDefinition {
  return Object.hasOwn(kinds, name);
}

function hintOf(name: string): string {
  const meant = closestTo(name, Object.keys(kinds));
  return meant === null ? ` (it has ${Object.keys(kinds).join(', ')})` : `; did you mean ${meant}?`;
}

function isOfKind(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'flag':
      return typeof value === 'boolean';
    case 'port':
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isObject(value) && !Array.isArray(value);
    case 'function':
      return typeof value === 'function';
    case 'document':
      return typeof value === 'string' || typeof value === 'function' || isObject(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
