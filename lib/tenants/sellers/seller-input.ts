import { type New, type Seller, type SellerInput, sellerFields } from '../../records/index.ts';
import { checkTaxId, compactNumber, isBic, isIban } from '../../values/business-ids/index.ts';
import { type BillingError, invalidField } from '../../values/errors/index.ts';
import { checkFields, inputOrNull } from '../../values/fields/index.ts';
import { checkStorable, shortened } from '../../values/text/index.ts';
import { checkedLogo } from './seller-logo.ts';

const MAX_NOTE_CHARACTERS = 2_000;

type Checked = Omit<New<Seller>, 'id' | 'createdDate'>;

/**
 * Returns the seller data to store, with country, IBAN and BIC in capital letters without blanks (invoicing §14 rule
 * 7).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with the field, TOO_LARGE (60012) for the logo.
 */
export function checkedSeller(given: SellerInput): Checked {
  const input = {
    ...given,
    country: mapped(given.country, compactNumber),
    taxId: mapped(given.taxId, (text) => text.trim()),
    iban: mapped(given.iban, compactNumber),
    bic: mapped(given.bic, compactNumber),
  };
  const { name, country, taxId, iban, bic, accentColor } = input;
  if (typeof name !== 'string' || name.trim() === '')
    throw invalidField('Seller name needs to be set', { field: 'name' });
  checkFields('Seller', sellerFields, input);
  if (country !== null && !/^[A-Z]{2}$/.test(country))
    throw invalid('country', country, 'is not a country of two letters such as DE');
  checkTaxId('Seller taxId', 'taxId', taxId);
  if (iban !== null && !isIban(iban)) throw invalid('iban', iban, 'is not an IBAN with valid check digits');
  if (bic !== null && !isBic(bic)) throw invalid('bic', bic, 'is not a BIC of 8 or 11 characters');
  if (accentColor != null && !/^#[\da-f]{6}$/i.test(accentColor))
    throw invalid('accentColor', accentColor, 'is not a color such as #0a5cff');
  checkNotes(input.notes);
  return {
    ...inputOrNull(sellerFields, input),
    name,
    logo: input.logo == null ? null : checkedLogo(input.logo),
  };
}

function mapped(text: string | null | undefined, map: (text: string) => string): string | null {
  return text == null || text === '' ? null : map(text);
}

function invalid(field: string, text: string, fault: string): BillingError {
  return invalidField(`Seller ${field} "${shortened(text)}" ${fault}`, { field });
}

function checkNotes(notes: unknown): void {
  if (notes === null || notes === undefined) return;
  if (typeof notes !== 'object' || Array.isArray(notes))
    throw invalidField('Seller notes is not an object of texts by country', { field: 'notes' });
  for (const [country, note] of Object.entries(notes)) {
    if (!/^(?:[A-Z]{2}|\*)$/.test(country))
      throw invalidField(
        `Seller notes has the key "${shortened(country)}". Use two capital letters of a country, or * for all others`,
        { field: 'notes' },
      );
    checkNote(country, note);
  }
}

function checkNote(country: string, note: unknown): void {
  const field = `notes.${country}`;
  if (typeof note !== 'string') throw invalidField(`Seller ${field} is not text`, { field });
  checkStorable(`Seller ${field}`, note);
  if (note.length <= MAX_NOTE_CHARACTERS) return;
  const message = `Seller ${field} is ${note.length} characters long; at most ${MAX_NOTE_CHARACTERS} are allowed`;
  throw invalidField(message, { field });
}
