import { invalidField } from '../errors/index.ts';

/** What messages say of text that no database can store; it completes a sentence that begins with the text's name. */
export const NOT_STORABLE = 'holds a NUL character or half of a surrogate pair';

/**
 * Whether every database can store this text unchanged: PostgreSQL has no U+0000, and UTF-8 has no half of a surrogate
 * pair.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** The text with U+FFFD in the place of whatever no database can store. */
export function madeStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003), with `name` for the text, unless it can be stored. */
export function checkStorable(name: string, text: string | null | undefined): void {
  if (text === null || text === undefined || isStorable(text)) return;
  throw invalidField(`${name} ${NOT_STORABLE}`, { field: name });
}
