import type { CreditNote } from '../records/index.ts';
import { formatDecimal, sum } from '../values/money/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

/**
 * What is wrong with the next credit notes of a tenant, by number (invoicing §21): a gap before one, or an amount that is
 * not the sum of its lines.
 * @param last the number before them; 0 = they are the first.
 */
export function wrongCreditNotes(
  notes: readonly CreditNote[],
  last: number,
): readonly (Finding & { readonly accountId: CreditNote['accountId'] })[] {
  const invariant = CheckedInvariant.CREDIT_NOTE;
  return notes.flatMap(({ id, accountId, creditNoteNumber, amount, lines }, index) => {
    const expected = (notes[index - 1]?.creditNoteNumber ?? last) + 1;
    const total = sum(lines.map((line) => line.amount));
    return [
      ...(creditNoteNumber === expected
        ? []
        : [{ accountId, invariant, message: `there is no credit note with the number ${expected}` }]),
      ...(amount.equals(total)
        ? []
        : [
            {
              accountId,
              invariant,
              message: `credit note ${id} has the amount ${formatDecimal(amount)}, its lines have ${formatDecimal(total)}`,
            },
          ]),
    ];
  });
}
