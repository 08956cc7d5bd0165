import { type Decimal, decimal } from '../../../lib/index.ts';
import { type Day, textOf } from './calendar.ts';

const QUOTIENT_DECIMALS = 9;
export const HALF_UP = 4;

export const rounded = (amount: Decimal): Decimal => amount.toDecimalPlaces(2, HALF_UP);

export const quotient = (days: number, of: number): Decimal =>
  of <= 0 ? decimal('0') : decimal(String(days)).dividedBy(of).toDecimalPlaces(QUOTIENT_DECIMALS, HALF_UP);

/** A recurring charge that should be billed. */
export interface Proposal {
  readonly start: Day;
  readonly end: Day;
  /** Plan, phase and rate. Charges of one kind are interchangeable. */
  readonly kind: string;
  readonly planAndPhase: string;
  readonly amount: Decimal;
  /** Number of coupons in the rate. */
  readonly discounts: number;
  /** True if only an event after the target date ends the proposal. */
  readonly isShortened: boolean;
}

interface Item {
  readonly start: Day;
  readonly end: Day;
  readonly amount: Decimal;
  repairable: Decimal;
}

interface Row {
  readonly item: Item;
  readonly start: Day;
  readonly end: Day;
  readonly kind: string;
  readonly amount: Decimal;
}

type Range = Pick<Row, 'start' | 'end'>;

/** The billed charges of one subscription (invoicing §6). */
export class Ledger {
  #rows: readonly Row[] = [];
  #free: readonly (Range & { readonly planAndPhase: string })[] = [];
  readonly #fixed = new Set<string>();

  copy(): Ledger {
    const copy = new Ledger();
    const items = new Map(this.#rows.map(({ item }) => [item, { ...item }]));
    copy.#rows = this.#rows.map((row) => ({ ...row, item: items.get(row.item) ?? row.item }));
    copy.#free = [...this.#free];
    for (const key of this.#fixed) copy.#fixed.add(key);
    return copy;
  }

  /** Charges a fixed price once per day, plan and phase. A charged price does not change (coupons §3 rule 6). */
  chargeFixed(day: Day, planAndPhase: string, amount: Decimal): readonly string[] {
    const key = `${day} ${planAndPhase}`;
    if (this.#fixed.has(key)) return [];
    this.#fixed.add(key);
    return [`FIXED ${planAndPhase} ${textOf(day)} ${amount.toFixed(2)}`];
  }

  /** Bills what the proposals lack, repairs what they no longer have, and returns the items. */
  reconcile(proposals: readonly Proposal[]): readonly string[] {
    const repairs = this.#rows
      .toSorted((a, b) => a.start - b.start)
      .flatMap((row) => without(row, sameKind(proposals, row.kind)).map((part) => ({ row, part })));
    const charges = proposals.flatMap((proposal) =>
      without(proposal, sameKind(this.#rows, proposal.kind)).map((part) => ({ proposal, part })),
    );
    const lines = repairs.map(({ row, part }) => this.#repair(row, part));
    return [...lines, ...charges.flatMap(({ proposal, part }) => this.#charge(proposal, part))];
  }

  /** Returns true if the charge is billed with an amount of 0. */
  isFree({ start, planAndPhase, amount }: Proposal): boolean {
    return (
      amount.isZero() && this.#free.some((each) => each.start === start && each.planAndPhase === planAndPhase)
    );
  }

  #repair({ item, amount, start, end }: Row, part: Range): string {
    const isWhole = part.start === start && part.end === end;
    const share = quotient(part.end - part.start, end - start);
    const prorated = isWhole ? amount : rounded(amount.times(share));
    this.#rows = this.#rows.flatMap((row) =>
      row.item === item ? without(row, [part]).map((left) => rowOf(row, left)) : [row],
    );
    const isLast = !this.#rows.some((row) => row.item === item);
    const repaired = isLast || prorated.greaterThan(item.repairable) ? item.repairable : prorated;
    item.repairable = item.repairable.minus(repaired);
    return `REPAIR_ADJ ${textOf(part.start)} ${textOf(part.end)} -${repaired.toFixed(2)}`;
  }

  #charge({ kind, planAndPhase, start, end, amount, isShortened }: Proposal, part: Range): readonly string[] {
    const isWhole = part.start === start && part.end === end;
    const share = quotient(part.end - part.start, end - start);
    const charged = isWhole ? amount : rounded(amount.times(share));
    if (charged.isZero()) {
      const isKnown = this.#free.some(
        (free) =>
          free.planAndPhase === planAndPhase &&
          free.start === part.start &&
          (free.end === part.end || (isShortened && part.end === end && free.end > part.end)),
      );
      if (isKnown) return [];
      this.#free = [...this.#free, { ...part, planAndPhase }];
    } else {
      const item = { ...part, amount: charged, repairable: charged };
      this.#rows = [...this.#rows, { ...part, item, kind, amount: charged }];
    }
    return [`RECURRING ${kind} ${textOf(part.start)} ${textOf(part.end)} ${charged.toFixed(2)}`];
  }
}

function rowOf(row: Row, left: Range): Row {
  const { item } = row;
  const share = quotient(left.end - left.start, item.end - item.start);
  const isWhole = left.start === row.start && left.end === row.end;
  return isWhole ? row : { ...row, ...left, amount: rounded(item.amount.times(share)) };
}

const sameKind = <T extends { readonly kind: string }>(all: readonly T[], kind: string): readonly T[] =>
  all.filter((each) => each.kind === kind);

/** Returns the maximal parts of a range that no other range covers. */
function without({ start, end }: Range, covers: readonly Range[]): readonly Range[] {
  let left: readonly Range[] = [{ start, end }];
  for (const cover of covers)
    left = left.flatMap((each) =>
      [
        { start: each.start, end: Math.min(each.end, cover.start) },
        { start: Math.max(each.start, cover.end), end: each.end },
      ].filter((part) => part.start < part.end),
    );
  return left;
}
