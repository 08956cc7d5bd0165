import type { Account, Seller } from '../../records/index.ts';
import { type Accent, accentOf } from './accent.ts';
import type { TextKey } from './built-in-texts.ts';
import type { TextOf } from './document-texts.ts';

/** Words that a document uses for its parties. */
export interface PartyWords {
  readonly text: TextOf;
  /** Joins a label with its value: `Tax ID: 12-3456789`. */
  readonly labeled: (label: string, value: string) => string;
  readonly countryName: (code: string) => string;
}

export interface RenderedSeller {
  readonly seller: Seller;
  /** The legal name, address, tax id, registration number, email and phone. Missing parts are omitted. */
  readonly lines: readonly string[];
  /** The tax id with its label, such as `VAT ID: DE123456789`. The value is null if there is no tax id. */
  readonly formattedTaxId: string | null;
  readonly formattedRegistrationNumber: string | null;
  /** IBAN in groups of four characters. */
  readonly formattedIban: string | null;
  readonly accent: Accent | null;
}

export interface RenderedBuyer {
  /** The receiver's names and address. Missing parts are omitted. */
  readonly addressee: readonly string[];
  readonly formattedTaxId: string | null;
}

export function renderedBuyer(account: Account, words: PartyWords): RenderedBuyer {
  const { company, legalName, name } = account;
  return {
    addressee: [...distinct([company, legalName, name]), ...addressOf(account, words)],
    formattedTaxId: formattedTaxId(account.taxId, words),
  };
}

export function renderedSeller(seller: Seller, words: PartyWords): RenderedSeller {
  const { name, legalName, registrationNumber, email, phone } = seller;
  const [, ...otherNames] = distinct([name, legalName]);
  const taxId = formattedTaxId(seller.taxId, words);
  const registration = isPresent(registrationNumber)
    ? words.labeled(words.text('registrationNumber'), registrationNumber)
    : null;
  const contact = [taxId, registration, email, phone].filter(isPresent);
  return {
    seller,
    lines: [...otherNames, ...addressOf(seller, words), ...contact],
    formattedTaxId: taxId,
    formattedRegistrationNumber: registration,
    formattedIban: seller.iban === null ? null : inGroupsOfFour(seller.iban),
    accent: accentOf(seller.accentColor),
  };
}

/** Returns the names without duplicates and without missing names. */
function distinct(names: readonly (string | null)[]): readonly string[] {
  const known = new Set<string>();
  return names.filter((name): name is string => {
    if (!isPresent(name) || known.has(name.trim())) return false;
    known.add(name.trim());
    return true;
  });
}

function isPresent(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}

function formattedTaxId(taxId: string | null, { text, labeled }: PartyWords): string | null {
  return isPresent(taxId) ? labeled(text(labelOfTaxId(taxId)), taxId.trim()) : null;
}

/** Matches a VAT id of the European Union, Great Britain, Northern Ireland, Norway or Switzerland. */
const vatId =
  /^(?:AT|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI)[ \-.]?[0-9A-Z]/i;

function labelOfTaxId(taxId: string): TextKey {
  const compact = taxId.trim();
  return vatId.test(compact) && /\d/.test(compact) ? 'vatId' : 'taxId';
}

function inGroupsOfFour(iban: string): string {
  return (iban.replaceAll(/\s/g, '').match(/.{1,4}/gu) ?? []).join(' ');
}

type Address = Pick<Account & Seller, 'address1' | 'address2' | 'city' | 'state' | 'postalCode' | 'country'>;

/** Returns the lines of an address. Missing parts are omitted. */
function addressOf(address: Address, { countryName }: PartyWords): readonly string[] {
  const { address1, address2, country } = address;
  const streets = [address1, address2];
  const places = isJapaneseScript(address)
    ? [address.postalCode, `${address.state ?? ''}${address.city ?? ''}`, ...streets]
    : [...streets, placeOf(address)];
  return [...places, country === null ? null : countryName(country)].filter(isPresent);
}

/** Returns true for an address in Japanese characters. Such an address begins with its largest unit. */
function isJapaneseScript({ city, state, country }: Address): boolean {
  return (country ?? '').toUpperCase() === 'JP' && /\p{Script=Han}/u.test(`${state ?? ''}${city ?? ''}`);
}

/** Countries that write state and postal code after the city; other countries write the postal code before it. */
const cityFirst = new Set(['AU', 'BR', 'CA', 'GB', 'IE', 'IN', 'MX', 'NZ', 'US', 'ZA']);

function placeOf({ city, state, postalCode, country }: Address): string {
  const joinParts = (separator: string, ...parts: readonly (string | null)[]) =>
    parts.filter(isPresent).join(separator);
  return cityFirst.has((country ?? '').toUpperCase())
    ? joinParts(', ', city, joinParts(' ', state, postalCode))
    : joinParts(', ', joinParts(' ', postalCode, city), state);
}
