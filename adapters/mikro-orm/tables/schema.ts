import type { EntitySchema, MigrationObject } from '@mikro-orm/core';
import type { Runner } from '../sql/runner.ts';
import { sql } from '../sql/sql.ts';

export const MIGRATIONS_TABLE = 'bw_migrations';

export function schemaOptions(entities: EntitySchema[], migrations: readonly MigrationObject[]) {
  return {
    entities,
    // The host's tables are ignored. Policies are compared by name, because the server rewrites their conditions.
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

/**
 * Statement that must run before MikroORM compares the table of accounts. Otherwise MikroORM would skip the table,
 * because it is a partition.
 */
export const SHOW_ACCOUNTS = 'alter table bw_account_texts detach partition bw_accounts';

export interface SchemaState {
  /** Migrations of this version that have not run yet, in order. */
  readonly missing: readonly string[];
  /** Executed migrations that this version does not know, which means that the schema is newer than the code. */
  readonly unknown: readonly string[];
  /** Executed migrations from before the first release. A database with such migrations cannot be migrated. */
  readonly former: readonly string[];
}

/** Compares the migrations of this version with those that have run. */
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

/** Returns the reason why the engine cannot start on this schema, or null. */
export function refusal({ former, missing, unknown }: SchemaState): Error | null {
  if (former.length > 0) {
    return new Error(
      'The database was created by a pre-release version of billwright, which cannot be migrated; open the ' +
        'storage on an empty database, or drop the bw_* tables of this one',
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

/** Returns the error for a database role that bypasses row-level security. */
export function unboundRoleRefused(role: string): Error {
  return new Error(
    `Row-level security is required but does not apply to the role "${role}": it is a superuser, has BYPASSRLS, or the ` +
      'row-level security of a table was disabled. Connect as a different role that owns the tables, or remove the requirement',
  );
}
