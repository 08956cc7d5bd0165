import type { Field, Fields, InputOf, RecordOf } from './field.ts';

/** Returns the nullable fields that callers may set on creation. Absent fields become null. */
export function inputOrNull<F extends Fields>(fields: F, input: InputOf<F>): NullableOf<F> {
  return collectNullableValues<NullableOf<F>>(fields, (name) => (input as UnknownMembers)[name] ?? null);
}

type NullableOf<F extends Fields> = {
  readonly [K in keyof InputOf<F> & keyof F as null extends RecordOf<F>[K] ? K : never]: RecordOf<F>[K];
};

/**
 * Returns the nullable fields that an update changes (accounts §4). A null value changes a field only if
 * `treatNullAsReset` is true.
 */
export function inputChanges<F extends Fields>(
  fields: F,
  input: InputOf<F>,
  treatNullAsReset: boolean,
): Partial<RecordOf<F>> {
  return collectNullableValues<Partial<RecordOf<F>>>(fields, (name, { set }) => {
    const value = set === 'update' ? (input as UnknownMembers)[name] : undefined;
    return value === null && !treatNullAsReset ? undefined : value;
  });
}

type UnknownMembers = Readonly<Record<string, unknown>>;

function collectNullableValues<R>(fields: Fields, pick: (name: string, field: Field) => unknown): R {
  const collection: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = field.isNullable && field.set !== 'never' ? pick(name, field) : undefined;
    if (value !== undefined) collection[name] = value;
  }
  return collection as R;
}
