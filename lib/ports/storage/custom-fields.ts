import type { CustomField, New, ObjectType, Page, PageRequest, SearchClause } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export type CustomFieldSearch =
  /** The whole id, or part of object id, object type, name or value in any letter case. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] }
  /** Exact; null = any value. */
  | {
      readonly kind: 'name';
      readonly objectType: ObjectType;
      readonly name: string;
      readonly value: string | null;
    };

/** Active fields only, unless a method says otherwise. */
export interface CustomFieldReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly CustomField[]>;
  /** Fields of these objects of one type, in creation order. */
  findByObjects(type: ObjectType, objectIds: readonly Uuid[]): Promise<readonly CustomField[]>;
  /** Fields of the account and of all that belongs to it, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null },
  ): Promise<readonly CustomField[]>;
  page(request: PageRequest): Promise<Page<CustomField>>;
  /** `max` counts all fields of the tenant. */
  search(search: CustomFieldSearch, request: PageRequest): Promise<Page<CustomField>>;
}

export interface CustomFieldWrites {
  /** Throws BillingError 9000 for a pair of name and value that the object already has. */
  insert(fields: readonly New<CustomField>[]): Promise<void>;
  /** Writes value, author and time of the change; throws BillingError 9000 for a pair that the object would have twice. */
  updateValues(fields: readonly CustomField[]): Promise<void>;
  /** Audited as DELETE. */
  deactivate(fields: readonly CustomField[]): Promise<void>;
}
