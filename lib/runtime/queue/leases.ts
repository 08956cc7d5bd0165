import type { Ports } from '../../ports/index.ts';
import type { ClaimedEntry } from '../../ports/storage/index.ts';

/** Renewals of a lease before it ends. */
const BEATS_PER_LEASE = 3;

/**
 * The leases of what a node has claimed and works on (§9.3 rules 6 and 7): all end together, whenever they
 * began, and are renewed together, so that what a node leaves behind when it dies comes back in one step.
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

  /** Returns when the claim that begins now has to end, in system time; `endClaim` follows. */
  beginClaim(): number {
    this.#claiming += 1;
    if (this.#cancelBeat === undefined) this.#scheduleBeat();
    return this.#endsAtMs;
  }

  /** From now on what was claimed is renewed. */
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

  /** The next one comes in time whether this one is answered or not. */
  #beat(): void {
    this.#scheduleBeat();
    this.#ports.storage.queue
      .renew(this.held, this.#endsAtMs)
      .catch((error: unknown) => this.#ports.logger.warn({ err: error }, 'renewing queue leases failed'));
  }
}
