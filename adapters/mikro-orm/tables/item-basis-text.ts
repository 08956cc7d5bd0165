import type { BasisEvent, ComputedBasis, ItemBasis, Share } from '../../../lib/records/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import type { Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { readDay, writeDay } from '../sql/columns.ts';

/** The text that a basis is stored as: JSON, amounts and dates as text, instants as epoch milliseconds. */
export function writeBasis(basis: ItemBasis): string {
  return JSON.stringify(storedBasis(basis));
}

/** The basis of a stored text. */
export function readBasis(text: string): ItemBasis {
  const stored: StoredBasis = JSON.parse(text);
  if (stored.kind !== 'PLUGIN') return readComputed(stored);
  const given = stored.given == null ? null : decimal(stored.given);
  return { ...stored, changed: stored.changed && readComputed(stored.changed), given };
}

function readComputed(stored: StoredFacts<ComputedBasis>): ComputedBasis {
  switch (stored.kind) {
    case 'FIXED':
      return { ...stored, event: readEvent(stored.event), price: decimal(stored.price) };
    case 'RECURRING':
      return {
        ...stored,
        billingAlignment: stored.billingAlignment ?? null,
        isRequestedDay: stored.isRequestedDay ?? null,
        event: readEvent(stored.event),
        nextEvent: stored.nextEvent && readEvent(stored.nextEvent),
        price: decimal(stored.price),
        startDate: readDay(stored.startDate),
        endDate: readDay(stored.endDate),
        share: stored.share && readShare(stored.share),
        part: stored.part && readShare(stored.part),
      };
    case 'REPAIR':
      return {
        ...stored,
        event: stored.event && readEvent(stored.event),
        startDate: readDay(stored.startDate),
        endDate: readDay(stored.endDate),
        amount: decimal(stored.amount),
        share: stored.share && readShare(stored.share),
        repairable: decimal(stored.repairable),
      };
    case 'USAGE':
      return {
        ...stored,
        event: readEvent(stored.event),
        nextEvent: stored.nextEvent && readEvent(stored.nextEvent),
        startDate: readDay(stored.startDate),
        endDate: readDay(stored.endDate),
        used: stored.used.map(({ unit, quantity }) => ({ unit, quantity: decimal(quantity) })),
        lines: stored.lines.map((line) => ({
          ...line,
          price: decimal(line.price),
          quantity: decimal(line.quantity),
          blockSize: line.blockSize === null ? null : decimal(line.blockSize),
          amount: line.amount === null ? null : decimal(line.amount),
        })),
        // Items that were stored earlier had whole minimums.
        minimum: stored.minimum == null ? null : readShare(stored.minimum),
        due: decimal(stored.due),
        billed: decimal(stored.billed),
        credit: stored.credit && { open: decimal(stored.credit.open), left: decimal(stored.credit.left) },
        amount: decimal(stored.amount),
      };
    case 'CREDIT':
      return { ...stored, balance: decimal(stored.balance), credit: decimal(stored.credit) };
    default:
      return neverKind(stored);
  }
}

/** Facts as JSON keeps them: amounts and dates as text, instants as epoch milliseconds. */
type StoredFacts<T> = T extends Decimal
  ? string
  : T extends Instant
    ? T
    : T extends LocalDate
      ? string
      : T extends object
        ? { readonly [K in keyof T]: StoredFacts<T[K]> }
        : T;

type StoredBasis = StoredFacts<ItemBasis>;

function storedBasis(basis: ItemBasis): StoredBasis {
  if (basis.kind !== 'PLUGIN') return storedComputed(basis);
  const given = basis.given && formatDecimal(basis.given);
  return { ...basis, changed: basis.changed && storedComputed(basis.changed), given };
}

function storedComputed(basis: ComputedBasis): StoredFacts<ComputedBasis> {
  switch (basis.kind) {
    case 'FIXED':
      return { ...basis, event: storedEvent(basis.event), price: formatDecimal(basis.price) };
    case 'RECURRING':
      return {
        ...basis,
        event: storedEvent(basis.event),
        nextEvent: basis.nextEvent && storedEvent(basis.nextEvent),
        price: formatDecimal(basis.price),
        startDate: writeDay(basis.startDate),
        endDate: writeDay(basis.endDate),
        share: basis.share && storedShare(basis.share),
        part: basis.part && storedShare(basis.part),
      };
    case 'REPAIR':
      return {
        ...basis,
        event: basis.event && storedEvent(basis.event),
        startDate: writeDay(basis.startDate),
        endDate: writeDay(basis.endDate),
        amount: formatDecimal(basis.amount),
        share: basis.share && storedShare(basis.share),
        repairable: formatDecimal(basis.repairable),
      };
    case 'USAGE':
      return {
        ...basis,
        event: storedEvent(basis.event),
        nextEvent: basis.nextEvent && storedEvent(basis.nextEvent),
        startDate: writeDay(basis.startDate),
        endDate: writeDay(basis.endDate),
        used: basis.used.map(({ unit, quantity }) => ({ unit, quantity: formatDecimal(quantity) })),
        lines: basis.lines.map((line) => ({
          ...line,
          price: formatDecimal(line.price),
          quantity: formatDecimal(line.quantity),
          blockSize: line.blockSize && formatDecimal(line.blockSize),
          amount: line.amount && formatDecimal(line.amount),
        })),
        minimum: basis.minimum && storedShare(basis.minimum),
        due: formatDecimal(basis.due),
        billed: formatDecimal(basis.billed),
        credit: basis.credit && {
          open: formatDecimal(basis.credit.open),
          left: formatDecimal(basis.credit.left),
        },
        amount: formatDecimal(basis.amount),
      };
    case 'CREDIT':
      return { ...basis, balance: formatDecimal(basis.balance), credit: formatDecimal(basis.credit) };
    default:
      return neverKind(basis);
  }
}

function storedEvent(event: BasisEvent): StoredFacts<BasisEvent> {
  return { ...event, localDate: writeDay(event.localDate) };
}

function readEvent(stored: StoredFacts<BasisEvent>): BasisEvent {
  return { ...stored, localDate: readDay(stored.localDate) };
}

function storedShare(share: Share): StoredFacts<Share> {
  return { ...share, base: formatDecimal(share.base) };
}

function readShare(stored: StoredFacts<Share>): Share {
  return { ...stored, base: decimal(stored.base) };
}

function neverKind(basis: never): never {
  throw new Error(`Unknown basis ${JSON.stringify(basis)}`);
}
