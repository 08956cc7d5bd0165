import {
  type CustomFieldObjectType,
  type FieldedAccountObject,
  ObjectType,
  type TaggedType,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';

/** The path and the operation names for a kind of object. */
export interface ObjectResource<T extends CustomFieldObjectType = ObjectType> {
  /** The part of the path between the core prefix and the id. */
  readonly path: string;
  readonly idName: string;
  readonly noun: string;
  /** Area of the OpenAPI document that lists the routes. Defaults to the first segment of the path. */
  readonly area?: string;
  /** The name with an article, such as `an invoice item`. Used in summaries. */
  readonly described: string;
  readonly type: T;
}

/**
 * Returns the resource of an object type. For example, `invoiceItem` has the path
 * `invoiceItems/{invoiceItemId}`, the name `InvoiceItem` and the text `an invoice item`.
 */
export function resource<T extends CustomFieldObjectType>(
  name: string,
  type: T,
  differing: Partial<ObjectResource<T>> = {},
): ObjectResource<T> {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return {
    path: `${name}s`,
    idName: `${name}Id`,
    noun: name.charAt(0).toUpperCase() + name.slice(1),
    described: `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`,
    type,
    ...differing,
  };
}

export const accountResource = resource<TaggedType>('account', ObjectType.ACCOUNT);
export const bundleResource = resource<TaggedType>('bundle', ObjectType.BUNDLE);
export const subscriptionResource = resource<TaggedType>('subscription', ObjectType.SUBSCRIPTION);

/**
 * The resources of accounts §11 that can have tags. An invoice payment has the same tags as its payment (ruling R15).
 */
export const taggedResources: readonly ObjectResource<TaggedType>[] = [
  accountResource,
  bundleResource,
  subscriptionResource,
  resource('invoice', ObjectType.INVOICE),
  resource('invoiceItem', ObjectType.INVOICE_ITEM),
  resource('payment', ObjectType.PAYMENT),
  resource('invoicePayment', ObjectType.PAYMENT, {
    idName: 'paymentId',
    described: 'the payment of an invoice',
  }),
  resource('paymentTransaction', ObjectType.TRANSACTION, { idName: 'transactionId', noun: 'Transaction' }),
];

/**
 * The resources that can have custom fields. Coupons can have them too, but their routes are elsewhere (coupons §6).
 */
export const fieldedResources: readonly ObjectResource<FieldedAccountObject>[] = [
  ...taggedResources,
  resource('paymentMethod', ObjectType.PAYMENT_METHOD),
];

export function objectOf<T extends ObjectType>(
  { type, idName }: ObjectResource<T>,
  params: Readonly<Record<string, string>>,
): { readonly type: T; readonly id: Uuid } {
  return { type, id: params[idName] as Uuid };
}
