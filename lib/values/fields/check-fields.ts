import { BillingError, ErrorCode, invalidField } from '../errors/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../limits.ts';
import { isCurrency } from '../money/index.ts';
import { checkStorable, shortened } from '../text/index.ts';
import { isTimeZone } from '../time/index.ts';
import type { Field, Fields } from './field.ts';

/**
 * Checks what a caller gives for the fields of a record; absent and null are allowed. Messages call the record `name`.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), CURRENCY_INVALID, EXTERNAL_KEY_LIMIT_EXCEEDED (5).
 */
export function checkFields(name: string, fields: Fields, input: Readonly<Record<string, unknown>>): void {
  for (const [property, field] of Object.entries(fields)) {
    const value = input[property];
    if (field.set !== 'never' && value !== undefined && value !== null)
      checkValue({ title: `${name} ${property}`, property, field }, value);
  }
}

interface Checked {
  readonly title: string;
  readonly property: string;
  readonly field: Field;
}

function checkValue({ title, property, field }: Checked, value: unknown): void {
  if (field.kind === 'key') checkExternalKey(value as string);
  if (field.kind === 'text') checkLength({ title, property, field }, value as string);
  if (field.kind === 'currency' && !isCurrency(value as string)) {
    throw new BillingError({
      code: ErrorCode.CURRENCY_INVALID,
      message: `${title} "${shortened(value as string)}" is not an ISO 4217 code such as EUR`,
      facts: { field: property },
    });
  }
  if (field.kind === 'timeZone' && value !== '' && !isTimeZone(value as string)) {
    throw invalidField(
      `${title} "${shortened(value as string)}" is neither an IANA time zone nor an offset ±HH:MM`,
      { field: property },
    );
  }
  if (field.kind === 'integer') checkRange({ title, property, field }, value as number);
}

function checkLength({ title, property, field }: Checked, value: string): void {
  checkStorable(title, value);
  if (field.maxLength === undefined || value.length <= field.maxLength) return;
  throw invalidField(`${title} is ${value.length} characters long; at most ${field.maxLength} are allowed`, {
    field: property,
  });
}

function checkRange({ title, property, field }: Checked, value: number): void {
  const [minimum, maximum] = field.range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return;
  throw invalidField(`${title} ${value} is not an integer from ${minimum} to ${maximum}`, {
    field: property,
  });
}

/**
 * External keys are compared exactly and hold at most 255 characters (json-models §16).
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5), MISSING_OR_INVALID_FIELD for text that cannot be stored.
 */
export function checkExternalKey(externalKey: string | null | undefined): void {
  checkStorable('External key', externalKey);
  const length = externalKey?.length ?? 0;
  if (length <= MAX_EXTERNAL_KEY_CHARACTERS) return;
  throw new BillingError({
    code: ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    message: `External key is ${length} characters long; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    facts: { length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  });
}
