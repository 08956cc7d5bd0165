/** Ids that examples show, by what they are ids of. */
export const exampleIds = {
  accountId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c01',
  bundleId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c02',
  subscriptionId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c03',
  invoiceId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c04',
  invoiceItemId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c05',
  paymentId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c06',
  customFieldId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c07',
  tenantId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c08',
  tagDefinitionId: '0190c5a2-7c1e-7f30-9a4b-2d6e8f1a3c09',
} as const;
