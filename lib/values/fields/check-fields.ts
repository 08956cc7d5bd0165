import { billingError, ErrorCode } from '../errors/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../limits.ts';
import { isCurrency } from '../money/index.ts';
import { checkStorable, shortenText } from '../text/index.ts';
import { isTimeZone } from '../time/index.ts';
import type { Field, Fields } from './field.ts';

/**
 * Checks the values that a caller gives for the fields of a record. Error messages use `name` as the name of the
 * record.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), CURRENCY_INVALID, EXTERNAL_KEY_LIMIT_EXCEEDED (5).
 */
export function checkFields(name: string, fields: Fields, input: Readonly<Record<string, unknown>>): void {
  for (const [property, field] of Object.entries(fields)) {
    const value = input[property];
    if (field.set === 'never' || value === undefined || value === null) continue;
    if (field.kind === 'key') checkExternalKey(value as string);
    if (field.kind === 'text') checkStorable(`${name} ${property}`, value as string);
    const fault = faultOf(field, value);
    const code = field.kind === 'currency' ? ErrorCode.CURRENCY_INVALID : ErrorCode.MISSING_OR_INVALID_FIELD;
    if (fault !== null) throw billingError(code, `${name} ${property} ${fault}`, { field: property });
  }
}

/**
 * Returns the problem, which completes a sentence that begins with the field's name. Returns null for a valid value.
 */
function faultOf({ kind, maxLength, range }: Field, value: unknown): string | null {
  const given = String(value);
  if (kind === 'text' && maxLength !== undefined && given.length > maxLength)
    return `is ${given.length} characters long; at most ${maxLength} are allowed`;
  if (kind === 'currency' && !isCurrency(given))
    return `"${shortenText(given)}" is not an ISO 4217 code such as EUR`;
  if (kind === 'timeZone' && given !== '' && !isTimeZone(given))
    return `"${shortenText(given)}" is neither an IANA time zone nor an offset ±HH:MM`;
  const [minimum, maximum] = range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const isOutside = !Number.isInteger(value) || Number(value) < minimum || Number(value) > maximum;
  return kind === 'integer' && isOutside ? `${given} is not an integer from ${minimum} to ${maximum}` : null;
}

/**
 * Checks an external key, which has at most 255 characters (json-models §16).
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5), MISSING_OR_INVALID_FIELD for text that cannot be stored.
 */
export function checkExternalKey(externalKey: string | null | undefined): void {
  checkStorable('External key', externalKey);
  const length = externalKey?.length ?? 0;
  if (length <= MAX_EXTERNAL_KEY_CHARACTERS) return;
  throw billingError(
    ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    `External key is ${length} characters long; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    { length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  );
}
