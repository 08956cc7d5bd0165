import { type FieldKind, type Fields, instant, orNull, text, underscored } from './field.ts';

/** How the values of a field are compared in an operator search. */
export type SearchedType = 'text' | 'uuid' | 'instant' | 'date' | 'number' | 'boolean';

const typeOf: Partial<Readonly<Record<FieldKind, SearchedType>>> = {
  id: 'uuid',
  integer: 'number',
  bigint: 'number',
  flag: 'boolean',
  date: 'date',
  instant: 'instant',
};

/** The fields that operator searches find, by each name that callers may write (accounts §6.2). */
export type SearchedFields = Readonly<
  Record<string, { readonly property: string; readonly type: SearchedType }>
>;

/**
 * Each field goes by its name in audit rows, with underscores, and by its own.
 * @param jsonNames names in JSON that are neither, with the field they stand for.
 */
export function searchedFields(
  fields: Fields,
  jsonNames: Readonly<Record<string, string>> = {},
): SearchedFields {
  const searched = Object.entries(fields).filter(([, { isSearched }]) => isSearched);
  const of = (property: string) => ({ property, type: typeOf[fields[property]?.kind ?? 'text'] ?? 'text' });
  return Object.fromEntries([
    ...searched.map(([property, { audit, searchedAs }]) => [
      searchedAs ?? underscored(audit ?? property),
      of(property),
    ]),
    ...searched.map(([property]) => [property, of(property)]),
    ...Object.entries(jsonNames).map(([name, property]) => [name, of(property)]),
  ]);
}

/** Who first and last wrote a record: stored beside it for searches, not part of it. */
export const authorFields = {
  createdBy: orNull(text({ searched: true, audit: null })),
  updatedBy: orNull(text({ searched: true, audit: null })),
  updatedDate: orNull(instant({ searched: true, audit: null })),
};
