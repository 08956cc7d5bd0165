import type { CodedId } from '../../ports/index.ts';

/**
 * Prefixes of VAT ids, with the EAS codes of their electronic addresses. With `digits`, the address is the number
 * without the prefix.
 */
const vatSchemes: Readonly<Record<string, { readonly scheme: string; readonly digits?: number }>> = {
  AD: { scheme: '9922' },
  AL: { scheme: '9923' },
  AT: { scheme: '9914' },
  BA: { scheme: '9924' },
  BE: { scheme: '0208', digits: 10 },
  BG: { scheme: '9926' },
  CH: { scheme: '9927' },
  CY: { scheme: '9928' },
  CZ: { scheme: '9929' },
  DE: { scheme: '9930' },
  DK: { scheme: '0184' },
  EE: { scheme: '9931' },
  EL: { scheme: '9933' },
  ES: { scheme: '9920' },
  FI: { scheme: '0213' },
  FR: { scheme: '9957' },
  GB: { scheme: '9932' },
  HR: { scheme: '9934' },
  HU: { scheme: '9910' },
  IE: { scheme: '9935' },
  IT: { scheme: '0211' },
  LI: { scheme: '9936' },
  LT: { scheme: '9937' },
  LU: { scheme: '9938' },
  LV: { scheme: '9939' },
  MC: { scheme: '9940' },
  ME: { scheme: '9941' },
  MK: { scheme: '9942' },
  MT: { scheme: '9943' },
  NL: { scheme: '9944' },
  NO: { scheme: '0192', digits: 9 },
  PL: { scheme: '9945' },
  PT: { scheme: '9946' },
  RO: { scheme: '9947' },
  RS: { scheme: '9948' },
  SE: { scheme: '9955' },
  SI: { scheme: '9949' },
  SK: { scheme: '9950' },
  SM: { scheme: '9951' },
  TR: { scheme: '9952' },
  VA: { scheme: '9953' },
  XI: { scheme: '9932' },
};

/**
 * Returns the tax id without spaces, dots and hyphens if it is a VAT id. A VAT id starts with a prefix of the list or
 * with the country. Returns null for any other tax number, such as a US EIN.
 */
export function vatIdOf(taxId: string | null, country: string | null): string | null {
  const plain = (taxId ?? '').toUpperCase().replace(/[\s.-]/g, '');
  const prefix = plain.slice(0, 2);
  const isPrefix = Object.hasOwn(vatSchemes, prefix) || (prefix === country && prefix !== 'GR');
  return isPrefix && /^[A-Z]{2}[0-9A-Z+*]*[0-9][0-9A-Z+*]*$/.test(plain) ? plain : null;
}

/** Returns the electronic address of a VAT id. Returns null for a country without such addresses. */
export function endpointOfVatId(vatId: string | null): CodedId | null {
  if (vatId === null) return null;
  const prefix = vatId.slice(0, 2);
  const found = Object.hasOwn(vatSchemes, prefix) ? vatSchemes[prefix] : undefined;
  if (found === undefined) return null;
  const { scheme, digits } = found;
  return { scheme, value: digits === undefined ? vatId : vatId.replace(/\D/g, '').slice(0, digits) };
}

/** Returns an electronic address in the form `0208:0123456749`. Returns null for any other text. */
export function parseEndpoint(text: string | null): CodedId | null {
  const [, scheme, value] = /^([0-9]{4}|[A-Z]{2}):(\S.*)$/.exec(text?.trim() ?? '') ?? [];
  return scheme === undefined || value === undefined ? null : { scheme, value };
}

/** ICD codes for numbers in company registers, with the form of the number. */
const registers: Readonly<Record<string, readonly { readonly scheme: string; readonly form: RegExp }[]>> = {
  BE: [{ scheme: '0208', form: /^[01]\d{9}$/ }],
  DK: [{ scheme: '0184', form: /^(DK)?\d{8}$/ }],
  FI: [{ scheme: '0212', form: /^\d{7}-?\d$/ }],
  FR: [
    { scheme: '0002', form: /^\d{9}$/ },
    { scheme: '0009', form: /^\d{14}$/ },
  ],
  NL: [
    { scheme: '0106', form: /^\d{8}$/ },
    { scheme: '0190', form: /^\d{20}$/ },
  ],
  NO: [{ scheme: '0192', form: /^\d{9}$/ }],
  SE: [{ scheme: '0007', form: /^\d{6}-?\d{4}$/ }],
};

/** Returns the number in a company register of the country, without a code if the form of the number is unknown. */
export function registrationOf(number: string | null, country: string | null): CodedId | null {
  if (number === null) return null;
  const plain = number.replace(/[\s.]/g, '');
  const forms = Object.hasOwn(registers, country ?? '') ? registers[country ?? ''] : undefined;
  const found = forms?.find(({ form }) => form.test(plain));
  return found === undefined ? { scheme: null, value: number } : { scheme: found.scheme, value: plain };
}
