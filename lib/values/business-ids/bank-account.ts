/** Returns the text in upper case without spaces, which is the stored form of account numbers. */
export function compactNumber(text: string): string {
  return text.replace(/\s/g, '').toUpperCase();
}

/** Returns true for an IBAN in compact form with valid check digits (ISO 13616). */
export function isIban(compact: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(compact)) return false;
  const turned = compact.slice(4) + compact.slice(0, 4);
  // Letters have the values 10 to 35.
  // The remainder is taken digit by digit, because the number does not fit into a double.
  const digits = turned.replace(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)));
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}

/**
 * Returns true for a BIC in compact form. A BIC consists of the bank, country, location and, optionally, branch (ISO
 * 9362).
 */
export function isBic(compact: string): boolean {
  return /^[A-Z\d]{4}[A-Z]{2}[A-Z\d]{2}(?:[A-Z\d]{3})?$/.test(compact);
}
