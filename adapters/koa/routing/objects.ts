import { type FieldedType, ObjectType, type TaggedType } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';

/** What the paths and operations of one kind of object are called. */
export interface ObjectResource<T extends ObjectType = ObjectType> {
  /** Path below the core prefix up to the id. */
  readonly path: string;
  readonly idName: string;
  /** Name in operation ids. */
  readonly noun: string;
  /** Where the document shows it; default the first segment of its path. */
  readonly area?: string;
  /** What it is called in summaries, with its article. */
  readonly described: string;
  readonly type: T;
}

export const accountResource: ObjectResource<TaggedType> = {
  path: 'accounts',
  idName: 'accountId',
  noun: 'Account',
  described: 'an account',
  type: ObjectType.ACCOUNT,
};

export const bundleResource: ObjectResource<TaggedType> = {
  path: 'bundles',
  idName: 'bundleId',
  noun: 'Bundle',
  described: 'a bundle',
  type: ObjectType.BUNDLE,
};

export const subscriptionResource: ObjectResource<TaggedType> = {
  path: 'subscriptions',
  idName: 'subscriptionId',
  noun: 'Subscription',
  described: 'a subscription',
  type: ObjectType.SUBSCRIPTION,
};

/** The resources of accounts §11 that carry tags too; an invoice payment's are those of its payment (ruling R15). */
export const taggedResources: readonly ObjectResource<TaggedType>[] = [
  accountResource,
  bundleResource,
  subscriptionResource,
  {
    path: 'invoices',
    idName: 'invoiceId',
    noun: 'Invoice',
    described: 'an invoice',
    type: ObjectType.INVOICE,
  },
  {
    path: 'invoiceItems',
    idName: 'invoiceItemId',
    noun: 'InvoiceItem',
    described: 'an invoice item',
    type: ObjectType.INVOICE_ITEM,
  },
  {
    path: 'payments',
    idName: 'paymentId',
    noun: 'Payment',
    described: 'a payment',
    type: ObjectType.PAYMENT,
  },
  {
    path: 'invoicePayments',
    idName: 'paymentId',
    noun: 'InvoicePayment',
    described: 'the payment of an invoice',
    type: ObjectType.PAYMENT,
  },
  {
    path: 'paymentTransactions',
    idName: 'transactionId',
    noun: 'Transaction',
    described: 'a payment transaction',
    type: ObjectType.TRANSACTION,
  },
];

export const fieldedResources: readonly ObjectResource<FieldedType>[] = [
  ...taggedResources,
  {
    path: 'paymentMethods',
    idName: 'paymentMethodId',
    noun: 'PaymentMethod',
    described: 'a payment method',
    type: ObjectType.PAYMENT_METHOD,
  },
];

/** The object that a call of such a resource names; its id segment has been read as a UUID. */
export function objectOf<T extends ObjectType>(
  { type, idName }: ObjectResource<T>,
  params: Readonly<Record<string, string>>,
): { readonly type: T; readonly id: Uuid } {
  return { type, id: params[idName] as Uuid };
}
