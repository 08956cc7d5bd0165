import type { CellView, MoveOptions, MoveResult } from '../../cells/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { PlaceState, TenantRef } from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Billing } from '../billing.ts';
import type { BillingOptions } from '../billing-options.ts';

/**
 * Options of `Billing.cells`. They are the same as the options of `Billing.open`, except that there are several
 * storages.
 */
export interface CellsOptions<Host> extends Omit<BillingOptions<Host>, 'storage'> {
  /**
   * PostgreSQL storage of the directory, which contains the cells, the tenants and the users. It can be the storage of
   * the first cell, or a second storage on the same database.
   */
  readonly directory: Storage<Host>;
  /** PostgreSQL storage of each cell by name. New cells are registered in the directory in the order of this object. */
  readonly cells: Readonly<Record<string, Storage<Host>>>;
  /**
   * Names of the cells whose queues this node processes. Defaults to all cells. Regardless of this option, the node
   * serves calls for every cell.
   */
  readonly work?: readonly string[] | undefined;
}

/** The cell of a tenant. */
export interface PlaceView {
  readonly tenantId: Uuid;
  readonly cell: string;
  /** The other cell of a move: its target while MOVING, its source while CLEANING. */
  readonly otherCell: string | null;
  readonly state: PlaceState;
}

export interface CellOperations {
  /** Returns the registered cells, sorted by number. */
  list(): Promise<readonly CellView[]>;
  /** Returns the cell of a tenant. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001). */
  of(tenant: Uuid | string | TenantRef): Promise<PlaceView>;
  /**
   * Moves a tenant to another cell (cells §3), or continues its interrupted move. The tenant works during the move,
   * except for a short pause. Resolves after the rows in the source have been deleted, by default a minute after the
   * switch. Does nothing if the tenant is in the cell.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unknown cell, or during a move to another cell; BUSY
   * (60018) if a cell does not answer or another process takes over the move. Call it again to continue.
   * @example await billing.cells.move(tenant.id, { to: 'east', onProgress: ({ step }) => console.log(step) });
   */
  move(
    tenant: Uuid | string | TenantRef,
    options: MoveOptions & { readonly to: string },
  ): Promise<MoveResult>;
  /**
   * Undoes an interrupted move: the tenant stays in its cell, and the rows in the other cell are deleted. If the move
   * has already switched to the target cell or was already undone, finishes the move and returns false. Also returns
   * false for a tenant that is not moving.
   */
  undoMove(tenant: Uuid | string | TenantRef, options?: MoveOptions): Promise<boolean>;
}

/** Combines the engines of several cells into one (cells §2). */
export interface CellsBilling<Host = never> extends Billing<Host> {
  /** The cells of the deployment, for operators. */
  readonly cells: CellOperations;
}

const CELL_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * Checks the options, because hosts may call this function without type checking.
 * @throws InvariantError for an invalid option.
 */
export function checkCells<Host>({ directory, cells, work }: CellsOptions<Host>): void {
  const names = Object.keys(Object(cells));
  if (names.length === 0)
    throw new InvariantError('Billing.cells needs cells, such as { cells: { west: postgresql(url) } }');
  for (const name of names) {
    if (!CELL_NAME.test(name))
      throw new InvariantError(
        `"${name}" is not the name of a cell: use up to 63 lowercase letters, digits and hyphens, beginning with a letter`,
      );
  }
  const storages: readonly (readonly [string, Storage<Host>])[] = [
    ['directory', directory],
    ...Object.entries(cells),
  ];
  for (const [name, storage] of storages) {
    if (typeof Reflect.get(Object(storage), 'prepare') !== 'function')
      throw new InvariantError(`Billing.cells needs a storage as ${name}, such as postgresql(url)`);
    if (storage.singleNode)
      throw new InvariantError(`Cells need PostgreSQL, but ${name} is a SQLite database`);
  }
  for (const name of work ?? []) {
    if (!names.includes(name))
      throw new InvariantError(`work names the cell "${name}". The cells are: ${names.join(', ')}`);
  }
}
