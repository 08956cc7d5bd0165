import type { Texts } from './texts.ts';

/**
 * Descriptions of path segments. A segment without an entry uses the description of the property with the same name.
 */
export const pathSegments: Texts = {
  accountEmailId: "Id of the secondary email address, from the account's audit log",
  blockingId: 'Id of the blocking state, from the audit log',
  childAccountId: 'Id of the child account',
  couponCode: 'Code of the coupon; case does not matter',
  creditId: "Id of the credit's invoice item",
  customFieldId: 'Id of the custom field',
  deliveryId: 'Id of the event or of the delivery',
  email: 'The email address',
  eventId: 'Id of the event',
  group: 'Group of the operation, such as `invoices`',
  groupId: 'Id of the invoice group, from the `Location` header of the run',
  invoiceNumber: 'Number of the invoice',
  invoicePaymentId: 'Id of the link between payment and invoice, from the audit log',
  itemId: 'Id of an item of the invoice',
  keyName: 'The key',
  keyPrefix: 'Prefix of the keys',
  locale: 'Language and country, such as `fr_FR`',
  operation: 'Name of the operation, such as `create`',
  page: 'Name of the page, from `/llms.txt`',
  paymentAttemptId: 'Id of the payment attempt, from the audit log',
  paymentTransactionId: 'Id of the transaction',
  planName: 'Name of the plan',
  productName: 'Name of the product',
  query: 'Name of the operation, such as `get`',
  redemptionId: 'Id of the redemption',
  searchKey: 'Search term; an empty term matches everything',
  tagDefinitionId: 'Id of the tag definition',
  tenantApiKey: 'API key of the tenant that receives the notification',
  trackingId: 'Tracking id of the record',
  transactionId: 'Id of the transaction',
};
