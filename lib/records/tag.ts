import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { FieldedType, ObjectType } from './object-type.ts';

/** Objects that carry tags: those with custom fields except payment methods (accounts §13.1). */
export type TaggedType = Exclude<FieldedType, typeof ObjectType.PAYMENT_METHOD>;

/** What a tag means and which objects may carry it; defined by the system or by a user (accounts §12). */
export interface TagDefinition {
  readonly id: Uuid;
  /** Lower case for users' definitions, upper case for those of the system. */
  readonly name: string;
  readonly description: string;
  readonly applicableObjectTypes: readonly ObjectType[];
  /** True for the nine control tags (accounts §13.2). */
  readonly isControlTag: boolean;
}

/** A user's definition as it is stored; deleted ones stay, so that deleted tags keep their name. */
export interface UserTagDefinition extends Omit<TagDefinition, 'isControlTag'> {
  readonly recordId: number;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}

/** A definition put on an object; a deleted tag stays, inactive. */
export interface Tag {
  readonly recordId: number;
  readonly id: Uuid;
  readonly objectType: TaggedType;
  readonly objectId: Uuid;
  readonly tagDefinitionId: Uuid;
  readonly accountRecordId: number;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}

/** A tag as it is read. */
export interface TagView extends Tag {
  readonly tagDefinitionName: string;
}
