import type { Instant } from './instant.ts';
import type { LocalDate } from './local-date.ts';

/** A date in the account's calendar, or an instant. If it is absent, the operation uses the current time. */
export type RequestedDate = { readonly date: LocalDate } | { readonly at: Instant };
