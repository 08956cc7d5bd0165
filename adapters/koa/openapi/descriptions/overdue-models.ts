import type { ModelTexts } from './model-text.ts';

const state = {
  name: 'Name of the state',
  externalMessage: 'What to tell the customer',
  daysBetweenPaymentRetries: 'After how many days each a failed payment is tried again',
  isDisableEntitlementAndChangesBlocked: 'Whether the service is stopped and changes are refused',
  isBlockChanges: 'Whether changes of plan are refused',
  isClearState: 'Whether nothing is overdue in it',
  reevaluationIntervalDays: 'After how many days the account is looked at again',
};

export const overdueModels: ModelTexts = {
  OverdueState: {
    about: 'How overdue an account is, and what follows',
    properties: {
      ...state,
      asOf: 'Day that was asked for',
      isExempt: 'Whether a tag keeps the account from being overdue',
      steps: 'States that the account comes to up to that day, if nothing is paid',
      reasons: 'Why each state holds on that day or does not',
    },
  },
  OverdueStep: {
    about: 'A state that an account comes to',
    properties: { ...state, date: 'Day from which on' },
  },
  OverdueReason: {
    about: 'Why a state holds or does not',
    properties: {
      state: 'Name of the state',
      holds: 'Whether its condition holds',
      text: 'The same in words',
      criteria: 'Parts of the condition',
    },
  },
  OverdueCriterionReason: {
    about: 'Why a part of a condition holds or does not',
    properties: { kind: 'What it looks at', holds: 'Whether it holds', text: 'The same in words' },
  },
  Overdue: {
    about: 'When accounts are overdue, and what follows',
    properties: {
      initialReevaluationInterval: 'After how many days an account that owes is looked at for the first time',
      overdueStates: 'States, the most severe first',
    },
  },
  OverdueStateConfig: {
    about: 'A state: when it holds, and what it does',
    properties: {
      name: 'Name of the state',
      isClearState: 'Whether nothing is overdue in it',
      condition: 'When it holds; null: never by itself',
      externalMessage: 'What to tell the customer',
      isBlockChanges: 'Whether changes of plan are refused',
      isDisableEntitlement: 'Whether the service is stopped',
      subscriptionCancellationPolicy: 'Whether subscriptions are cancelled, and when',
      autoReevaluationIntervalDays: 'After how many days the account is looked at again',
    },
  },
  OverdueCondition: {
    about: 'When a state holds: each part that is given has to',
    properties: {
      timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: 'How old the oldest unpaid invoice is, at least',
      controlTagInclusion: 'Control tag that the account carries',
      controlTagExclusion: 'Control tag that the account does not carry',
      numberOfUnpaidInvoicesEqualsOrExceeds: 'How many invoices are unpaid, at least',
      responseForLastFailedPayment: 'Why the last payment failed: one of these',
      totalUnpaidInvoiceBalanceEqualsOrExceeds: 'What is unpaid in all, at least',
    },
  },
};
