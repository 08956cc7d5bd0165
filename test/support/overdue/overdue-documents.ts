/** A span in a configuration; a number means days. */
export type Span = number | { readonly unit: string; readonly number: number };

/** A state of a configuration in short form. Missing criteria are omitted from the document. */
export interface StateParts {
  readonly name: string;
  readonly time?: Span;
  readonly count?: number;
  readonly total?: number | string;
  readonly responses?: readonly string[];
  readonly tagIn?: string;
  readonly tagOut?: string;
  readonly blocksChanges?: true;
  readonly disables?: true;
  readonly policy?: 'NONE' | 'IMMEDIATE' | 'END_OF_TERM';
  readonly every?: Span;
  readonly message?: string;
}

/** The states from the most to the least severe, and the initial check interval. */
export interface ConfigParts {
  readonly initial?: Span;
  readonly states: readonly StateParts[];
}

/** The configuration as a document (overdue §1.4). */
export function overdueXml({ initial, states }: ConfigParts): string {
  const inner = states.map(
    (state) =>
      `<state name="${state.name}"><condition>${conditionXml(state)}</condition>` +
      text('externalMessage', state.message) +
      text('blockChanges', state.blocksChanges) +
      text('disableEntitlementAndChangesBlocked', state.disables) +
      text('subscriptionCancellationPolicy', state.policy) +
      span('autoReevaluationInterval', state.every) +
      '</state>',
  );
  const body = span('initialReevaluationInterval', initial) + inner.join('');
  return `<overdueConfig><accountOverdueStates>${body}</accountOverdueStates></overdueConfig>`;
}

function conditionXml(state: StateParts): string {
  const responses = state.responses?.map((each) => `<response>${each}</response>`).join('');
  return [
    span('timeSinceEarliestUnpaidInvoiceEqualsOrExceeds', state.time),
    text('controlTagInclusion', state.tagIn),
    text('controlTagExclusion', state.tagOut),
    text('numberOfUnpaidInvoicesEqualsOrExceeds', state.count),
    text('responseForLastFailedPaymentIn', responses),
    text('totalUnpaidInvoiceBalanceEqualsOrExceeds', state.total),
  ].join('');
}

function span(element: string, value: Span | undefined): string {
  if (value === undefined) return '';
  const { unit, number } = typeof value === 'number' ? { unit: 'DAYS', number: value } : value;
  return `<${element}><unit>${unit}</unit><number>${number}</number></${element}>`;
}

function text(element: string, value: string | number | true | undefined): string {
  return value === undefined ? '' : `<${element}>${value}</${element}>`;
}

/** The configurations of the worked examples (overdue §12). */
export const CONFIG_A = overdueXml({
  initial: 30,
  states: [
    { name: 'OD3', time: 50, disables: true },
    { name: 'OD2', time: 40, disables: true, every: 10 },
    { name: 'OD1', time: 30, blocksChanges: true, every: 10 },
  ],
});

/** Config B; example 11 uses it with a cancellation policy. */
export const configB = (policy: 'NONE' | 'IMMEDIATE' | 'END_OF_TERM' = 'NONE'): string =>
  overdueXml({ initial: 5, states: [{ name: 'OD1', time: 5, blocksChanges: true, every: 5, policy }] });

export const CONFIG_C = overdueXml({
  initial: 5,
  states: [
    { name: 'CANCELLATION', time: 11, policy: 'IMMEDIATE' },
    { name: 'BLOCKED', time: 7, disables: true, every: 4 },
    { name: 'WARNING', time: 5, blocksChanges: true, every: 2 },
  ],
});

export const CONFIG_D = overdueXml({
  initial: 10,
  states: [
    { name: 'OD3', time: 26, disables: true },
    { name: 'OD2', time: 18, disables: true, every: 8 },
    { name: 'OD1', time: 10, blocksChanges: true, every: 8 },
  ],
});
