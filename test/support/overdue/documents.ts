import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** Configuration in XML with these states, and what stands before them. */
export function overdueXml(states: string, before = ''): string {
  return `<overdueConfig><accountOverdueStates>${before}${states}</accountOverdueStates></overdueConfig>`;
}

/** One state in XML. */
export function stateXml(content: string, name = 'S'): string {
  return `<state name="${name}">${content}</state>`;
}

/** One state in XML that is entered by a criterion. */
export function conditionXml(criteria: string): string {
  return stateXml(`<condition>${criteria}</condition>`);
}

/** Configuration in JSON with these states. */
export function overdueJson(states: readonly unknown[], members: object = {}): string {
  return JSON.stringify({ ...members, overdueStates: states });
}

/** A state in JSON that is entered after so many days. */
export function dayState(days: number, name: string, members: object = {}): object {
  const time = { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: days } };
  return { name, condition: time, ...members };
}

/** What a reader reports of a document, each as `line:column message`. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.OVERDUE_INVALID_FOR_TENANT) throw error;
    return (error.problems ?? []).map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}
