import { invalidField } from './billing-error.ts';

/** The type of an option. The name completes the sentence "The option must be …". */
type OptionType = 'text' | 'a number' | 'true or false' | 'a function' | 'an object' | 'a list';

const isOfType: Readonly<Record<OptionType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  'a number': (value) => typeof value === 'number',
  'true or false': (value) => typeof value === 'boolean',
  'a function': (value) => typeof value === 'function',
  'an object': (value) => typeof value === 'object' && !Array.isArray(value),
  'a list': Array.isArray,
};

/**
 * Checks the types of options, for hosts without a compiler. Absent options are valid. Used by optional adapters, which
 * share only the errors with the engine. If the adapters used `host-values`, each start would load more shared files.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) that names the option in `facts.field`.
 */
export function checkOptionTypes(options: unknown, types: Readonly<Record<string, OptionType>>): void {
  requireOption('options', options, 'an object');
  for (const [name, type] of Object.entries(types)) {
    const value: unknown = Reflect.get(Object(options), name);
    if (value !== undefined && value !== null) check(name, value, type);
  }
}

/** Checks that a value is present and has this type. @throws The errors of `checkOptionTypes`. */
export function requireOption(field: string, value: unknown, type: OptionType): void {
  if (value === undefined || value === null) throw invalidField(`${field} needs to be set`, { field });
  check(field, value, type);
}

function check(field: string, value: unknown, type: OptionType): void {
  if (!isOfType[type](value)) throw invalidField(`${field} must be ${type}`, { field });
}
