import type {
  Leading,
  ObjectRef,
  ObjectType,
  Page,
  PageRequest,
  TaggedType,
  TagView,
} from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Tags on objects. */
export interface TagOperations<C extends Leading = []> {
  /**
   * Puts tags of these definitions on the object, all or none; tags that it already carries stay as they are.
   * @throws BillingError of the object's type when it is unknown; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_NOT_APPLICABLE (3954), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Removes tags of these definitions from the object, all or none; without definitions nothing happens (ruling R26).
   * @throws BillingError of the object's type when it is unknown; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_DOES_NOT_EXIST (3950) for one that it does not carry, TAG_CANNOT_BE_REMOVED (3951) for AUTO_PAY_OFF of
   * an account without default payment method, BUSY (60018).
   */
  remove(
    ...given: [...C, object: Given<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Tags of the object in the order in which they were added. With `accountId`, the object must belong to that account.
   * @throws BillingError of the object's type when it is unknown.
   */
  ofObject(
    ...given: [
      ...C,
      object: Given<ObjectRef<TaggedType>>,
      options?: Given<{ readonly includeDeleted?: boolean; readonly accountId?: Uuid | null }>,
    ]
  ): Promise<readonly TagView[]>;

  /**
   * Tags of the account and of all that belongs to it, of one type of objects or of all.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [
      ...C,
      accountId: Uuid | string,
      options?: Given<{ readonly objectType?: ObjectType | null; readonly includeDeleted?: boolean }>,
    ]
  ): Promise<readonly TagView[]>;

  /** A window of the tenant's active tags. */
  page(...given: [...C, request: PageRequest]): Promise<Page<TagView>>;

  /**
   * A window of the active tags whose id is the key, or that contain the key in their object type or in the name or
   * description of their definition, in any letter case (http-api §8).
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<TagView>>;
}
