import { type EntitySchema, type MigrationObject, type MikroORM, Utils } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { refusal, schemaOptions, schemaState } from '../tables/schema.ts';

/**
 * Runs the missing migrations on an open connection, using a separate MikroORM instance.
 * @throws Error if the database is older than the first migration or newer than the last.
 */
export async function applyMigrations(input: {
  readonly open: (options: ReturnType<typeof migratorOptions>) => MikroORM;
  readonly entities: EntitySchema[];
  readonly migrations: readonly MigrationObject[];
  /** Called before the first change. */
  readonly check?: () => Promise<void>;
}): Promise<readonly string[]> {
  checkMikroOrmVersion();
  const orm = input.open(migratorOptions(input.entities, input.migrations));
  const executed = (await orm.migrator.getExecuted()).map(({ name }) => name);
  const state = schemaState(input.migrations, executed);
  const refused = refusal({ ...state, missing: [] });
  if (refused) throw refused;
  if (state.missing.length > 0) await input.check?.();
  // The instance is not closed, because its connection belongs to the caller.
  const done = await orm.migrator.up();
  return done.map(({ name }) => name);
}

function migratorOptions(entities: EntitySchema[], migrations: readonly MigrationObject[]) {
  return { ...schemaOptions(entities, migrations), extensions: [Migrator] };
}

/** The oldest supported version of MikroORM (`peerDependencies`). Other major versions may be incompatible. */
const oldest = { major: 7, minor: 2 };

/**
 * Checks the version of MikroORM, because npm's own check can be disabled.
 * @throws Error for an unsupported version.
 */
export function checkMikroOrmVersion(version: string = Utils.getORMVersion()): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === oldest.major && minor >= oldest.minor) return;
  throw new Error(
    `Billwright needs MikroORM ${oldest.major}.${oldest.minor} or a later ${oldest.major}.x version, but MikroORM ${version} is installed; ` +
      'install @mikro-orm/core, @mikro-orm/migrations and the driver in the same supported version',
  );
}
