import type { Storage } from '../../lib/ports/storage/index.ts';

/** `postgresql://…` and `postgres://…` are URLs of a server; anything else is the path of a SQLite file. */
export function isPostgresqlUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(database);
}

/** The storage behind `--database`; only the driver that is needed is loaded. */
export async function openStorage(
  database: string,
  options: { readonly migrate: boolean; readonly requireRowSecurity?: boolean; readonly readOnly?: boolean },
): Promise<Storage<never>> {
  if (isPostgresqlUrl(database)) {
    const { postgresql } = await import('../mikro-orm/postgresql.ts');
    const { migrate, requireRowSecurity = false } = options;
    return postgresql({ url: database, migrate, requireRowSecurity });
  }
  const { sqlite } = await import('../mikro-orm/sqlite.ts');
  return sqlite({ path: database, readOnly: options.readOnly ?? false });
}

/** Brings the schema up to date; returns the names of the migrations that ran. */
export async function migrateDatabase(database: string): Promise<readonly string[]> {
  const adapter = isPostgresqlUrl(database)
    ? await import('../mikro-orm/postgresql.ts')
    : await import('../mikro-orm/sqlite.ts');
  return adapter.migrate(database);
}
