import type { UsagePiece } from '../../../lib/usage/collecting/usage-book.ts';
import type { BilledInterval } from '../../../lib/usage/settlement/billed-interval.ts';
import { BookedUsageLife } from './booked-usage-life.ts';

/** Reads what was used once, and goes from date to date with that, as a dry run does. */
export class WalkedUsageLife extends BookedUsageLife {
  #read: readonly UsagePiece[] | null = null;

  /** What was read is forgotten. */
  reload(): void {
    this.#read = null;
  }

  protected override pieces(billed: readonly BilledInterval[]): readonly UsagePiece[] {
    this.#read ??= super.pieces(billed);
    return this.#read;
  }
}
