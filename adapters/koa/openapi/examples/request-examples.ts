import { LINES_TYPE } from '../../routing/body.ts';
import { billingExamples } from './billing-examples.ts';
import { paymentExamples } from './payment-examples.ts';
import { tenantExamples } from './tenant-examples.ts';

/** What is shown of a body in XML, where the example of the operation is in JSON. */
const xmlExamples: Readonly<Record<string, unknown>> = {
  uploadOverdueConfigJson: billingExamples.uploadOverdueConfigXml,
};

/** What the documents show of a body of this type; undefined where nothing is sent. */
export function requestExample(operationId: string, type: string): unknown {
  const example = requestExamples[operationId];
  if (typeof example === 'string') return example;
  if (type === LINES_TYPE) return linesOf(example);
  return type === 'application/json' || type === 'application/x-www-form-urlencoded'
    ? example
    : xmlExamples[operationId];
}

function linesOf(elements: unknown): string {
  return (elements as readonly unknown[]).map((each) => `${JSON.stringify(each)}\n`).join('');
}

/** What the documents show of each body of a request, by operation. The contract tests send it. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  ...billingExamples,
  ...paymentExamples,
  ...tenantExamples,
};
