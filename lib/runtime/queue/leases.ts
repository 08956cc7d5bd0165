import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry } from '../../ports/storage/index.ts';

/** How often a lease is renewed before it would end. */
const BEATS_PER_LEASE = 3;

/**
 * The leases of what a node has claimed and is working on (§9.3 rules 6 and 7). All end together, whenever they began,
 * and are renewed together, so that what a node leaves behind when it dies comes back in one step.
 */
export class Leases {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>;
  readonly #leaseMs: number;
  readonly #held = new Map<number, ClaimedEntry>();
  #claiming = 0;
  #endsAtMs = 0;
  #cancelBeat: (() => void) | undefined;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>, leaseMs: number) {
    this.#ports = ports;
    this.#leaseMs = leaseMs;
  }

  get held(): readonly ClaimedEntry[] {
    return [...this.#held.values()];
  }

  /** When the lease of a claim that begins now ends, in system time; `endClaim` must follow. */
  beginClaim(): number {
    this.#claiming += 1;
    if (this.#cancelBeat === undefined) this.#scheduleBeat();
    return this.#endsAtMs;
  }

  /** Has what was claimed renewed from now on. */
  endClaim(claimed: readonly ClaimedEntry[]): void {
    this.#claiming -= 1;
    for (const entry of claimed) this.#held.set(entry.recordId, entry);
    this.#restIfIdle();
  }

  letGo(entries: readonly ClaimedEntry[]): void {
    for (const entry of entries) this.#held.delete(entry.recordId);
    this.#restIfIdle();
  }

  #restIfIdle(): void {
    if (this.#claiming > 0 || this.#held.size > 0) return;
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
  }

  #scheduleBeat(): void {
    const { systemClock } = this.#ports;
    this.#endsAtMs = systemClock.nowMs() + this.#leaseMs;
    const everyMs = Math.max(1, Math.floor(this.#leaseMs / BEATS_PER_LEASE));
    this.#cancelBeat = systemClock.after(everyMs, () => this.#beat());
  }

  /** The next renewal comes in time whether or not this one is answered. */
  #beat(): void {
    this.#scheduleBeat();
    this.#ports.storage.queue
      .renew(this.held, this.#endsAtMs)
      .catch((error: unknown) => this.#ports.logger.warn({ err: error }, 'renewing queue leases failed'));
  }
}
