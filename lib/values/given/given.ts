import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../time/index.ts';

/**
 * `T` as a host may give it: ids, amounts, dates and instants also as text, at any depth. An id is the text of a UUID, an
 * amount such as `5.50`, a date such as `2024-03-01`, an instant such as `2024-03-01T08:00:00Z`; a requested date is a
 * date or an instant.
 */
export type Given<T> = T extends Uuid | Decimal | Instant | LocalDate | RequestedDate
  ? T | string
  : T extends (...given: never[]) => unknown
    ? T
    : T extends object
      ? { [K in keyof T]: Given<T[K]> }
      : T;
