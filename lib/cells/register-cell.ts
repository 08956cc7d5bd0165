import type { Storage } from '../ports/storage/index.ts';
import type { Cell } from '../records/index.ts';

/**
 * Returns the cell with this name. Registers the cell if the directory does not know it (cells §1 rule 3).
 * @throws Error if the database has the data of other tenants, or is another cell.
 */
export async function registerCell(
  name: string,
  cell: Pick<Storage, 'cells'>,
  directory: Pick<Storage, 'cells' | 'system'>,
): Promise<Cell> {
  const known = (await directory.cells.list()).find((each) => each.name === name);
  const { number, hasTenantData, lastTenant } = await cell.cells.contents();
  if (known !== undefined) {
    if (number === known.number) return known;
    throw new Error(
      `The database of cell "${name}" ${number === null ? 'is not a cell' : `is cell ${number}`}, but "${name}" is cell ` +
        `${known.number}. Correct the URL of the cell.`,
    );
  }
  return directory.cells.register({
    name,
    adopt: async (numbering) => {
      if (hasTenantData) {
        const recordIds = lastTenant === null ? [] : [lastTenant.recordId];
        const [same] = await directory.system.findTenantsByRecordIds(recordIds);
        if (numbering.number > 0 || same?.id !== lastTenant?.id)
          throw new Error(
            `The database of the new cell "${name}" has data. Only the first cell can have data, and only if it is also ` +
              'the directory. Pass an empty database.',
          );
      }
      return cell.cells.adopt(numbering);
    },
  });
}
