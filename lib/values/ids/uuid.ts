import { invalidParameter } from '../errors/index.ts';

declare const uuidBrand: unique symbol;

/** A UUID in canonical form: 36 characters, lower case, hyphens. Any version: hosts bring their own ids. */
export type Uuid = string & { readonly [uuidBrand]: 'Uuid' };

const canonicalForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True if `text` is a UUID in canonical form; upper case is not (`parseUuid` takes it). */
export function isUuid(text: string): text is Uuid {
  return canonicalForm.test(text);
}

/**
 * The UUID that `text` spells, in any letter case.
 * @throws BillingError INVALID_PARAMETER if it is none.
 */
export function parseUuid(text: string): Uuid {
  const lower = text.toLowerCase();
  if (isUuid(lower)) return lower;
  throw invalidParameter(
    `"${text.slice(0, 64)}" is not a UUID; expected xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`,
    { value: text.slice(0, 64) },
  );
}
