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

/** What a database contains when it becomes a cell. */
export interface CellContents {
  /** The number that the database has as a cell. Null if it is not a cell yet. */
  readonly number: number | null;
  /** True if the database has rows of tenants, besides the rows that the directory has of all tenants. */
  readonly hasTenantData: boolean;
  /** The tenant with the greatest record id. */
  readonly lastTenant: TenantRef | null;
}

/** Registers cells in the directory. `adopt` prepares the cell's database and returns its highest record id. */
export interface NewCell {
  readonly name: string;
  adopt(numbering: CellNumbering): Promise<number>;
}

export interface CellNumbering {
  readonly number: number;
  /** The cell creates only record ids above this one. */
  readonly above: number;
}

/** A move that this process has taken over. */
export interface TakenMove {
  readonly tenantRecordId: number;
  /** The result of `takeMove`. A process that takes over the move later gets a greater one. */
  readonly revision: number;
}

/** Selects places of tenants. */
export type PlaceChoice =
  | { readonly ids: readonly Uuid[] }
  | { readonly recordIds: readonly number[] }
  | { readonly states: readonly PlaceState[] }
  | { readonly changedAfter: number };

/**
 * Cells and the places of tenants (cells §1). In the directory: which cells exist, and in which of them each tenant
 * is. In a cell: its own number, and the rows of its tenants. Every change of a cell or a place increments `revision` in
 * the same transaction. Cells need PostgreSQL.
 */
export interface CellStore {
  /** The revision of the directory; 0 before the first cell. */
  revision(): Promise<number>;
  /** Returns the cells of the directory, sorted by number. */
  list(): Rows<Cell>;
  /**
   * Registers a cell under the next number, one caller at a time. The first cell gets the tenants that the directory
   * already has. Returns the known cell if the name is registered.
   */
  register(cell: NewCell): Promise<Cell>;
  /** Returns the places of these tenants. Unknown tenants are omitted. */
  places(choice: PlaceChoice): Rows<TenantPlace>;
  /** Returns the number of tenants in each cell of the directory. Cells without tenants are omitted. */
  countTenants(): Promise<ReadonlyMap<string, number>>;
  /** Inserts a tenant into the directory with a NEW place in this cell. A taken API key throws BillingError 20000. */
  insertTenant(tenant: New<Tenant>, cell: string): Promise<Tenant>;
  /** NEW → SETTLED, once the cell has the tenant's row. */
  settle(tenantRecordId: number): Promise<void>;
  /** SETTLED → MOVING to another cell. Returns false if the tenant is already there or its place is not settled. */
  beginMove(tenantRecordId: number, to: string): Promise<boolean>;
  /**
   * Takes over a MOVING or CLEANING place: gives it a new revision, with which only the caller can continue the move.
   * Returns null if the place has another state.
   */
  takeMove(tenantRecordId: number): Promise<number | null>;
  /** MOVING → CLEANING: from now on the tenant is in the target. Returns false if the caller has lost the move. */
  switchMove(move: TakenMove): Promise<boolean>;
  /** MOVING → CLEANING: the tenant stays in the source. Returns false if the caller has lost the move. */
  undoMove(move: TakenMove): Promise<boolean>;
  /** CLEANING → SETTLED. Returns false if the caller has lost the move. */
  endMove(move: TakenMove): Promise<boolean>;

  /** Describes this database as a cell. */
  contents(): Promise<CellContents>;
  /**
   * Makes this database the cell with a number: from now on its record ids have this remainder (cells §1.2). Returns the
   * highest record id so far, or `above` if that is greater. May be repeated.
   */
  adopt(numbering: CellNumbering): Promise<number>;
  /** Inserts the row of a tenant, with the record id of the directory, and audits it as TENANT. May be repeated. */
  receiveTenant(tenant: Tenant, authorship: Authorship): Promise<void>;
  /** Returns the number of accounts in this database, of all tenants. An estimate above 10,000. */
  countAccounts(): Promise<number>;
}
