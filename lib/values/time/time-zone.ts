import { invalidParameter } from '../errors/index.ts';
import { fixedOffsetMs, isKnownToIntl } from './zone-offset.ts';

declare const timeZoneBrand: unique symbol;

/** A validated IANA zone name (aliases included) or fixed offset `±HH:MM`, kept as it was given (http-api §9 rule 8). */
export type TimeZone = string & { readonly [timeZoneBrand]: 'TimeZone' };

/** The zone of accounts that name none. */
export const UTC = 'UTC' as TimeZone;

/** True if `name` is an IANA zone name, alias or fixed offset `±HH:MM`. */
export function isTimeZone(name: string): name is TimeZone {
  if (name === UTC) return true;
  const first = name.charAt(0);
  // Intl also takes offsets like `+05` or `+0530`, which are no zones here.
  if (first === '+' || first === '-') return fixedOffsetMs(name) !== undefined;
  return isKnownToIntl(name);
}

/** `name` as a zone. @throws BillingError INVALID_PARAMETER if it is none. */
export function timeZone(name: string): TimeZone {
  if (isTimeZone(name)) return name;
  throw invalidParameter(
    `"${name.slice(0, 64)}" is not a time zone; expected an IANA name such as Europe/Paris, or an offset ±HH:MM`,
    { value: name.slice(0, 64) },
  );
}
