import type { CreditNote } from '../../records/index.ts';
import type { NumberPattern } from '../../tenants/index.ts';
import { formattedNumber } from './formatted-number.ts';

/** A credit note as it is read. */
export interface CreditNoteView extends CreditNote {
  /** The number by the tenant's pattern (§21 rule 3); null = it has none. */
  readonly formattedNumber: string | null;
}

export function viewCreditNotes(
  notes: readonly CreditNote[],
  patterns: readonly NumberPattern[],
): readonly CreditNoteView[] {
  return notes.map((note) => {
    const { creditNoteNumber: number, creditNoteDate: date } = note;
    return { ...note, formattedNumber: formattedNumber({ number, date }, patterns) };
  });
}
