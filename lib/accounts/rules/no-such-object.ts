import { CustomFieldObjectType, type ObjectRef, ObjectType } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';

/** Error codes for unknown ids by object type (http-api §12). */
const codes: Partial<Readonly<Record<CustomFieldObjectType, ErrorCode>>> = {
  [ObjectType.ACCOUNT]: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  [ObjectType.BUNDLE]: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
  [ObjectType.SUBSCRIPTION]: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  [ObjectType.INVOICE]: ErrorCode.INVOICE_NOT_FOUND,
  [ObjectType.INVOICE_ITEM]: ErrorCode.INVOICE_ITEM_NOT_FOUND,
  [ObjectType.INVOICE_PAYMENT]: ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
  [ObjectType.PAYMENT]: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  [ObjectType.TRANSACTION]: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  [ObjectType.PAYMENT_METHOD]: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
  [ObjectType.TAG_DEFINITION]: ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
  [CustomFieldObjectType.COUPON]: ErrorCode.COUPON_NOT_FOUND,
};

/**
 * Returns the error for an unknown id. The error code depends on the object type. Types without their own code use
 * OBJECT_NOT_FOUND (60007).
 */
export function noSuchObject({ type, id }: ObjectRef<CustomFieldObjectType>): BillingError {
  const name = type.toLowerCase().replaceAll('_', ' ');
  return billingError(
    codes[type] ?? ErrorCode.OBJECT_NOT_FOUND,
    `${name.charAt(0).toUpperCase()}${name.slice(1)} does not exist for id ${id}`,
    { objectType: type, objectId: id },
  );
}
