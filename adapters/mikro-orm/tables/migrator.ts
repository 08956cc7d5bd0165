import type { EntitySchema, MigrationObject, MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { checkMikroOrmVersion } from '../session/supported-version.ts';
import { refusal, schemaOptions, schemaState } from './schema.ts';

/**
 * Runs the migrations that are missing, through a MikroORM instance of our own over a connection that is open.
 * @throws Error on a database from before the first of them, and on one of a newer version.
 */
export async function applyMigrations(input: {
  readonly open: (options: ReturnType<typeof migratorOptions>) => MikroORM;
  readonly entities: EntitySchema[];
  readonly migrations: readonly MigrationObject[];
}): Promise<readonly string[]> {
  checkMikroOrmVersion();
  const orm = input.open(migratorOptions(input.entities, input.migrations));
  const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
  const refused = refusal({ ...schemaState(input.migrations, executed), missing: [] });
  if (refused) throw refused;
  // Not closed afterwards: its connection is somebody else's.
  const done = await orm.migrator.up();
  return done.map(({ name }) => name);
}

function migratorOptions(entities: EntitySchema[], migrations: readonly MigrationObject[]) {
  return { ...schemaOptions(entities, migrations), extensions: [Migrator] };
}
