import { lockOwningAccount, noSuchObject, owningAccountId } from '../accounts/index.ts';
import type { ReadSession, WriteSession } from '../ports/storage/index.ts';
import {
  CustomFieldObjectType,
  type FieldedAccountObject,
  type FieldedType,
  type ObjectRef,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/**
 * The account to which an object with custom fields belongs. Both ids are null for a coupon, because a coupon belongs
 * to the tenant.
 */
export interface FieldOwner {
  readonly accountId: Uuid | null;
  readonly accountRecordId: number | null;
}

/**
 * Locks the object's account or the coupon, so that changes to its fields run one after another.
 * @throws BillingError with the code of `noSuchObject` for an unknown object, BUSY (60018).
 */
export async function lockOwner(session: WriteSession, object: ObjectRef<FieldedType>): Promise<FieldOwner> {
  if (isOfAccount(object)) {
    const { id: accountId, recordId: accountRecordId } = await lockOwningAccount(session, object);
    return { accountId, accountRecordId };
  }
  const locked = await session.coupons.lockByIds([object.id]);
  if (locked.length === 0) throw noSuchObject(object);
  return { accountId: null, accountRecordId: null };
}

/** Checks that the object exists. @throws BillingError with the code of `noSuchObject` for an unknown object. */
export async function checkExists(session: ReadSession, object: ObjectRef<FieldedType>): Promise<void> {
  if (isOfAccount(object)) {
    await owningAccountId(session, object);
    return;
  }
  const found = await session.coupons.findByIds([object.id]);
  if (found.length === 0) throw noSuchObject(object);
}

function isOfAccount(object: ObjectRef<FieldedType>): object is ObjectRef<FieldedAccountObject> {
  return object.type !== CustomFieldObjectType.COUPON;
}
