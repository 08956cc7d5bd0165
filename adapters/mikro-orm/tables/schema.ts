import type { EntitySchema, MigrationObject } from '@mikro-orm/core';
import type { Runner } from '../sql/runner.ts';
import { sql } from '../sql/sql.ts';

/** Keeps the names of the migrations that have run. */
export const MIGRATIONS_TABLE = 'bw_migrations';

/** Options of MikroORM that the schema of both databases shares. */
export function schemaOptions(entities: EntitySchema[], migrations: readonly MigrationObject[]) {
  return {
    entities,
    // The host's tables are left alone. Policies are compared by name, since the server stores their conditions in a form
    // of its own.
    schemaGenerator: {
      skipTables: [/^(?!(?:[^.]+\.)?bw_)/, /^(?:[^.]+\.)?bw_account_texts$/],
      ignorePolicies: true,
    },
    migrations: {
      tableName: MIGRATIONS_TABLE,
      migrationsList: [...migrations],
      snapshot: false,
      silent: true,
      disableForeignKeys: false,
    },
  };
}

/** Lets MikroORM see accounts when it compares schemas: it passes over tables that belong to another one. */
export const SHOW_ACCOUNTS = 'alter table if exists bw_accounts no inherit bw_account_texts';

export interface SchemaState {
  /** Migrations of this version that have not run yet, in order. */
  readonly missing: readonly string[];
  /** Migrations that have run and that this version does not know: the schema is newer than the code. */
  readonly unknown: readonly string[];
  /** Migrations from before the first one there is now: such a database is not carried over. */
  readonly former: readonly string[];
}

/** The differences between the schema of these migrations and a database in which the others have run. */
export function schemaState(
  migrations: readonly MigrationObject[],
  executed: readonly string[],
): SchemaState {
  const names = migrations.map(({ name }) => name);
  const [first = ''] = names;
  const unknown = executed.filter((name) => !names.includes(name));
  return {
    missing: names.filter((name) => !executed.includes(name)),
    unknown: unknown.filter((name) => name > first),
    former: unknown.filter((name) => name < first),
  };
}

export async function readSchemaState(
  runner: Runner,
  migrations: readonly MigrationObject[],
): Promise<SchemaState> {
  return schemaState(migrations, await executedMigrations(runner));
}

async function executedMigrations(runner: Runner): Promise<readonly string[]> {
  const rows = (await runner.dialect.hasTable(runner, MIGRATIONS_TABLE))
    ? await runner.rows(sql`select name from bw_migrations order by id`)
    : [];
  return rows.map((row) => String(row.name));
}

/** Why the engine does not start on this schema, and what helps; null if it does start. */
export function refusal({ former, missing, unknown }: SchemaState): Error | null {
  if (former.length > 0) {
    return new Error(
      'The database was made by billwright before its first release, whose databases are not carried over; open the ' +
        'storage on an empty database, or remove the tables named bw_* from this one',
    );
  }
  if (unknown.length > 0) {
    return new Error(
      `The database was migrated by a newer version of billwright (${unknown.join(', ')}); ` +
        'update the package on this node',
    );
  }
  if (missing.length > 0) {
    return new Error(
      `The database lacks ${missing.length} migration(s) of billwright, first ${missing[0]}; ` +
        'run "billwright migrate", serve with --migrate, or open the storage with { migrate: true }',
    );
  }
  return null;
}

/** Why the engine does not start as this role, if row-level security is required. */
export function unboundRoleRefused(role: string): Error {
  return new Error(
    `Row-level security is required and does not bind the role "${role}": it is a superuser, has BYPASSRLS, or the ` +
      'security of a table was switched off. Connect as another role that owns the tables, or do not require it',
  );
}
