import { invalidField } from '../errors/index.ts';
import { checkStorable } from './storable-text.ts';

/**
 * A text that must be there, be storable and have at most `maxLength` characters; messages call it `name`.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkText(name: string, text: string | null | undefined, maxLength: number): string {
  if (text === null || text === undefined || text === '')
    throw invalidField(`${name} needs to be set`, { field: name });
  checkStorable(name, text);
  if (text.length <= maxLength) return text;
  throw invalidField(`${name} is ${text.length} characters long; at most ${maxLength} are allowed`, {
    field: name,
  });
}
