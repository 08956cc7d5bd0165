import { billingExamples } from './billing-examples.ts';
import { paymentExamples } from './payment-examples.ts';
import { tenantExamples } from './tenant-examples.ts';

/** What the documents show of each body of a request, by operation. The contract tests send it. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  ...billingExamples,
  ...paymentExamples,
  ...tenantExamples,
};
