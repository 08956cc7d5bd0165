import { enumeration } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Kinds of objects that audit rows, tags and custom fields refer to. */
export const ObjectType = enumeration(
  'ACCOUNT',
  'ACCOUNT_EMAIL',
  'BLOCKING_STATES',
  'BUNDLE',
  'CUSTOM_FIELD',
  'INVOICE',
  'PAYMENT',
  'TRANSACTION',
  'INVOICE_ITEM',
  'INVOICE_PAYMENT',
  'SUBSCRIPTION',
  'SUBSCRIPTION_EVENT',
  'SERVICE_BROADCAST',
  'PAYMENT_ATTEMPT',
  'PAYMENT_METHOD',
  'TAG',
  'TAG_DEFINITION',
  'TENANT',
  'TENANT_KVS',
);
export type ObjectType = keyof typeof ObjectType;

/** Object types of custom fields. Only dialect D has custom fields on coupons. */
export const CustomFieldObjectType = { ...ObjectType, COUPON: 'COUPON' } as const;
export type CustomFieldObjectType = keyof typeof CustomFieldObjectType;

/** One object of a tenant. */
export interface ObjectRef<T extends CustomFieldObjectType = ObjectType> {
  readonly type: T;
  readonly id: Uuid;
}

/**
 * Types of objects that belong to an account and can have custom fields (accounts §11). An invoice payment has the same
 * custom fields as its payment (ruling R15).
 */
export type FieldedAccountObject =
  | typeof ObjectType.ACCOUNT
  | typeof ObjectType.BUNDLE
  | typeof ObjectType.SUBSCRIPTION
  | typeof ObjectType.INVOICE
  | typeof ObjectType.INVOICE_ITEM
  | typeof ObjectType.PAYMENT
  | typeof ObjectType.TRANSACTION
  | typeof ObjectType.PAYMENT_METHOD;

/** All types of objects that can have custom fields: the object types of accounts, and coupons. */
export type FieldedType = FieldedAccountObject | typeof CustomFieldObjectType.COUPON;
