import type { Uuid } from '../ids/index.ts';
import { MAX_SHARED_READS } from '../limits.ts';
import type { SystemClock } from '../ports/clock.ts';

/** Reads the records with these ids; those that there are not are left out. */
type Load<V> = (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, V>>;

interface Group<V> {
  readonly ids: Set<Uuid>;
  readonly found: Promise<ReadonlyMap<Uuid, V>>;
}

/**
 * Reads of single records, where those that are asked for in the same turn of the event loop share one read: a busy
 * server then costs its database a statement per turn and not per call. The read begins after every call that it serves,
 * so each sees what has been committed before it. One that fails is made again for each call alone, so that no call fails
 * for the record of another.
 */
export class SharedReads<V> {
  readonly #systemClock: Pick<SystemClock, 'nextTurn'>;
  readonly #open = new Map<string, Group<V>>();

  constructor(systemClock: Pick<SystemClock, 'nextTurn'>) {
    this.#systemClock = systemClock;
  }

  /**
   * The record with this id, or undefined.
   * @param alike calls with the same text may share a read: it names the tenant and all that `load` depends on.
   */
  async get(alike: string, id: Uuid, load: Load<V>): Promise<V | undefined> {
    const group = this.#groupOf(alike, load);
    group.ids.add(id);
    try {
      return (await group.found).get(id);
    } catch (error) {
      if (group.ids.size === 1) throw error;
      return (await load([id])).get(id);
    }
  }

  #groupOf(alike: string, load: Load<V>): Group<V> {
    const open = this.#open.get(alike);
    if (open !== undefined && open.ids.size < MAX_SHARED_READS) return open;
    const ids = new Set<Uuid>();
    const read = async (): Promise<ReadonlyMap<Uuid, V>> => {
      await this.#systemClock.nextTurn();
      if (this.#open.get(alike) === group) this.#open.delete(alike);
      return load([...ids]);
    };
    const group: Group<V> = { ids, found: read() };
    this.#open.set(alike, group);
    return group;
  }
}
