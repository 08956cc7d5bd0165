import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import type { BenchDatabases } from './databases.ts';
import { withRows } from './databases.ts';

export async function conditions(databases: BenchDatabases): Promise<readonly string[]> {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg().map((value) => value.toFixed(2));
  const durability = await databases.durability();
  return [
    `machine      ${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${memory}, ${type()} ${release()}`,
    `load before  ${load.join(' ')} (1, 5, 15 minutes); above 0.5 others take part of the machine`,
    `versions     billwright ${versionOf('../../package.json')}, Node ${process.versions.node}, MikroORM ${versionOf('../../node_modules/@mikro-orm/core/package.json')}`,
    `PostgreSQL   ${await postgresqlVersion(databases)}; ${durability.postgresql}`,
    `SQLite       ${sqliteVersion()}; ${durability.sqlite}`,
  ];
}

function versionOf(path: string): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : '?';
}

async function postgresqlVersion(databases: BenchDatabases): Promise<string> {
  const database = await databases.fresh('postgresql');
  const [row] = await withRows(database, (rows) => rows.query('show server_version'));
  await databases.remove(database);
  return row?.server_version ?? '?';
}

function sqliteVersion(): string {
  const connection = new DatabaseSync(':memory:');
  try {
    return String(connection.prepare('select sqlite_version() as version').get()?.version);
  } finally {
    connection.close();
  }
}
