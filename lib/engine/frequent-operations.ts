import type { FrequentOperations } from './operations.ts';

/** Short names for frequent operations. Each contains the group and full name of its operation. */
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
