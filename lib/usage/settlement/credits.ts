import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { BilledEntry, BilledInterval } from './billed-interval.ts';
import type { ChargeFacts, UsageCredit } from './usage-charge.ts';

/** What can still be given back of the USAGE items that are billed for an interval. */
export class Refundable {
  /** Newest first. */
  readonly #items: readonly BilledEntry[];
  readonly #left: Map<Uuid, Decimal>;

  constructor(previous: readonly BilledInterval[]) {
    this.#items = previous
      .flatMap(({ entries }) => entries)
      .filter(({ linkedItemId }) => linkedItemId === null)
      .toReversed();
    this.#left = new Map(this.#items.map(({ itemId, remaining }) => [itemId, remaining]));
  }

  /**
   * One credit for each item, newest first, none beyond what is left of it (§7.7 rule 2). The first one carries the
   * details, the others those without quantities, so that later deltas start from the net.
   * @param total above 0.
   * @param isPreferred items that come before the others.
   */
  credit(
    total: Decimal,
    { details, facts }: CreditText,
    isPreferred?: (item: BilledEntry) => boolean,
  ): UsageCredit[] {
    const credits: UsageCredit[] = [];
    let open = total;
    for (const { itemId } of this.#ordered(isPreferred)) {
      const left = this.#left.get(itemId) ?? ZERO;
      const part = left.lessThan(open) ? left : open;
      if (!part.greaterThan(ZERO)) continue;
      this.#left.set(itemId, left.minus(part));
      const text = credits.length === 0 ? details.first : details.others;
      const amount = part.negated();
      credits.push({ kind: 'CREDIT', linkedItemId: itemId, amount, details: text, open, left, ...facts });
      open = open.minus(part);
    }
    return credits;
  }

  #ordered(isPreferred: ((item: BilledEntry) => boolean) | undefined): readonly BilledEntry[] {
    if (isPreferred === undefined) return this.#items;
    return [...this.#items.filter(isPreferred), ...this.#items.filter((item) => !isPreferred(item))];
  }
}

/** What credits of one difference have in common. */
export interface CreditText {
  readonly details: CreditDetails;
  readonly facts: ChargeFacts;
}

export interface CreditDetails {
  readonly first: string;
  readonly others: string;
}
