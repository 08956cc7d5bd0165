import type { Instant } from './instant.ts';
import type { LocalDate } from './local-date.ts';

/** A date in the account's calendar, or an instant. Absent means now. */
export type RequestedDate = { readonly date: LocalDate } | { readonly at: Instant };
