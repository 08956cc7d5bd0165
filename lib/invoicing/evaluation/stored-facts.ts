import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** Facts as JSON keeps them: amounts and dates as text, instants as epoch milliseconds. */
export type StoredFacts<T> = T extends Decimal
  ? string
  : T extends Instant
    ? T
    : T extends LocalDate
      ? string
      : T extends object
        ? { readonly [K in keyof T]: StoredFacts<T[K]> }
        : T;
