import { compiled, type Transaction } from '../sql/connection.ts';
import type { Reach } from '../sql/transactions.ts';
import { TENANT_SETTING } from './tenant-policy.ts';

interface Held {
  readonly reach: Reach;
  /** What the transaction reached before. */
  readonly before: Promise<string>;
  users: number;
  /** Resolves when it reaches that again. */
  readonly released: Promise<void>;
  readonly release: () => void;
}

/** Lends our reach to the host's transactions: operations of one tenant share it, operations of another tenant wait. */
export class HostReach {
  readonly #held = new WeakMap<Transaction, Held>();

  async during<T>(host: Transaction, reach: Reach, work: () => Promise<T>): Promise<T> {
    const held = await this.#take(host, reach);
    try {
      await held.before;
      return await work();
    } finally {
      await this.#giveBack(host, held);
    }
  }

  async #take(host: Transaction, reach: Reach): Promise<Held> {
    for (;;) {
      const held = this.#held.get(host);
      if (held === undefined) break;
      if (held.reach === reach) {
        held.users += 1;
        return held;
      }
      await held.released;
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const held: Held = { reach, before: change(host, reach), users: 1, released, release };
    // It is awaited by those who use it.
    held.before.catch(() => undefined);
    this.#held.set(host, held);
    return held;
  }

  async #giveBack(host: Transaction, held: Held): Promise<void> {
    held.users -= 1;
    if (held.users > 0) return;
    this.#held.delete(host);
    try {
      await change(host, await held.before);
    } catch {
      // The host's transaction has failed; it can only roll back, which also takes the setting back.
    } finally {
      held.release();
    }
  }
}

/** Sets the reach for the rest of the transaction; returns the previous one. */
async function change(host: Transaction, reach: string | number): Promise<string> {
  const { rows } = await host.executeQuery(
    compiled(
      `select set_config('${TENANT_SETTING}', $1, true), before
        from (select current_setting('${TENANT_SETTING}', true) as before offset 0) as earlier`,
      [String(reach)],
    ),
  );
  const [row] = rows as readonly { readonly before: string | null }[];
  return row?.before ?? '';
}
