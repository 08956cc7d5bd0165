import type { FrequentOperations } from './operations.ts';

/** The short names of frequently used operations. Each is mapped to the group and the full name of its operation. */
export const frequentOperations: Readonly<
  Record<keyof FrequentOperations, readonly [group: string, name: string]>
> = {
  uploadCatalog: ['catalogs', 'upload'],
  createAccount: ['accounts', 'create'],
  updateAccount: ['accounts', 'update'],
  anonymizeAccount: ['accounts', 'anonymize'],
  getAccount: ['accounts', 'get'],
  addPaymentMethod: ['paymentMethods', 'add'],
  createSubscription: ['subscriptions', 'create'],
  getSubscription: ['subscriptions', 'get'],
  recordUsage: ['usage', 'record'],
  generateInvoice: ['invoices', 'generate'],
  getInvoice: ['invoices', 'get'],
  explainOverdue: ['overdue', 'explain'],
};
