import type { Account } from '../../records/index.ts';

/** Where the state and postal code stand behind the city; elsewhere the postal code stands in front of it. */
const cityFirst = new Set(['AU', 'BR', 'CA', 'GB', 'IE', 'IN', 'MX', 'NZ', 'US', 'ZA']);

/** To whom a document goes, line by line; what the account does not have is left out. */
export function addresseeOf(account: Account, countryName: string | null): readonly string[] {
  const { company, name, address1, address2 } = account;
  const lines = [company, name, address1, address2, placeOf(account), countryName];
  return lines.filter((line) => line !== null && line.trim() !== '') as readonly string[];
}

function placeOf({ city, state, postalCode, country }: Account): string {
  const joined = (separator: string, ...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null && part.trim() !== '').join(separator);
  return cityFirst.has((country ?? '').toUpperCase())
    ? joined(', ', city, joined(' ', state, postalCode))
    : joined(', ', joined(' ', postalCode, city), state);
}
