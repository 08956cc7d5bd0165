import type { ServerDefinition } from '../../server/index.ts';

/** What of a definition the command itself sees to. */
const settings = [
  'database',
  'port',
  'host',
  'migrate',
  'requireRowSecurity',
  'sandboxLedger',
  'configuration',
  'defaultCatalog',
  'defaultOverdueConfig',
  'opened',
  'closed',
] as const satisfies readonly (keyof ServerDefinition)[];

/** What of a definition goes to the engine as it stands: the host's plugins. */
export function pluginsOf(definition: ServerDefinition): Omit<ServerDefinition, (typeof settings)[number]> {
  const ours: ReadonlySet<string> = new Set(settings);
  // What is set to undefined is as if it were not there.
  const plugins = Object.entries(definition).filter(([name, part]) => part !== undefined && !ours.has(name));
  return Object.fromEntries(plugins);
}
