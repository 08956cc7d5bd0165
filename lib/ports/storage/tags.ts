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

/** Finds tags that satisfy at least one of the conditions (http-api §8, tags). */
export interface TagSearch {
  readonly id: Uuid | null;
  /** Text that the object type, or the name or description of a user-defined tag, must contain. Case is ignored. */
  readonly text: string;
  /** The ids of the system definitions that match the search key. */
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
  /** Returns the tags of the account and of its objects, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null; readonly includeDeleted: boolean },
  ): Rows<Tag>;
  /** Returns the active tags on objects of one type that belong to these accounts, in creation order. */
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
  /** Inserts definitions. @throws BillingError 3901 if a name is already used. */
  insertDefinitions(definitions: readonly New<UserTagDefinition>[]): Promise<void>;
  /** Deactivates definitions. The audit log records a DELETE. */
  deactivateDefinitions(definitions: readonly UserTagDefinition[]): Promise<void>;
  /**
   * Inserts the missing tags and returns them. If a tag has its own comment, its audit row contains that comment
   * instead of the call's comment.
   */
  insert(tags: readonly New<Tag>[], commentsOf?: (tag: Tag) => string | null): Rows<Tag>;
  /** Deactivates tags. The audit log records a DELETE. */
  deactivate(tags: readonly Tag[]): Promise<void>;
}

export type CustomFieldSearch =
  /**
   * Finds custom fields whose id equals the text, or whose object id, object type, name or value contains it, ignoring
   * case.
   */
  | TextSearch
  | ClauseSearch
  /** Selects fields by object type, name and value. A null value matches any value. */
  | {
      readonly kind: 'name';
      readonly objectType: CustomFieldObjectType;
      readonly name: string;
      readonly value: string | null;
    };

/** Reads custom fields. Functions return only active fields, unless stated otherwise. */
export interface CustomFieldReads {
  findByIds(ids: readonly Uuid[]): Rows<CustomField>;
  /** Returns the fields in creation order. */
  findByObjects(type: CustomFieldObjectType, objectIds: readonly Uuid[]): Rows<CustomField>;
  /** Returns the fields of the account and of its objects, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null },
  ): Rows<CustomField>;
  page(request: CustomFieldPageRequest): Promise<Page<CustomField>>;
  /** Returns a page of the fields that match the search. `max` counts all fields that `page` returns. */
  search(search: CustomFieldSearch, request: CustomFieldPageRequest): Promise<Page<CustomField>>;
}

export interface CustomFieldWrites {
  /** Inserts fields. @throws BillingError 9000 if the object already has a field with the same name and value. */
  insert(fields: readonly New<CustomField>[]): Promise<void>;
  /** Updates values, authors and times. @throws BillingError 9000 if two fields would have the same name and value. */
  updateValues(fields: readonly CustomField[]): Promise<void>;
  /** Deactivates fields. The audit log records a DELETE. */
  deactivate(fields: readonly CustomField[]): Promise<void>;
}
