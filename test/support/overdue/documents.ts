import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** Configuration in XML with these states, after the XML in `before`. */
export function overdueXml(states: string, before = ''): string {
  return `<overdueConfig><accountOverdueStates>${before}${states}</accountOverdueStates></overdueConfig>`;
}

export function stateXml(content: string, name = 'S'): string {
  return `<state name="${name}">${content}</state>`;
}

/** An XML state with a criterion. */
export function conditionXml(criteria: string): string {
  return stateXml(`<condition>${criteria}</condition>`);
}

export function overdueJson(states: readonly unknown[], members: object = {}): string {
  return JSON.stringify({ ...members, overdueStates: states });
}

/** A JSON state that begins after this many days. */
export function dayState(days: number, name: string, members: object = {}): object {
  const time = { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: days } };
  return { name, condition: time, ...members };
}

/** The problems of a document, each as `line:column message`. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.OVERDUE_INVALID_FOR_TENANT) throw error;
    return (error.problems ?? []).map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}
