import { f, type RecordOf } from '../values/fields/index.ts';
import type { FieldedAccountObject, ObjectType } from './object-type.ts';

/**
 * Types of objects that can have tags. These are all objects of accounts with custom fields, except payment methods
 * (accounts §13.1).
 */
export type TaggedType = Exclude<FieldedAccountObject, typeof ObjectType.PAYMENT_METHOD>;

/**
 * A tag definition that a user created. Deleted definitions become inactive, so that deleted tags still have a name.
 */
export const tagDefinitionFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Name, in lower case for user definitions and in upper case for system definitions. */
  name: f.text(),
  description: f.text(),
  applicableObjectTypes: f.json<readonly ObjectType[]>({ audit: null }),
  isActive: f.flag(),
  createdDate: f.instant(),
};
export interface UserTagDefinition extends RecordOf<typeof tagDefinitionFields> {}

/** A tag definition of the system or of a user (accounts §12). */
export interface TagDefinition
  extends Pick<UserTagDefinition, 'id' | 'name' | 'description' | 'applicableObjectTypes'> {
  /** True for the nine control tags (accounts §13.2). */
  readonly isControlTag: boolean;
}

/** A tag on an object. Deleted tags become inactive. */
export const tagFields = {
  recordId: f.recordId,
  id: f.id(),
  objectType: f.code<TaggedType>(),
  objectId: f.id(),
  tagDefinitionId: f.id(),
  accountRecordId: f.bigint(),
  isActive: f.flag(),
  createdDate: f.instant(),
};
export interface Tag extends RecordOf<typeof tagFields> {}

/** A tag with the name of its definition. */
export interface TagView extends Tag {
  readonly tagDefinitionName: string;
}
