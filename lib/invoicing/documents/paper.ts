/** Where paper is Letter; elsewhere it is A4. */
const letter = new Set([
  ...['US', 'CA', 'MX', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM'],
  ...['CO', 'VE', 'CL', 'CR', 'GT', 'SV', 'NI', 'PA', 'DO', 'PH', 'BZ'],
]);

/** The size of paper of an account's country (§14 rule 6). */
export function paperOf(country: string | null): 'A4' | 'LETTER' {
  return letter.has((country ?? '').toUpperCase()) ? 'LETTER' : 'A4';
}
