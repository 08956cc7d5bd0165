import type {
  ClauseSearch,
  CustomField,
  CustomFieldObjectType,
  CustomFieldPageRequest,
  New,
  ObjectType,
  Page,
  PageRequest,
  Rows,
  Tag,
  TextSearch,
  UserTagDefinition,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Matches tags that meet any of the conditions (http-api §8, tags). */
export interface TagSearch {
  readonly id: Uuid | null;
  /** Part of the object type, or of the name or description of a user definition, ignoring case. */
  readonly text: string;
  /** System definitions that match the search key. */
  readonly definitionIds: readonly Uuid[];
}

export interface TagReads {
  /** Returns tag definitions, including deleted ones. */
  findDefinitionsByIds(ids: readonly Uuid[]): Rows<UserTagDefinition>;
  /** Returns the records in creation order. */
  listDefinitions(): Rows<UserTagDefinition>;
  definitionsInUse(ids: readonly Uuid[]): Rows<Uuid>;
  /** Returns the records in creation order. */
  findByObjects(
    type: ObjectType,
    objectIds: readonly Uuid[],
    options: { readonly includeDeleted: boolean },
  ): Rows<Tag>;
  /** Returns tags of the account and its objects, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null; readonly includeDeleted: boolean },
  ): Rows<Tag>;
  /** Returns active tags on objects of one type of these accounts, in creation order. */
  findCarried(
    accountRecordIds: readonly number[],
    tag: { readonly objectType: ObjectType; readonly definitionIds: readonly Uuid[] },
  ): Rows<Tag>;
  /** Returns a page of active tags with this definition. `max` counts all active tags. */
  pageCarried(
    tag: { readonly objectType: ObjectType; readonly definitionId: Uuid },
    request: PageRequest,
  ): Promise<Page<Tag>>;
  page(request: PageRequest): Promise<Page<Tag>>;
  search(search: TagSearch, request: PageRequest): Promise<Page<Tag>>;
}

export interface TagWrites {
  /** Returns active definitions and prevents their deletion until the transaction ends. */
  holdDefinitions(ids: readonly Uuid[]): Rows<UserTagDefinition>;
  /** Returns active definitions and prevents their use by other transactions until this transaction ends. */
  lockDefinitions(ids: readonly Uuid[]): Rows<UserTagDefinition>;
  /** Inserts definitions. A taken name throws BillingError 3901. */
  insertDefinitions(definitions: readonly New<UserTagDefinition>[]): Promise<void>;
  /** Deactivates definitions. The audit records a DELETE. */
  deactivateDefinitions(definitions: readonly UserTagDefinition[]): Promise<void>;
  /**
   * Inserts the missing tags and returns them. In the audit row of a tag, the tag's own comment replaces the comment
   * of the call.
   */
  insert(tags: readonly New<Tag>[], commentsOf?: (tag: Tag) => string | null): Rows<Tag>;
  /** Deactivates tags. The audit records a DELETE. */
  deactivate(tags: readonly Tag[]): Promise<void>;
}

export type CustomFieldSearch =
  /** An exact id, or part of object id, object type, name or value, ignoring case. */
  | TextSearch
  | ClauseSearch
  /** Selects fields by object type, name and value. A null value matches any value. */
  | {
      readonly kind: 'name';
      readonly objectType: CustomFieldObjectType;
      readonly name: string;
      readonly value: string | null;
    };

/** Reads of custom fields. Methods return only active fields, unless stated otherwise. */
export interface CustomFieldReads {
  findByIds(ids: readonly Uuid[]): Rows<CustomField>;
  /** Returns the fields in creation order. */
  findByObjects(type: CustomFieldObjectType, objectIds: readonly Uuid[]): Rows<CustomField>;
  /** Returns fields of the account and its objects, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null },
  ): Rows<CustomField>;
  page(request: CustomFieldPageRequest): Promise<Page<CustomField>>;
  /** Returns a page of matching fields. `max` counts all fields that `page` returns. */
  search(search: CustomFieldSearch, request: CustomFieldPageRequest): Promise<Page<CustomField>>;
}

export interface CustomFieldWrites {
  /** Inserts fields. Throws BillingError 9000 for a pair of name and value that the object already has. */
  insert(fields: readonly New<CustomField>[]): Promise<void>;
  /** Updates values, authors and times. Throws BillingError 9000 for a duplicate pair of name and value. */
  updateValues(fields: readonly CustomField[]): Promise<void>;
  /** Deactivates fields. The audit records a DELETE. */
  deactivate(fields: readonly CustomField[]): Promise<void>;
}
