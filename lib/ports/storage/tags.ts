import type {
  CustomField,
  New,
  ObjectType,
  Page,
  PageRequest,
  SearchClause,
  Tag,
  UserTagDefinition,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** A search of tags; a tag is found if any of the conditions holds (http-api §8, tags). */
export interface TagSearch {
  /** The whole id, if the search key is one. */
  readonly id: Uuid | null;
  /** Part of the object type, or of a user definition's name or description, in any letter case. */
  readonly text: string;
  /** System definitions in which the search key was found. */
  readonly definitionIds: readonly Uuid[];
}

export interface TagReads {
  /** Users' definitions, deleted ones included. */
  findDefinitionsByIds(ids: readonly Uuid[]): Promise<readonly UserTagDefinition[]>;
  /** The active definitions of users, in creation order. */
  listDefinitions(): Promise<readonly UserTagDefinition[]>;
  /** Those of these definitions that an active tag uses. */
  definitionsInUse(ids: readonly Uuid[]): Promise<readonly Uuid[]>;
  /** Tags of these objects of one type, in creation order. */
  findByObjects(
    type: ObjectType,
    objectIds: readonly Uuid[],
    options: { readonly includeDeleted: boolean },
  ): Promise<readonly Tag[]>;
  /** Tags of the account and of all that belongs to it, in creation order. */
  findByAccount(
    accountRecordId: number,
    options: { readonly objectType: ObjectType | null; readonly includeDeleted: boolean },
  ): Promise<readonly Tag[]>;
  /** Active tags of these definitions on objects of one type of these accounts, in creation order. */
  findCarried(
    accountRecordIds: readonly number[],
    tag: { readonly objectType: ObjectType; readonly definitionIds: readonly Uuid[] },
  ): Promise<readonly Tag[]>;
  /** Active tags of one definition on objects of one type; `max` counts all active tags. */
  pageCarried(
    tag: { readonly objectType: ObjectType; readonly definitionId: Uuid },
    request: PageRequest,
  ): Promise<Page<Tag>>;
  /** Active tags. */
  page(request: PageRequest): Promise<Page<Tag>>;
  /** Active tags; `max` counts all of them. */
  search(search: TagSearch, request: PageRequest): Promise<Page<Tag>>;
}

export interface TagWrites {
  /** The active ones of these definitions; none of them can be deleted before this transaction ends. */
  holdDefinitions(ids: readonly Uuid[]): Promise<readonly UserTagDefinition[]>;
  /** The active ones of these definitions; nobody else can use them before this transaction ends. */
  lockDefinitions(ids: readonly Uuid[]): Promise<readonly UserTagDefinition[]>;
  /** A taken name throws BillingError 3901. */
  insertDefinitions(definitions: readonly New<UserTagDefinition>[]): Promise<void>;
  /** Audited as DELETE. */
  deactivateDefinitions(definitions: readonly UserTagDefinition[]): Promise<void>;
  /**
   * Inserts and returns the tags whose object does not carry their definition yet. A comment that is given for a tag
   * appears in its audit row instead of the call's.
   */
  insert(tags: readonly New<Tag>[], commentsOf?: (tag: Tag) => string | null): Promise<readonly Tag[]>;
  /** Audited as DELETE. */
  deactivate(tags: readonly Tag[]): Promise<void>;
}

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
