import type { New, ObjectType, Page, PageRequest, Tag, UserTagDefinition } from '../../records/index.ts';
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
