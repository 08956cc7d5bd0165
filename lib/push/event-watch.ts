import type { SystemClock } from '../ports/index.ts';
import type { EventStore } from '../ports/storage/index.ts';
import { Signal } from '../runtime/index.ts';
import { EVENT_POLL_MS } from '../values/limits.ts';

/** Lets readers of events wait for the next commit: at once in this process, by polling for what other nodes do. */
export class EventWatch {
  readonly #signal: Signal;
  readonly #events: Pick<EventStore, 'onTold'>;
  #stopListening: (() => void) | undefined;
  #isOver = false;

  constructor({
    storage,
    systemClock,
  }: {
    readonly storage: { readonly events: Pick<EventStore, 'onTold'> };
    readonly systemClock: SystemClock;
  }) {
    this.#signal = new Signal(systemClock);
    this.#events = storage.events;
  }

  /** Whether nobody is to wait any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** How often there was something; to be read before looking. */
  get seen(): number {
    this.#stopListening ??= this.#events.onTold(() => this.#signal.raise());
    return this.#signal.count;
  }

  /** Resolves when there may be something that was not there when `seen` was read. */
  wait(seen: number, atMostMs: number): Promise<void> {
    return this.#isOver ? Promise.resolve() : this.#signal.wait(seen, Math.min(atMostMs, EVENT_POLL_MS));
  }

  /** Wakes all who wait, as when there is something. */
  wake(): void {
    this.#signal.raise();
  }

  end(): void {
    this.#isOver = true;
    this.#stopListening?.();
    this.#signal.raise();
  }
}
