import { type New, type Seller, type SellerInput, sellerFields } from '../../records/index.ts';
import { checkTaxId, compactNumber, isBic, isIban } from '../../values/business-ids/index.ts';
import { BillingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { checkFields, inputOrNull } from '../../values/fields/index.ts';
import { checkStorable, shortenText } from '../../values/text/index.ts';
import { checkedLogo } from './seller-logo.ts';

const MAX_NOTE_CHARACTERS = 2_000;

type Checked = Omit<New<Seller>, 'id' | 'createdDate'>;

/**
 * Fields that only stored versions have. They are ignored, so that a caller can change a stored version and upload it
 * again.
 */
const ignoredMembers = ['recordId', 'id', 'createdDate', 'logoMediaType'];

const inputNames = [...Object.keys(sellerFields).filter((name) => !ignoredMembers.includes(name)), 'logo'];

/**
 * Checks the seller data and returns it in the form in which it is stored. The country, IBAN and BIC are in upper case
 * without spaces (invoicing §14 rule 7).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with every invalid or unknown field. TOO_LARGE (60012) if the
 * size of the logo is the only problem.
 */
export function checkedSeller(given: SellerInput): Checked {
  const input = {
    ...given,
    country: mapNonEmpty(given.country, compactNumber),
    taxId: mapNonEmpty(given.taxId, (text) => text.trim()),
    iban: mapNonEmpty(given.iban, compactNumber),
    bic: mapNonEmpty(given.bic, compactNumber),
  };
  const { country, taxId, iban, bic, accentColor, notes } = input;
  const problems = new FieldProblems();
  const name = problems.check(() => checkedName(input.name)) ?? '';
  for (const [property, field] of Object.entries(sellerFields))
    problems.check(() => checkFields('Seller', { [property]: field }, input));
  problems.check(() => {
    if (country !== null && !/^[A-Z]{2}$/.test(country))
      throw invalid('country', country, 'is not a country of two letters such as DE');
  });
  problems.check(() => checkTaxId('Seller taxId', 'taxId', taxId));
  problems.check(() => {
    if (iban !== null && !isIban(iban)) throw invalid('iban', iban, 'is not an IBAN with valid check digits');
  });
  problems.check(() => {
    if (bic !== null && !isBic(bic)) throw invalid('bic', bic, 'is not a BIC of 8 or 11 characters');
  });
  problems.check(() => {
    if (accentColor != null && !/^#[\da-f]{6}$/i.test(accentColor))
      throw invalid('accentColor', accentColor, 'is not a color such as #0a5cff');
  });
  checkNotes(notes, problems);
  const logo = problems.check(() => (input.logo == null ? null : checkedLogo(input.logo))) ?? null;
  for (const member of Object.keys(given)) problems.check(() => checkMember(member));
  problems.refuse();
  return { ...inputOrNull(sellerFields, input), name, logo };
}

/** Collects the errors of an input, so that the caller gets all of them in one error. */
class FieldProblems {
  readonly #errors = new Map<unknown, BillingError>();

  /**
   * Runs a check and returns its result. If the check fails, stores the error, but only the first error of each field.
   */
  check<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      const { field } = error.facts;
      if (!this.#errors.has(field)) this.#errors.set(field, error);
      return undefined;
    }
  }

  /**
   * Throws the collected errors.
   * @throws BillingError The error itself if there is only one. Otherwise MISSING_OR_INVALID_FIELD (60003) with all
   * messages and fields.
   */
  refuse(): void {
    const [first, ...more] = this.#errors.values();
    if (first === undefined) return;
    if (more.length === 0) throw first;
    const shown = [first, ...more].slice(0, MAX_LISTED);
    const rest = more.length + 1 - shown.length;
    const messages = shown.map(({ message }) => message);
    throw new BillingError({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: `${messages.join('; ')}${rest === 0 ? '' : `; and ${rest} more`}`,
      facts: { fields: [...this.#errors.keys()] },
      problems: messages.map((message) => ({ message })),
    });
  }
}

const MAX_LISTED = 50;

function checkedName(name: string | null | undefined): string {
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw invalidField('Seller name needs to be set', { field: 'name' });
}

function checkMember(name: string): void {
  if (inputNames.includes(name) || ignoredMembers.includes(name)) return;
  const member = shortenText(name);
  throw invalidField(`Seller ${member} is not a valid member. Use ${inputNames.join(', ')}`, {
    field: member,
  });
}

function mapNonEmpty(text: string | null | undefined, map: (text: string) => string): string | null {
  return text == null || text === '' ? null : map(text);
}

function invalid(field: string, text: string, fault: string): BillingError {
  return invalidField(`Seller ${field} "${shortenText(text)}" ${fault}`, { field });
}

function checkNotes(notes: unknown, problems: FieldProblems): void {
  if (notes === null || notes === undefined) return;
  if (typeof notes !== 'object' || Array.isArray(notes)) {
    problems.check(() => {
      throw invalidField('Seller notes is not an object of texts by country', { field: 'notes' });
    });
    return;
  }
  for (const [country, note] of Object.entries(notes)) problems.check(() => checkNote(country, note));
}

function checkNote(country: string, note: unknown): void {
  if (!/^(?:[A-Z]{2}|\*)$/.test(country))
    throw invalidField(
      `Seller notes has the key "${shortenText(country)}". Use two capital letters of a country, or * for all others`,
      { field: `notes.${shortenText(country)}` },
    );
  const field = `notes.${country}`;
  if (typeof note !== 'string') throw invalidField(`Seller ${field} is not text`, { field });
  checkStorable(`Seller ${field}`, note);
  if (note.length <= MAX_NOTE_CHARACTERS) return;
  const message = `Seller ${field} is ${note.length} characters long; at most ${MAX_NOTE_CHARACTERS} are allowed`;
  throw invalidField(message, { field });
}
