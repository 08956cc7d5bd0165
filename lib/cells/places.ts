import type { Logger, SystemClock } from '../ports/index.ts';
import type { CellStore, PlaceChoice } from '../ports/storage/index.ts';
import { PlaceState, type TenantPlace, type TenantRef } from '../records/index.ts';
import { createRepeatedWork, type Repeated } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { PLACE_LEASE_MS, PLACES_POLL_MS } from '../values/limits.ts';

interface PlacePorts {
  readonly directory: { readonly cells: Pick<CellStore, 'revision' | 'places'> };
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

/**
 * The known places of tenants (cells §2). A node polls the directory for changes every second. If it has not reached
 * the directory for longer than the lease, it queries the directory before it uses a known place. If the directory does
 * not respond, known places stay in use, so that an unavailable directory does not stop the cells. The fences of a move
 * reject late writes.
 */
export class Places {
  readonly #ports: PlacePorts;
  readonly #byId = new Map<Uuid, TenantPlace>();
  readonly #byRecordId = new Map<number, TenantPlace>();
  readonly #listeners = new Set<(place: TenantPlace) => void>();
  #revision = 0;
  /** System time at which the last successful check of the revision started. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** True if the last check failed. Calls then do not wait for another check. */
  #isDirectoryAway = false;
  readonly #looks: Repeated;

  constructor(ports: PlacePorts) {
    this.#ports = ports;
    this.#looks = createRepeatedWork(ports.systemClock, PLACES_POLL_MS, () => this.look());
  }

  /** Starts to check for changes. Throws if the directory does not respond. */
  async open(): Promise<void> {
    await this.#read();
    this.#looks.start();
  }

  close(): Promise<void> {
    return this.#looks.stop();
  }

  /** True if the directory did not respond to the last check. Known places may then be wrong. */
  get areDoubtful(): boolean {
    return this.#isDirectoryAway;
  }

  /** Calls `listener` with each changed place. */
  onChange(listener: (place: TenantPlace) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the place of a tenant, or null if the tenant is unknown. */
  async find(tenant: Uuid | number): Promise<TenantPlace | null> {
    const { systemClock } = this.#ports;
    if (systemClock.nowMs() - this.#lookedMs > PLACE_LEASE_MS && !this.#isDirectoryAway) await this.look();
    const known = this.known(tenant);
    if (known !== null && known.state !== PlaceState.MOVING) return known;
    return this.#load(tenant, known);
  }

  /** Returns the place that this node has stored for a tenant, without querying the directory. */
  known(tenant: Uuid | number): TenantPlace | null {
    const known = typeof tenant === 'number' ? this.#byRecordId.get(tenant) : this.#byId.get(tenant);
    return known ?? null;
  }

  /** Reads the known place of a tenant again. */
  async refresh({ recordId }: Pick<TenantRef, 'recordId'>): Promise<void> {
    await this.#load(recordId, this.known(recordId));
  }

  /** Checks for changes. Concurrent callers share one check. If it fails, logs the error and keeps the known places. */
  look(): Promise<void> {
    this.#looking ??= this.#read()
      .catch((error: unknown) => {
        this.#isDirectoryAway = true;
        this.#ports.logger.warn(
          { err: error },
          'the directory of cells does not answer; known places stay in use',
        );
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #read(): Promise<void> {
    const { directory, systemClock } = this.#ports;
    const startedMs = systemClock.nowMs();
    const revision = await directory.cells.revision();
    if (revision !== this.#revision) {
      const changed = await directory.cells.places({ changedAfter: this.#revision });
      // The node does not cache the places of tenants that it does not use.
      for (const place of changed) if (this.#byRecordId.has(place.tenant.recordId)) this.#keep(place);
      this.#revision = revision;
    }
    this.#lookedMs = startedMs;
    this.#isDirectoryAway = false;
  }

  /** Reads a place and stores it. If the directory does not respond, keeps using a known place. */
  async #load(tenant: Uuid | number, known: TenantPlace | null): Promise<TenantPlace | null> {
    const { directory, logger } = this.#ports;
    const choice: PlaceChoice = typeof tenant === 'number' ? { recordIds: [tenant] } : { ids: [tenant] };
    try {
      const revision = this.#revision;
      const [place] = await directory.cells.places(choice);
      // A poll during this read may have missed a change of this place, because the place was not cached yet.
      if (revision !== this.#revision) return await this.#load(tenant, known);
      if (place !== undefined) this.#keep(place);
      return place ?? null;
    } catch (error) {
      if (known === null) throw error;
      logger.warn(
        { err: error, tenantId: known.tenant.id },
        'the place of a new or moving tenant could not be read',
      );
      return known;
    }
  }

  #keep(place: TenantPlace) {
    const { id, recordId } = place.tenant;
    const before = this.#byRecordId.get(recordId);
    if (before !== undefined && before.revision > place.revision) return;
    this.#byId.set(id, place);
    this.#byRecordId.set(recordId, place);
    if (before?.revision === place.revision && before.state === place.state) return;
    for (const listener of this.#listeners) listener(place);
  }
}
