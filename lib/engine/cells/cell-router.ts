import { type Directory, type MoveParts, MoveWatch, Places } from '../../cells/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import {
  type Authorship,
  PlaceState,
  SYSTEM_TENANT,
  type TenantPlace,
  type TenantRef,
} from '../../records/index.ts';
import { pause } from '../../runtime/index.ts';
import { assertInvariant, billingError, ErrorCode, isMoving } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MOVE_LOOK_MS, MOVE_PATIENCE_MS } from '../../values/limits.ts';
import type { Billing } from '../billing.ts';
import type { BillingOptions } from '../billing-options.ts';
import { type CellEngine, cellAway } from './cell-engine.ts';

/** Author shown in the audit log when the row of a new tenant is added after an interruption. */
const DIRECTORY = 'Directory';

/** Finds the engine for each call (cells §2). */
export class CellRouter<Host> {
  readonly cells: readonly CellEngine<Host>[];
  readonly places: Places;
  readonly moves: MoveWatch;
  /** The parts of moves between the cells. */
  readonly moveParts: MoveParts;
  readonly #directory: Directory;
  readonly #ports: Pick<BillingOptions<Host>, 'clock' | 'ids' | 'systemClock'>;

  constructor(
    cells: readonly CellEngine<Host>[],
    {
      directory,
      ...ports
    }: Pick<BillingOptions<Host>, 'clock' | 'ids' | 'systemClock' | 'logger'> & {
      readonly directory: Storage<Host>;
    },
  ) {
    this.cells = cells;
    this.#directory = directory;
    this.#ports = ports;
    this.places = new Places({ ...ports, directory });
    const storages = new Map(cells.map(({ name, storage }) => [name, storage]));
    this.moveParts = { directory, cells: storages, systemClock: ports.systemClock };
    this.moves = new MoveWatch({ ...this.moveParts, logger: ports.logger });
  }

  /**
   * Starts watching for changed places of tenants and for interrupted moves. Throws if the directory does not respond.
   */
  async open(): Promise<void> {
    await this.places.open();
    this.moves.start();
  }

  async close(): Promise<void> {
    await Promise.all([this.places.close(), this.moves.stop()]);
  }

  /** The first open cell, for calls that need only the directory or no database. */
  get any(): CellEngine<Host> {
    const open = this.cells.find((cell) => cell.isOpen);
    if (open === undefined) throw cellAway(this.cells[0]?.name ?? '', 'no cell has been opened yet');
    return open;
  }

  /** Returns the cell with this name. @throws BillingError BUSY (60018) if this node does not know it. */
  named(name: string): CellEngine<Host> {
    const found = this.cells.find((cell) => cell.name === name);
    if (found !== undefined) return found;
    throw cellAway(name, 'this node was started without it; add the cell to the configuration of the node');
  }

  /**
   * Returns the cell of the tenant. For an invalid or unknown tenant, returns any cell, because its engine throws the
   * correct error.
   */
  async of(tenant: unknown): Promise<CellEngine<Host>> {
    const key = keyOf(tenant);
    if (key === null) return this.any;
    return this.ofPlace(await this.places.find(key));
  }

  async ofPlace(place: TenantPlace | null): Promise<CellEngine<Host>> {
    if (place === null) return this.any;
    const cell = this.named(place.cell);
    if (place.state === PlaceState.NEW) await this.#receive(place, cell);
    if (this.places.areDoubtful) await this.#checkPresence(place, cell);
    return cell;
  }

  /**
   * Checks that the cell still has the tenant, so that no read finds only some of its rows.
   * @throws BillingError BUSY (60018) otherwise.
   */
  async #checkPresence({ tenant: { recordId } }: TenantPlace, cell: CellEngine<Host>) {
    const fences = await cell.call(() => cell.storage.moves.fences([recordId]));
    const fence = fences.get(recordId);
    if (fence === 'AWAY' || fence === 'GONE' || fence === 'ARRIVING')
      throw billingError(
        ErrorCode.BUSY,
        'The tenant was moved to another cell, but the directory does not answer; send the request again in a moment',
        { isMoving: true },
      );
  }

  /** Returns the tenant's open cell if it is known without a query, and otherwise any open cell. */
  known(tenantRecordId: number | null): CellEngine<Host> {
    const place = tenantRecordId === null ? null : this.places.known(tenantRecordId);
    const cell = place === null ? undefined : this.cells.find(({ name }) => name === place.cell);
    return cell?.isOpen === true ? cell : this.any;
  }

  /** Calls the engine of the tenant's cell. */
  async call<T>(tenant: unknown, work: (billing: Billing<Host>) => Promise<T>): Promise<T> {
    return (await this.of(tenant)).call(work);
  }

  /**
   * Calls the engine of the tenant's cell. While the tenant is being moved to another cell, retries for a few seconds.
   */
  async callPatiently<T>(tenant: unknown, work: (billing: Billing<Host>) => Promise<T>): Promise<T> {
    const { systemClock } = this.#ports;
    const endsAtMs = systemClock.nowMs() + MOVE_PATIENCE_MS;
    for (;;) {
      try {
        return await this.call(tenant, work);
      } catch (error) {
        if (!isMoving(error) || systemClock.nowMs() >= endsAtMs) throw error;
        await pause(systemClock, MOVE_LOOK_MS);
      }
    }
  }

  /**
   * Calls all cells at the same time, each for at most 5 s.
   * @throws BillingError BUSY (60018) with the name of a cell that does not respond.
   */
  async all<T>(work: (billing: Billing<Host>) => Promise<T>): Promise<readonly T[]> {
    return Promise.all(this.cells.map((cell) => cell.answer(work)));
  }

  /** Inserts the row of a new tenant into its cell, if the creation of the tenant was interrupted (cells §1 rule 4). */
  async #receive({ tenant: { recordId } }: TenantPlace, cell: CellEngine<Host>) {
    const [tenant] = await this.#directory.system.findTenantsByRecordIds([recordId]);
    assertInvariant(tenant, `The directory has a place but no row of tenant ${recordId}`);
    const { clock, ids } = this.#ports;
    const userToken = ids.next();
    const authorship: Authorship = {
      userName: DIRECTORY,
      reasonCode: null,
      comments: null,
      createdDate: clock.now(),
      userTokenOf: () => userToken,
    };
    await cell.call(() => cell.storage.cells.receiveTenant(tenant, authorship));
    await this.#directory.cells.settle(recordId);
    await this.places.refresh(tenant);
  }
}

/** Returns the id or record id of a tenant. Returns null for the system and for invalid input. */
function keyOf(tenant: unknown): Uuid | number | null {
  if (typeof tenant === 'string') {
    const id = tenant.toLowerCase();
    return isUuid(id) ? id : null;
  }
  const recordId: unknown = Reflect.get(Object(tenant), 'recordId');
  return typeof recordId === 'number' && recordId !== SYSTEM_TENANT.recordId ? recordId : null;
}

/** Returns the tenant of a call context. */
export function tenantOfContext(context: unknown): TenantRef | undefined {
  return Reflect.get(Object(context), 'tenant') as TenantRef | undefined;
}
