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

/** Objects that carry tags: those with custom fields except payment methods (accounts §13.1). */
export type TaggedType = Exclude<FieldedType, typeof ObjectType.PAYMENT_METHOD>;

/** A user's definition as it is stored; deleted ones stay, so that deleted tags keep their name. */
export const tagDefinitionFields = {
  recordId,
  id: id(),
  /** Lower case for users' definitions, upper case for those of the system. */
  name: text(),
  description: text(),
  applicableObjectTypes: json<readonly ObjectType[]>({ audit: null }),
  isActive: flag(),
  createdDate: instant(),
};
export interface UserTagDefinition extends RecordOf<typeof tagDefinitionFields> {}

/** What a tag means and which objects may carry it; defined by the system or by a user (accounts §12). */
export interface TagDefinition
  extends Pick<UserTagDefinition, 'id' | 'name' | 'description' | 'applicableObjectTypes'> {
  /** True for the nine control tags (accounts §13.2). */
  readonly isControlTag: boolean;
}

/** A definition put on an object; a deleted tag stays, inactive. */
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

/** A tag as it is read. */
export interface TagView extends Tag {
  readonly tagDefinitionName: string;
}
