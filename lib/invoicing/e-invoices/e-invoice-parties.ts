import type { CodedId, EInvoiceAddress, EInvoiceParty } from '../../ports/index.ts';
import type { Account, EInvoiceProfile, Seller, TaxCategory } from '../../records/index.ts';
import type { MissingFields } from './missing-fields.ts';
import { endpointOfVatId, parseEndpoint, registrationOf, vatIdOf } from './party-ids.ts';
import { xmlLine } from './xml-text.ts';

/** Custom fields of an account that e-invoices use (§22 rule 5). */
export const EINVOICE_CUSTOM_FIELDS = ['buyerReference', 'electronicAddress', 'registrationNumber'] as const;
export type EInvoiceCustomFields = Readonly<Record<(typeof EINVOICE_CUSTOM_FIELDS)[number], string | null>>;

interface Addressed {
  readonly address1: string | null;
  readonly address2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

export interface PartyRules {
  readonly profile: EInvoiceProfile;
  readonly categories: ReadonlySet<TaxCategory>;
  /** True if the German rules apply: in XRechnung, and in Peppol between two German parties. */
  readonly isGerman: boolean;
  /** The country of the seller or, if unknown, of the buyer. */
  readonly sellerCountry: string | null;
  readonly missing: MissingFields;
}

/** Returns the rules for the countries of the parties. If the seller's country is unknown, uses the buyer's country. */
export function nationalRules(
  profile: EInvoiceProfile,
  seller: Seller | null,
  buyer: Account,
): Pick<PartyRules, 'isGerman' | 'sellerCountry'> {
  const buyerCountry = countryOf(buyer.country);
  const sellerCountry = countryOf(seller?.country ?? null) ?? buyerCountry;
  const isWithinGermany = sellerCountry === 'DE' && buyerCountry === 'DE';
  const isGerman = profile === 'XRECHNUNG' || (profile === 'PEPPOL_BIS3' && isWithinGermany);
  return { isGerman, sellerCountry };
}

/** The library call and the route that set seller data. */
export const SELLER_UPLOAD = 'acme.sellers.upload (POST /sellers)';
const ACCOUNT_UPDATE = 'acme.accounts.update (PUT /accounts/{accountId})';
const CUSTOM_FIELD = 'POST /accounts/{accountId}/customFields';

type SellerData = Addressed &
  Pick<Seller, 'name' | 'legalName' | 'taxId' | 'registrationNumber' | 'email' | 'phone'>;

/** Replaces missing seller data, so that the error lists every required field. */
const NO_SELLER: SellerData = {
  name: '',
  legalName: null,
  address1: null,
  address2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  taxId: null,
  registrationNumber: null,
  email: null,
  phone: null,
};

export function sellerParty(given: Seller | null, rules: PartyRules): EInvoiceParty {
  const { missing, profile, isGerman, categories } = rules;
  if (given === null) missing.add(`seller data: ${SELLER_UPLOAD}`);
  const seller: SellerData = given ?? NO_SELLER;
  missing.required(xmlLine(seller.name), `seller name: ${SELLER_UPLOAD}`);
  const country = countryOf(seller.country);
  const isTaxed = !categories.has('O');
  const taxId = xmlLine(seller.taxId);
  const vatId = vatIdOf(taxId, country);
  const registration = registrationOf(xmlLine(seller.registrationNumber), country);
  const endpoint = endpointOf({ vatId, email: seller.email, profile, own: null });
  const contact = { name: xmlLine(seller.name), phone: xmlLine(seller.phone), email: xmlLine(seller.email) };
  requireSellerIds({ taxId, vatId, registration, endpoint }, rules);
  requireNationalSeller(seller, registration, rules);
  if (isGerman) {
    missing.required(contact.phone, `seller phone: ${SELLER_UPLOAD}`);
    missing.required(contact.email, `seller email: ${SELLER_UPLOAD}`);
  }
  const hasNoIdentifier = registration === null && (vatId === null || !isTaxed);
  return {
    ...namesOf(xmlLine(seller.legalName), xmlLine(seller.name)),
    vatId: isTaxed ? vatId : null,
    taxNumber: isTaxed && vatId === null ? taxId : null,
    // A seller needs an identifier, a registration or a VAT id (BR-CO-26). Category O excludes VAT ids (BR-O-02).
    identifier: hasNoIdentifier ? taxId : null,
    registration,
    endpoint,
    address: addressOf(seller, { of: 'seller', where: SELLER_UPLOAD, rules }),
    contact,
  };
}

interface PartyIds {
  readonly taxId: string | null;
  readonly vatId: string | null;
  readonly registration: CodedId | null;
  readonly endpoint: CodedId | null;
}

function requireSellerIds(
  { taxId, vatId, registration, endpoint }: PartyIds,
  { categories, profile, missing }: PartyRules,
): void {
  const isTaxed = !categories.has('O');
  if (categories.has('K') || categories.has('G'))
    missing.required(vatId, `seller taxId (a VAT id with the prefix of its country): ${SELLER_UPLOAD}`);
  else if (isTaxed) missing.required(taxId, `seller taxId: ${SELLER_UPLOAD}`);
  else missing.required(registration ?? taxId, `seller taxId or registrationNumber: ${SELLER_UPLOAD}`);
  if (endpoint !== null || profile === 'EN16931') return;
  if (profile === 'XRECHNUNG') missing.add(`seller email or taxId: ${SELLER_UPLOAD}`);
  else missing.add(`seller taxId (a VAT id of a country in the Peppol network): ${SELLER_UPLOAD}`);
}

/** Checks the national rules of Peppol for the seller's country. */
function requireNationalSeller(
  { address1, city, postalCode }: SellerData,
  registration: CodedId | null,
  { profile, sellerCountry: country, missing }: PartyRules,
): void {
  if (profile !== 'PEPPOL_BIS3' || (country !== 'NL' && country !== 'IT')) return;
  missing.required(xmlLine(address1), `seller address1: ${SELLER_UPLOAD}`);
  missing.required(xmlLine(city), `seller city: ${SELLER_UPLOAD}`);
  missing.required(xmlLine(postalCode), `seller postalCode: ${SELLER_UPLOAD}`);
  if (country === 'NL' && (registration?.scheme ?? null) === null)
    missing.add(`seller registrationNumber (KVK, 8 digits): ${SELLER_UPLOAD}`);
}

export function buyerParty(account: Account, own: EInvoiceCustomFields, rules: PartyRules): EInvoiceParty {
  const { missing, categories, profile } = rules;
  const country = countryOf(account.country);
  const taxId = xmlLine(account.taxId);
  const vatId = vatIdOf(taxId, country);
  const registration = registrationOf(xmlLine(own.registrationNumber), country);
  const company = xmlLine(account.company) ?? xmlLine(account.name);
  const names = namesOf(xmlLine(account.legalName), company);
  if (names.name === '') missing.add(`account company, legalName or name: ${ACCOUNT_UPDATE}`);
  if (categories.has('K'))
    missing.required(vatId, `account taxId (a VAT id, for category K): ${ACCOUNT_UPDATE}`);
  if (categories.has('AE') && registration === null)
    missing.required(vatId, `account taxId (a VAT id, for the reverse charge): ${ACCOUNT_UPDATE}`);
  const endpoint = endpointOf({ vatId, email: account.email, profile, own: own.electronicAddress });
  if (endpoint === null && profile === 'PEPPOL_BIS3')
    missing.add(
      `account taxId (a VAT id): ${ACCOUNT_UPDATE}, or the custom field electronicAddress of the account (${CUSTOM_FIELD}), such as 0208:0123456749`,
    );
  if (endpoint === null && profile === 'XRECHNUNG') missing.add(`account email or taxId: ${ACCOUNT_UPDATE}`);
  return {
    ...names,
    vatId: categories.has('O') ? null : vatId,
    taxNumber: null,
    identifier: vatId === null ? taxId : null,
    registration,
    endpoint,
    address: addressOf(account, { of: 'account', where: ACCOUNT_UPDATE, rules }),
    contact: {
      name: xmlLine(account.name),
      phone: xmlLine(account.phone),
      email: xmlLine(account.email),
    },
  };
}

function namesOf(legalName: string | null, name: string | null) {
  const stated = legalName ?? name ?? '';
  return { name: stated, tradingName: name === null || name === stated ? null : name };
}

/** Returns the electronic address. Peppol requires an id; elsewhere an e-mail address is sufficient. */
function endpointOf({
  vatId,
  email,
  profile,
  own,
}: {
  readonly vatId: string | null;
  readonly email: string | null;
  readonly profile: EInvoiceProfile;
  readonly own: string | null;
}): CodedId | null {
  const given = parseEndpoint(xmlLine(own)) ?? endpointOfVatId(vatId);
  const address = xmlLine(email);
  if (given !== null || profile === 'PEPPOL_BIS3' || address === null) return given;
  return { scheme: 'EM', value: address };
}

function countryOf(country: string | null): string | null {
  const code = (country ?? '').trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? code : null;
}

function addressOf(
  given: Addressed,
  {
    of,
    where,
    rules: { missing, isGerman },
  }: { readonly of: 'seller' | 'account'; readonly where: string; readonly rules: PartyRules },
): EInvoiceAddress {
  const country = countryOf(given.country);
  const city = xmlLine(given.city);
  const postalCode = xmlLine(given.postalCode);
  missing.required(country, `${of} country (two letters): ${where}`);
  if (isGerman) {
    missing.required(city, `${of} city: ${where}`);
    missing.required(postalCode, `${of} postalCode: ${where}`);
  }
  return {
    line1: xmlLine(given.address1),
    line2: xmlLine(given.address2),
    city,
    postalCode,
    state: xmlLine(given.state),
    country: country ?? '',
  };
}
