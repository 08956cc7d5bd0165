import type { Storage } from '../ports/storage/index.ts';
import type { Cell } from '../records/index.ts';

/**
 * Returns the cell with this name. Registers it if the directory does not know it (cells §1 rule 3).
 * @throws Error if the database contains the data of other tenants, or belongs to another cell.
 */
export async function registerCell(
  name: string,
  cell: Pick<Storage, 'cells'>,
  directory: Pick<Storage, 'cells' | 'system'>,
): Promise<Cell> {
  const cells = await directory.cells.list();
  const known = cells.find((each) => each.name === name);
  const number = await cell.cells.number();
  if (known !== undefined) {
    if (number === known.number) return known;
    throw new Error(
      `The database of cell "${name}" ${number === null ? 'is not a cell' : `is cell ${number}`}, but "${name}" is cell ` +
        `${known.number}. Correct the URL of the cell.`,
    );
  }
  const same = cells.find((each) => each.number === number);
  if (same !== undefined) {
    throw new Error(
      `The database of the new cell "${name}" is the cell "${same.name}". Use that name, or pass an empty database.`,
    );
  }
  return directory.cells.register({
    name,
    adopt: async (numbering) => {
      const { hasTenantData, lastTenant } = await cell.cells.contents();
      if (hasTenantData) {
        const recordIds = lastTenant === null ? [] : [lastTenant.recordId];
        const [tenant] = await directory.system.findTenantsByRecordIds(recordIds);
        if (numbering.number > 0 || tenant?.id !== lastTenant?.id)
          throw new Error(
            `The database of the new cell "${name}" has data. Only the first cell can have data, and only if it is also ` +
              'the directory. Pass an empty database.',
          );
      }
      return cell.cells.adopt(numbering);
    },
  });
}
