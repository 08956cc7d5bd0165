import type { Texts } from './texts.ts';

/** Descriptions of path segments; a missing one has the text of the property with its name. */
export const pathSegments: Texts = {
  accountEmailId: 'Id of the secondary address, as the audit of the account tells it',
  blockingId: 'Id of the blocking state, as the audit tells it',
  childAccountId: 'Id of the child account',
  creditId: 'Id of the invoice item that is the credit',
  customFieldId: 'Id of the custom field',
  deliveryId: 'Id of the event',
  email: 'The address',
  eventId: 'Id of the event',
  groupId: 'Id of the group, as `Location` of the run gives it',
  invoiceNumber: 'Number of the invoice',
  invoicePaymentId: 'Id that the payment has on its invoice, as the audit tells it',
  itemId: 'Id of an item of the invoice',
  keyName: 'The key',
  keyPrefix: 'How the keys begin',
  locale: 'Language and country, such as `fr_FR`',
  paymentAttemptId: 'Id of the payment attempt, as the audit tells it',
  paymentTransactionId: 'Id of the transaction',
  planName: 'Name of the plan',
  productName: 'Name of the product',
  searchKey: 'What to look for; empty: everything',
  tagDefinitionId: 'Id of the tag definition',
  tenantApiKey: 'Key of the tenant that the notification is for',
  trackingId: 'Tracking id of the record',
  transactionId: 'Id of the transaction',
};
