import type { ActiveValue, ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Tenant configurations kept in memory, parsed. */
const MAX_CACHED_CONFIGURATIONS = 1_000;

/** What tenants' keys with one value come to, each parsed once: the rows that hold them never change. */
export class ActiveValueCache<T> {
  readonly #byId = new Map<Uuid, T>();

  find({ id }: ActiveValue): T | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /** Not what the host's transaction holds, which it may roll back. */
  keep(session: ReadSession, { id }: ActiveValue, parsed: T): void {
    if (session.tenant.within || id === null) return;
    this.#byId.set(id, parsed);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_CACHED_CONFIGURATIONS && !oldest.done) this.#byId.delete(oldest.value);
  }
}
