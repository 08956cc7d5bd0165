import type { Uuid } from '../values/ids/index.ts';

/** Kinds of objects that audit rows, tags and custom fields refer to (json-models §1). */
export const ObjectType = {
  ACCOUNT: 'ACCOUNT',
  ACCOUNT_EMAIL: 'ACCOUNT_EMAIL',
  BLOCKING_STATES: 'BLOCKING_STATES',
  BUNDLE: 'BUNDLE',
  CUSTOM_FIELD: 'CUSTOM_FIELD',
  INVOICE: 'INVOICE',
  PAYMENT: 'PAYMENT',
  TRANSACTION: 'TRANSACTION',
  INVOICE_ITEM: 'INVOICE_ITEM',
  INVOICE_PAYMENT: 'INVOICE_PAYMENT',
  SUBSCRIPTION: 'SUBSCRIPTION',
  SUBSCRIPTION_EVENT: 'SUBSCRIPTION_EVENT',
  SERVICE_BROADCAST: 'SERVICE_BROADCAST',
  PAYMENT_ATTEMPT: 'PAYMENT_ATTEMPT',
  PAYMENT_METHOD: 'PAYMENT_METHOD',
  TAG: 'TAG',
  TAG_DEFINITION: 'TAG_DEFINITION',
  TENANT: 'TENANT',
  TENANT_KVS: 'TENANT_KVS',
} as const;
export type ObjectType = (typeof ObjectType)[keyof typeof ObjectType];

/** One object of a tenant. */
export interface ObjectRef<T extends ObjectType = ObjectType> {
  readonly type: T;
  readonly id: Uuid;
}

/** Objects that carry custom fields (accounts §11); an invoice payment has those of its payment (ruling R15). */
export type FieldedType =
  | typeof ObjectType.ACCOUNT
  | typeof ObjectType.BUNDLE
  | typeof ObjectType.SUBSCRIPTION
  | typeof ObjectType.INVOICE
  | typeof ObjectType.INVOICE_ITEM
  | typeof ObjectType.PAYMENT
  | typeof ObjectType.TRANSACTION
  | typeof ObjectType.PAYMENT_METHOD;
