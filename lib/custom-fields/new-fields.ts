import type { CustomField } from '../records/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import { MAX_CUSTOM_FIELD_NAME_CHARACTERS, MAX_CUSTOM_FIELD_VALUE_CHARACTERS } from '../values/limits.ts';
import { checkText, shortened } from '../values/text/index.ts';

export interface CustomFieldInput {
  readonly name?: string | null;
  readonly value?: string | null;
}

export type NameAndValue = Pick<CustomField, 'name' | 'value'>;

/**
 * The pairs to add to an object that has these fields (accounts §11 rules 1 and 2).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), CUSTOM_FIELD_ALREADY_EXISTS (9000) for a pair that the object
 * has, or that is given twice.
 */
export function newFields(
  inputs: readonly CustomFieldInput[],
  existing: readonly NameAndValue[],
): readonly NameAndValue[] {
  const pairs = inputs.map(({ name, value }) => ({
    name: checkText('CustomFieldJson name', name, MAX_CUSTOM_FIELD_NAME_CHARACTERS),
    value: checkValue(value),
  }));
  checkDistinct([...existing, ...pairs]);
  return pairs;
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
export function checkValue(value: string | null | undefined): string {
  return checkText('CustomFieldJson value', value, MAX_CUSTOM_FIELD_VALUE_CHARACTERS);
}

/** @throws BillingError CUSTOM_FIELD_ALREADY_EXISTS (9000) if two fields have the same name and value. */
export function checkDistinct(fields: readonly NameAndValue[]): void {
  const seen = new Set<string>();
  for (const { name, value } of fields) {
    const pair = JSON.stringify([name, value]);
    if (seen.has(pair)) {
      throw new BillingError({
        code: ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
        message: `Custom field "${name}" with value "${shortened(value)}" exists already on the object`,
        facts: { name, value },
      });
    }
    seen.add(pair);
  }
}
