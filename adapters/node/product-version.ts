import { readFileSync } from 'node:fs';

/** Returns the version of the package. */
export function productVersion(): string {
  try {
    const file = readFileSync(new URL(import.meta.resolve('billwright/package.json')), 'utf8');
    return String((JSON.parse(file) as { version: unknown }).version);
  } catch {
    // A bundle does not contain `package.json`.
    return '0';
  }
}
