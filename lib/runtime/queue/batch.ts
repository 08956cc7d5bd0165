import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from './handler.ts';

/** The outcome of an entry in one run of one handler. */
export type BatchOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'open' }
  | { readonly kind: 'busy'; readonly delayMs: number | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One run of one handler over entries of one tenant; collects what the handler says about each entry. */
export class Batch implements HandlerBatch {
  readonly tenant: TenantRef;
  readonly entries: readonly ClaimedEntry[];
  readonly #handler: QueueHandler;
  readonly #isLastHandler: (entry: ClaimedEntry) => boolean;
  readonly #outcomes = new Map<number, BatchOutcome>();

  constructor(input: {
    readonly tenant: TenantRef;
    readonly entries: readonly ClaimedEntry[];
    readonly handler: QueueHandler;
    readonly isLastHandler: (entry: ClaimedEntry) => boolean;
  }) {
    this.tenant = input.tenant;
    this.entries = input.entries;
    this.#handler = input.handler;
    this.#isLastHandler = input.isLastHandler;
  }

  async finish(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<void> {
    const last = entries.filter((entry) => this.#isLastHandler(entry));
    const others = entries.filter((entry) => !this.#isLastHandler(entry));
    if (last.length > 0) await session.finish(last);
    if (others.length > 0) await session.markDone(others, this.#handler.name);
    for (const entry of entries) this.#outcomes.set(entry.recordId, { kind: 'finished' });
  }

  busy(entries: readonly ClaimedEntry[], delayMs?: number): void {
    for (const entry of entries) this.#outcomes.set(entry.recordId, { kind: 'busy', delayMs });
  }

  failed(entry: ClaimedEntry, error: unknown): void {
    this.#outcomes.set(entry.recordId, { kind: 'failed', error });
  }

  outcomeOf(entry: ClaimedEntry): BatchOutcome {
    return this.#outcomes.get(entry.recordId) ?? { kind: 'open' };
  }
}
