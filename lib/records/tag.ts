import {
  bigint,
  code,
  flag,
  id,
  instant,
  json,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';
import type { FieldedType, ObjectType } from './object-type.ts';

/** Types with tags: those with custom fields except payment methods (accounts §13.1). */
export type TaggedType = Exclude<FieldedType, typeof ObjectType.PAYMENT_METHOD>;

/** A tag definition of a user. Deleted ones become inactive, so that deleted tags keep their name. */
export const tagDefinitionFields = {
  recordId,
  id: id(),
  /** Lower case for definitions of users, upper case for those of the system. */
  name: text(),
  description: text(),
  applicableObjectTypes: json<readonly ObjectType[]>({ audit: null }),
  isActive: flag(),
  createdDate: instant(),
};
export interface UserTagDefinition extends RecordOf<typeof tagDefinitionFields> {}

/** A tag definition of the system or of a user (accounts §12). */
export interface TagDefinition
  extends Pick<UserTagDefinition, 'id' | 'name' | 'description' | 'applicableObjectTypes'> {
  /** True for the nine control tags (accounts §13.2). */
  readonly isControlTag: boolean;
}

/** A tag of an object; deleted tags become inactive. */
export const tagFields = {
  recordId,
  id: id(),
  objectType: code<TaggedType>(),
  objectId: id(),
  tagDefinitionId: id(),
  accountRecordId: bigint(),
  isActive: flag(),
  createdDate: instant(),
};
export interface Tag extends RecordOf<typeof tagFields> {}

/** A tag with the name of its definition. */
export interface TagView extends Tag {
  readonly tagDefinitionName: string;
}
