import type {
  CustomField,
  FieldedType,
  Leading,
  ObjectRef,
  ObjectType,
  Page,
  PageRequest,
} from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { CustomFieldChange } from './changed-fields.ts';
import type { CustomFieldInput } from './new-fields.ts';

/** Fields that a tenant adds to objects. */
export interface CustomFieldOperations<C extends Leading = []> {
  /**
   * Adds fields to the object, all or none. One name may have several values.
   * @throws BillingError of the object's type when it is unknown; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_ALREADY_EXISTS (9000), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, inputs: Given<readonly CustomFieldInput[]>]
  ): Promise<void>;

  /**
   * Changes values of the object's fields, all or none.
   * @throws BillingError of the object's type when it is unknown; MISSING_OR_INVALID_FIELD (60003),
   * CUSTOM_FIELD_DOES_NOT_EXIST_FOR_ID (9001), CUSTOM_FIELD_INVALID_UPDATE (9002) for another name or a field of another
   * object, CUSTOM_FIELD_ALREADY_EXISTS (9000) where two fields would become equal, BUSY (60018).
   */
  modify(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, changes: Given<readonly CustomFieldChange[]>]
  ): Promise<void>;

  /**
   * Removes these fields of the object, or all of them if none is named; ids that are not the object's are ignored.
   * @throws BillingError of the object's type when it is unknown, BUSY (60018).
   */
  remove(
    ...given: [...C, object: Given<ObjectRef<FieldedType>>, fieldIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /** Fields of the object in the order in which they were added. @throws BillingError of the object's type. */
  ofObject(...given: [...C, object: Given<ObjectRef<FieldedType>>]): Promise<readonly CustomField[]>;

  /**
   * Fields of the account and of all that belongs to it, of one type of objects or of all.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<{ readonly objectType?: ObjectType | null }>]
  ): Promise<readonly CustomField[]>;

  /** A window of the tenant's fields. */
  page(...given: [...C, request: PageRequest]): Promise<Page<CustomField>>;

  /**
   * A window of the fields whose id is the key, or that contain the key in their object id, object type, name or value in
   * any letter case; or that meet the clauses of a key in operator form (accounts §6.2, §11 rule 5).
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<CustomField>>;

  /** A window of the fields on objects of the type with exactly this name and, unless it is null, this value. */
  searchByName(
    ...given: [
      ...C,
      wanted: Given<{
        readonly objectType: ObjectType;
        readonly name: string;
        readonly value?: string | null;
      }>,
      request: PageRequest,
    ]
  ): Promise<Page<CustomField>>;
}
