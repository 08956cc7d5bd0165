import { type FieldKind, type Fields, instant, orNull, text, toSnakeCase } from './field.ts';

/** The type that a field's values have in an operator search. */
export type SearchedType = 'text' | 'uuid' | 'instant' | 'date' | 'number' | 'boolean';

const typeOf: Partial<Readonly<Record<FieldKind, SearchedType>>> = {
  id: 'uuid',
  integer: 'number',
  bigint: 'number',
  flag: 'boolean',
  date: 'date',
  instant: 'instant',
};

/** The fields that operators can search for, by each valid name (accounts §6.2). */
export type SearchedFields = Readonly<
  Record<string, { readonly property: string; readonly type: SearchedType }>
>;

/**
 * Returns the fields that operators can search for, by each valid name. These names are the field's own name, and its
 * name in audit rows with underscores.
 * @param jsonNames Additional names from JSON, each with its field.
 */
export function searchedFields(
  fields: Fields,
  jsonNames: Readonly<Record<string, string>> = {},
): SearchedFields {
  const searched = Object.entries(fields).filter(([, { isSearched }]) => isSearched);
  const of = (property: string) => ({ property, type: typeOf[fields[property]?.kind ?? 'text'] ?? 'text' });
  return Object.fromEntries([
    ...searched.map(([property, { audit, searchedAs }]) => [
      searchedAs ?? toSnakeCase(audit ?? property),
      of(property),
    ]),
    ...searched.map(([property]) => [property, of(property)]),
    ...Object.entries(jsonNames).map(([name, property]) => [name, of(property)]),
  ]);
}

/**
 * The first and the last author of a record. They are stored with the record, so that operators can search for them.
 */
export const authorFields = {
  createdBy: orNull(text({ searched: true, audit: null })),
  updatedBy: orNull(text({ searched: true, audit: null })),
  updatedDate: orNull(instant({ searched: true, audit: null })),
};
