import { invoiceFields } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import { checkStorable } from '../../values/text/index.ts';

export const MAX_NOTE_LENGTH = invoiceFields.note.maxLength ?? 0;

/**
 * Returns the note to store (§14 rule 10), or null for no note.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid note.
 */
export function checkedNote(note: string | null | undefined): string | null {
  if (note == null || note === '') return null;
  checkStorable('Invoice note', note);
  if (note.length <= MAX_NOTE_LENGTH) return note;
  throw invalidField(`Invoice note is longer than ${MAX_NOTE_LENGTH} characters`);
}
