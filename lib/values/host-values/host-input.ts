import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../time/index.ts';

/**
 * The type `T` in the form in which hosts may pass it, at any depth. An id is text. An amount may be text such as
 * `5.50`. A date is text such as `2024-03-01`. An instant is a `Date` or text such as `2024-03-01T08:00:00Z`. A
 * requested date is a date or an instant.
 */
export type HostInput<T> = T extends Uuid | Decimal | LocalDate
  ? T | string
  : T extends Instant
    ? T | string | Date
    : T extends RequestedDate
      ? T | string | Date | { readonly date: string } | { readonly at: string | Date }
      : T extends Date | ((...given: never[]) => unknown)
        ? T
        : T extends object
          ? { [K in keyof T]: HostInput<T[K]> }
          : T;
