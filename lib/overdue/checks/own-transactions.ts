import type { WriteSession } from '../../ports/storage/index.ts';

/**
 * The transactions in which overdue itself is at work. What they publish asks for nothing: else a condition that looks at
 * the tag which its own state sets would never come to rest.
 */
export class OwnTransactions {
  readonly #sessions = new WeakSet<WriteSession>();

  run<T>(session: WriteSession, work: () => Promise<T>): Promise<T> {
    this.#sessions.add(session);
    return work();
  }

  has(session: WriteSession): boolean {
    return this.#sessions.has(session);
  }
}
