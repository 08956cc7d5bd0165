/** UN/ECE Recommendation 20 codes by the singular name of the unit. */
const codes: Readonly<Record<string, string>> = {
  second: 'SEC',
  minute: 'MIN',
  hour: 'HUR',
  day: 'DAY',
  week: 'WEE',
  month: 'MON',
  year: 'ANN',
  gram: 'GRM',
  kilogram: 'KGM',
  kg: 'KGM',
  ton: 'TNE',
  tonne: 'TNE',
  meter: 'MTR',
  metre: 'MTR',
  kilometer: 'KMT',
  kilometre: 'KMT',
  km: 'KMT',
  liter: 'LTR',
  litre: 'LTR',
  kwh: 'KWH',
  mwh: 'MWH',
  byte: 'AD',
  kilobyte: '2P',
  kb: '2P',
  megabyte: '4L',
  mb: '4L',
  gigabyte: 'E34',
  gb: 'E34',
  terabyte: 'E35',
  tb: 'E35',
  piece: 'H87',
  percent: 'P1',
};

/** The code for a count without a unit. */
const ONE = 'C62';

const known = new Set([...Object.values(codes), ONE]);

/** Returns the code of a unit by its name, such as HUR for `hours`. Returns C62 for unknown names. */
export function unitCode(name: string | null): string {
  if (name === null) return ONE;
  if (known.has(name)) return name;
  const plain = name.trim().toLowerCase();
  const singular = plain.length > 3 && plain.endsWith('s') ? plain.slice(0, -1) : plain;
  return Object.hasOwn(codes, singular) ? (codes[singular] ?? ONE) : ONE;
}
