import type { DatabaseTemplate } from '../databases.ts';
import { migrated, storageOf } from '../storage.ts';

/** A number above all record ids of a `firstCell`, so that both cells can be prepared separately. */
const ABOVE_FIRST = 1_000_000;

/**
 * The template as the directory and the first of two cells with these names. Registering cells in each test would take
 * a second.
 */
export function firstCell(
  template: DatabaseTemplate,
  [own, other]: readonly [string, string],
): DatabaseTemplate {
  return {
    name: `${template.name}_as_${own}`,
    from: template,
    async prepare(database) {
      if (database.kind === 'sqlite') return;
      const storage = storageOf(database);
      await storage.cells.register({ name: own, adopt: (numbering) => storage.cells.adopt(numbering) });
      await storage.cells.register({ name: other, adopt: async () => ABOVE_FIRST });
      await storage.close();
    },
  };
}

/** The template as the second cell in the directory of a `firstCell`. */
export function secondCell(template: DatabaseTemplate = migrated): DatabaseTemplate {
  return {
    name: `${template.name}_as_second_cell`,
    from: template,
    async prepare(database) {
      if (database.kind === 'sqlite') return;
      const storage = storageOf(database);
      await storage.cells.adopt({ number: 1, above: ABOVE_FIRST });
      await storage.close();
    },
  };
}
