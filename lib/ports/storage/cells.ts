import type {
  Authorship,
  Cell,
  New,
  PlaceState,
  Rows,
  Tenant,
  TenantPlace,
  TenantRef,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** The contents of a database before it becomes a cell. */
export interface CellContents {
  /** True if the database contains tenant data. The directory's own rows about all tenants do not count. */
  readonly hasTenantData: boolean;
  /** The tenant with the greatest record id. */
  readonly lastTenant: TenantRef | null;
}

/** Describes a cell to register. `adopt` prepares its database and returns its highest record id. */
export interface NewCell {
  readonly name: string;
  adopt(numbering: CellNumbering): Promise<number>;
}

export interface CellNumbering {
  readonly number: number;
  /** Record id above which the cell assigns its record ids. */
  readonly above: number;
}

/** A move that this process has taken over. */
export interface TakenMove {
  readonly tenantRecordId: number;
  /**
   * The revision of the move that `takeMove` returned. Each process that later takes over the move gets a greater
   * revision.
   */
  readonly revision: number;
}

/** Selects places of tenants. */
export type PlaceChoice =
  | { readonly ids: readonly Uuid[] }
  | { readonly recordIds: readonly number[] }
  | { readonly states: readonly PlaceState[] }
  | { readonly changedAfter: number };

/**
 * Cells and the places of tenants (cells §1). In the directory, the store contains all cells and the cell of each
 * tenant. In a cell, it contains the number of the cell and the rows of its tenants. Every change to a cell or a place
 * increments `revision` in the same transaction. Cells need PostgreSQL.
 */
export interface CellStore {
  /** Returns the revision of the directory, or 0 before the first cell is registered. */
  revision(): Promise<number>;
  /** Returns the cells of the directory, sorted by number. */
  list(): Rows<Cell>;
  /**
   * Registers a cell under the next number. Only one caller at a time can register a cell. The first cell gets all
   * tenants that the directory already has. If the name is already registered, returns the cell with this name.
   */
  register(cell: NewCell): Promise<Cell>;
  /** Returns the places of these tenants. Omits unknown tenants. */
  places(choice: PlaceChoice): Rows<TenantPlace>;
  /** Returns the number of tenants in each cell of the directory. Omits cells without tenants. */
  countTenants(): Promise<ReadonlyMap<string, number>>;
  /**
   * Inserts a tenant into the directory and assigns it to this cell, in the state NEW.
   * @throws BillingError 20000 if the API key is already used.
   */
  insertTenant(tenant: New<Tenant>, cell: string): Promise<Tenant>;
  /** Changes the place from NEW to SETTLED. Call this once the cell has the tenant's row. */
  settle(tenantRecordId: number): Promise<void>;
  /**
   * Changes the place from SETTLED to MOVING. Returns false if the tenant is already in the other cell, or if its place
   * is not SETTLED.
   */
  beginMove(tenantRecordId: number, to: string): Promise<boolean>;
  /**
   * Takes over a move whose place is MOVING or CLEANING. Assigns a new revision to the move, so that only this caller
   * can continue it. Returns null if the place has a different state.
   */
  takeMove(tenantRecordId: number): Promise<number | null>;
  /**
   * Stores a heartbeat of the process that moves the tenant (cells §3.4 rule 4). `beginMove` also stores a heartbeat.
   */
  renewMove(tenantRecordId: number): Promise<void>;
  /**
   * Changes the place from MOVING to CLEANING. From now on, the tenant is in the target cell. Returns false if another
   * process has taken over the move.
   */
  switchMove(move: TakenMove): Promise<boolean>;
  /**
   * Changes the place from MOVING to CLEANING. The tenant stays in the source cell. Returns false if another process
   * has taken over the move.
   */
  undoMove(move: TakenMove): Promise<boolean>;
  /** Changes the place from CLEANING to SETTLED. Returns false if another process has taken over the move. */
  endMove(move: TakenMove): Promise<boolean>;

  /** Returns the number of the cell in this database, or null if the database is not a cell yet. */
  number(): Promise<number | null>;
  /** Looks for data of tenants in all tables. */
  contents(): Promise<CellContents>;
  /**
   * Makes this database the cell with this number. From now on, its record ids have this number as remainder when
   * divided by `CELL_NUMBERS` (cells §1.2). Returns the highest record id so far, or `above` if that is greater. The
   * call can be repeated.
   */
  adopt(numbering: CellNumbering): Promise<number>;
  /**
   * Inserts the row of a tenant, with the record id that the directory assigned, and audits it as TENANT. The call can
   * be repeated.
   */
  receiveTenant(tenant: Tenant, authorship: Authorship): Promise<void>;
  /**
   * Returns the number of accounts of all tenants in this database. The number is an estimate if it is above 10,000.
   */
  countAccounts(): Promise<number>;
}
