import { Utils } from '@mikro-orm/core';

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
