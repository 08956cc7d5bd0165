import type { CustomField, FieldedType, ObjectRef } from '../records/index.ts';
import { billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { MAX_CUSTOM_FIELD_NAME_CHARACTERS, MAX_CUSTOM_FIELD_VALUE_CHARACTERS } from '../values/limits.ts';
import { checkText, shortenText } from '../values/text/index.ts';

export interface CustomFieldChange {
  readonly customFieldId?: Uuid | null;
  readonly value?: string | null;
  /** Optional name of the field. If given, it must equal the current name, because a name cannot change. */
  readonly name?: string | null;
}

/**
 * Returns the fields with their new values (accounts §11 rules 2 and 3). If one change is invalid, all changes are
 * rejected.
 * @param stored `named` contains the active fields that the changes name, and `existing` contains all active fields of
 * the object.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID (9001),
 * CUSTOM_FIELD_INVALID_UPDATE (9002), CUSTOM_FIELD_ALREADY_EXISTS (9000).
 */
export function changedFields(
  object: ObjectRef<FieldedType>,
  changes: readonly CustomFieldChange[],
  { named, existing }: { readonly named: readonly CustomField[]; readonly existing: readonly CustomField[] },
): readonly CustomField[] {
  const changed = new Map<Uuid, CustomField>();
  for (const change of changes) {
    const field = fieldOf(change, named);
    checkUnchanged(field, object, change);
    const { id } = field;
    if (changed.has(id))
      throw invalidField(`Custom field ${id} has two values in the request`, { customFieldId: id });
    changed.set(id, { ...field, value: checkValue(change.value) });
  }
  checkDistinct(existing.map((field) => changed.get(field.id) ?? field));
  return [...changed.values()];
}

function fieldOf({ customFieldId }: CustomFieldChange, named: readonly CustomField[]): CustomField {
  if (customFieldId === null || customFieldId === undefined) {
    throw invalidField('CustomFieldJson customFieldId needs to be set', { field: 'customFieldId' });
  }
  const field = named.find(({ id }) => id === customFieldId);
  if (field) return field;
  throw billingError(
    ErrorCode.CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID,
    `Custom field does not exist for id ${customFieldId}`,
    { customFieldId },
  );
}

function checkUnchanged(field: CustomField, object: ObjectRef<FieldedType>, change: CustomFieldChange): void {
  const isItsOwn = field.objectId === object.id && field.objectType === object.type;
  const hasItsName = change.name === null || change.name === undefined || change.name === field.name;
  if (isItsOwn && hasItsName) return;
  throw billingError(
    ErrorCode.CUSTOM_FIELD_INVALID_UPDATE,
    isItsOwn
      ? `Custom field ${field.id} is named "${field.name}"; only its value can be changed`
      : `Custom field ${field.id} does not belong to ${object.type} ${object.id}`,
    { customFieldId: field.id },
  );
}

export interface CustomFieldInput {
  readonly name?: string | null;
  readonly value?: string | null;
}

type NameAndValue = Pick<CustomField, 'name' | 'value'>;

/**
 * Returns the name-value pairs to add to an object with these fields, after validation (accounts §11 rules 1 and 2).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), CUSTOM_FIELD_ALREADY_EXISTS (9000) for a repeated pair.
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

/** Checks the value of a field. @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
function checkValue(value: string | null | undefined): string {
  return checkText('CustomFieldJson value', value, MAX_CUSTOM_FIELD_VALUE_CHARACTERS);
}

/**
 * Checks that no two fields have the same name and value.
 * @throws BillingError CUSTOM_FIELD_ALREADY_EXISTS (9000) otherwise.
 */
function checkDistinct(fields: readonly NameAndValue[]): void {
  const seen = new Set<string>();
  for (const { name, value } of fields) {
    const pair = JSON.stringify([name, value]);
    if (seen.has(pair)) {
      throw billingError(
        ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
        `Custom field "${name}" with value "${shortenText(value)}" already exists on the object`,
        { name, value },
      );
    }
    seen.add(pair);
  }
}
