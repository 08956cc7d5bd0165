import { type EntitySchema, type MigrationObject, type MikroORM, Utils } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { refusal, schemaOptions, schemaState } from '../tables/schema.ts';

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

/** The oldest version whose connections lend what this adapter takes (`peerDependencies`); another major may lend other things. */
const oldest = { major: 7, minor: 2 };

/**
 * npm refuses such versions by itself, unless it is told not to look.
 * @throws Error for a MikroORM that this adapter was never run on.
 */
export function checkMikroOrmVersion(version: string = Utils.getORMVersion()): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === oldest.major && minor >= oldest.minor) return;
  throw new Error(
    `Billwright works with MikroORM ${oldest.major} from ${oldest.major}.${oldest.minor} on, and MikroORM ${version} is installed; ` +
      'install @mikro-orm/core, @mikro-orm/migrations and the driver in one such version',
  );
}
