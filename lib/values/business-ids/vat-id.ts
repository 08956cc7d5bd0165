import jsvat from 'jsvat-next';
import { invalidField } from '../errors/index.ts';
import { shortenText } from '../text/index.ts';

/**
 * The name and an example of each kind of VAT id that follows EU rules. The keys are the first two letters of the ids.
 */
const formats: Readonly<Record<string, readonly [country: string, example: string]>> = {
  AT: ['Austria', 'ATU12345675'],
  BE: ['Belgium', 'BE0123456749'],
  BG: ['Bulgaria', 'BG123456786'],
  CY: ['Cyprus', 'CY12345678F'],
  CZ: ['Czechia', 'CZ12345679'],
  DE: ['Germany', 'DE123456788'],
  DK: ['Denmark', 'DK12345674'],
  EE: ['Estonia', 'EE101234560'],
  EL: ['Greece', 'EL123456783'],
  ES: ['Spain', 'ESB12345674'],
  FI: ['Finland', 'FI12345671'],
  FR: ['France', 'FR12345678901'],
  HR: ['Croatia', 'HR12345678903'],
  HU: ['Hungary', 'HU12345676'],
  IE: ['Ireland', 'IE1234567T'],
  IT: ['Italy', 'IT12345670017'],
  LT: ['Lithuania', 'LT123456715'],
  LU: ['Luxembourg', 'LU12345613'],
  LV: ['Latvia', 'LV40003012345'],
  MT: ['Malta', 'MT12345634'],
  NL: ['the Netherlands', 'NL123456782B01'],
  PL: ['Poland', 'PL1234567883'],
  PT: ['Portugal', 'PT123456789'],
  RO: ['Romania', 'RO123456789'],
  SE: ['Sweden', 'SE123456789701'],
  SI: ['Slovenia', 'SI12345679'],
  SK: ['Slovakia', 'SK2021234567'],
  XI: ['Northern Ireland', 'XI123456782'],
  // This is the country code of Greece, which Greek VAT ids do not use.
  GR: ['Greece', 'EL123456783'],
};

/** Countries whose VAT ids have up to two letters after the country code. */
const lettersFollow = ['AT', 'ES', 'FR'];

/**
 * Matches Mexican tax ids: letters of the company's name, its date of foundation and a check code. Such an id may begin
 * like the VAT id of an EU country.
 */
const mexicanTaxId = /^[A-Z]{3,4}\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[A-Z\d]{3}$/;

/**
 * Checks the format of a VAT id of an EU country or of Northern Ireland. Spaces, dots and hyphens are ignored. Other
 * tax numbers are accepted. Check digits are not verified, because only VIES can confirm that an id exists.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with `field`. The message uses `name` for the field.
 */
export function checkTaxId(name: string, field: string, text: string | null | undefined): void {
  const compact = (text ?? '').replace(/[\s.-]/g, '').toUpperCase();
  const [country, example] = formats[compact.slice(0, 2)] ?? [];
  if (country === undefined || hasVatFormat(compact) || !isMeantAsVatId(compact)) return;
  throw invalidField(
    `${name} "${shortenText(text ?? '')}" does not have the format of VAT ids in ${country}, such as ${example}`,
    { field },
  );
}

function isMeantAsVatId(compact: string): boolean {
  if (mexicanTaxId.test(compact)) return false;
  const code = compact.slice(0, 2);
  return (lettersFollow.includes(code) ? /^[A-Z]{0,2}\d/ : /^\d/).test(compact.slice(2));
}

/** Country codes of the library that differ from the codes in VAT ids. */
const libraryCodes: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' };

function hasVatFormat(compact: string): boolean {
  const code = compact.slice(0, 2);
  const country = jsvat.countries.filter(({ codes }) => codes[0] === (libraryCodes[code] ?? code));
  // The library ignores slashes. The library does not support ids of branches in Northern Ireland, which have the
  // format of Great Britain.
  const asItKnows = compact.replace(/^XI/, 'GB');
  return /^[A-Z\d*+]+$/.test(compact) && jsvat.checkVAT(asItKnows, country).isValidFormat;
}
