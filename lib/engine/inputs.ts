import { accountFields, type CallContext, EntitlementState, invoiceItemFields } from '../records/index.ts';
import { priceOverrideAmounts } from '../subscriptions/index.ts';
import { inputShapeOf } from '../values/fields/index.ts';
import type { InputShape, Shape } from '../values/host-values/index.ts';
import type { StrictOperations } from './engine.ts';
import { each } from './plain-answers.ts';

/** Accepts the values of an enumeration. */
function oneOf<T extends string>(values: Readonly<Record<T, T>>): ReadonlySet<T> {
  return new Set(Object.values(values));
}

const account = ['accountId', 'uuid'] as const;
const bundle = ['bundleId', 'uuid'] as const;
const subscription = ['subscriptionId', 'uuid'] as const;
const invoice = ['invoiceId', 'uuid'] as const;
const item = ['itemId', 'uuid'] as const;
const ofAccount = [account] as const;
const ofAccountAnd = [account, null] as const;
const ofInvoice = [invoice] as const;
const request = ['request', { accountId: 'uuid' }] as const;

const requestedDate = { requestedDate: 'requestedDate' } as const;

const accountInput = inputShapeOf(accountFields);

const scope = ['options', { accountId: 'uuid' }] as const;
const prices = [{ value: 'amount' }] as const;
const planTerms = {
  effectiveDate: 'instant',
  effectiveDateForExistingSubscriptions: 'instant',
  phases: [
    { fixedPrices: prices, recurringPrices: { prices }, usages: [{ tiers: [{ blocks: [{ prices }] }] }] },
  ],
} as const;

const creation = { accountId: 'uuid', bundleId: 'uuid', priceOverrides: priceOverrideAmounts } as const;
const creationDates = [
  'options',
  { billingDate: 'requestedDate', entitlementDate: 'requestedDate' },
] as const;

const object = ['object', { id: 'uuid' }] as const;

const { accountId: _, invoiceId, ...migrationItem } = inputShapeOf(invoiceItemFields);
const manualItems = [
  'request',
  { accountId: 'uuid', items: [{ ...migrationItem, invoiceId }], requestedDate: 'date' },
] as const;

const ofPayment = { effectiveDate: 'instant', paymentId: 'uuid' } as const;
const paymentAmount = { ...ofPayment, amount: 'amount' } as const;
const completion = [['input', { ...paymentAmount, transactionId: 'uuid' }]] as const;
const comboParties = {
  account: { ...accountInput, accountId: 'uuid' },
  paymentMethod: { paymentMethodId: 'uuid' },
} as const;

/** The ids, dates, instants and amounts that operations accept as text: a name and a shape per parameter. */
export const inputs: Inputs = {
  accounts: {
    create: [['input', accountInput]],
    update: [account, ['update', { changes: accountInput }]],
    ...each(['anonymize', 'get', 'children', 'emails', 'timeline', 'export', 'rebalanceCredit'], ofAccount),
    ...each(['close', 'addEmail', 'removeEmail'], ofAccountAnd),
    balances: [['accountIds', ['uuid']]],
    transferCreditToParent: [['childAccountId', 'uuid']],
  },
  catalogs: {
    current: ofAccount,
    addSimplePlan: [['plan', { amount: 'amount' }]],
    ...each(['availableBasePlans', 'availableAddOns'], [request] as const),
  },
  catalogEntries: {
    create: [['request', { plans: [planTerms] }], scope],
    createPlan: [['plan', planTerms], scope],
    updatePlan: [null, ['update', { ...planTerms, accountId: 'uuid' }]],
    ...each(['retirePlan', 'deletePlan', 'deleteProduct', 'plansOfProduct', 'latestPlan'], [
      null,
      scope,
    ] as const),
    ...each(['products', 'plans', 'state'], [scope] as const),
  },
  subscriptions: {
    create: [['request', creation], creationDates],
    createWithAddOns: [['requests', [creation]], creationDates],
    createBundles: [['groups', [[creation]]], creationDates],
    ...each(['get', 'uncancel', 'undoChangePlan'], [subscription] as const),
    list: [['request', { accountId: 'uuid', states: [['!', oneOf(EntitlementState)]] }]],
    planAt: [['request', { ...requestedDate, subscriptionId: 'uuid' }]],
    preview: [
      [
        'request',
        {
          ...creation,
          ...creationDates[1],
          ...requestedDate,
          effectiveFromDate: 'requestedDate',
          subscriptionId: 'uuid',
        },
      ],
    ],
    cancel: [subscription, ['options', requestedDate]],
    changePlan: [subscription, ['change', { ...requestedDate, priceOverrides: priceOverrideAmounts }]],
    ...each(['changeBillCycleDay', 'changeQuantity'], [
      subscription,
      ['change', { effectiveFromDate: 'requestedDate' }],
    ] as const),
    bundlesOfAccount: [account, ['filter', { bundleIds: ['uuid'] }]],
    pageBundlesOfAccount: ofAccountAnd,
  },
  usage: {
    archive: [['request', { before: 'date' }]],
    void: [subscription, null],
    rated: [subscription, ['request', { targetDate: 'date' }]],
    ...each(['rollUp', 'unbilled', 'timeline'], [
      subscription,
      ['request', { endDate: 'requestedDate', startDate: 'requestedDate' }],
    ] as const),
    rollUpForTransitions: [subscription, ['instants', ['instant']]],
  },
  blocking: {
    add: [object, ['request', requestedDate]],
    ...each(['pauseBundle', 'resumeBundle'], [bundle, ['options', requestedDate]] as const),
    ofAccount: ofAccountAnd,
  },
  bundles: {
    get: [bundle],
    renameKey: [bundle, null],
    transfer: [
      bundle,
      ['request', { ...requestedDate, accountId: 'uuid', subscriptions: [{ subscriptionId: 'uuid' }] }],
    ],
  },
  outlines: {
    ofAccount: [account, ['filter', { bundleIds: ['uuid'] }]],
    pageOfAccount: ofAccountAnd,
    bundle: [bundle],
    subscription: [subscription],
    timeline: ofAccount,
  },
  creditNotes: {
    ...each(['get', 'html', 'pdf'], [['creditNoteId', 'uuid']] as const),
    ofInvoice,
    pageOfAccount: ofAccountAnd,
  },
  invoices: {
    ...each(['generate', 'generateGroup'], [
      ['request', { accountId: 'uuid', draftId: 'uuid', targetDate: 'date' }],
    ] as const),
    ...each(['unpark', 'verifyCoverage'], ofAccount),
    ...each(['park', 'pageOfAccount', 'writeToLog'], ofAccountAnd),
    listGroup: [['request', { accountId: 'uuid', groupId: 'uuid' }]],
    ...each(['html', 'pdf', 'commit', 'void'], ofInvoice),
    ...each(['get', 'trackingIds'], [invoice, null] as const),
    getByItem: [item, null],
    ...each(['explain', 'getCredit'], [item] as const),
    ofAccount: [['request', { accountId: 'uuid', endDate: 'date', ids: ['uuid'], startDate: 'date' }]],
    dryRun: [
      [
        'request',
        {
          accountId: 'uuid',
          bundleId: 'uuid',
          effectiveDate: 'requestedDate',
          priceOverrides: priceOverrideAmounts,
          subscriptionId: 'uuid',
          targetDate: 'date',
        },
      ],
    ],
    upcoming: [request],
    ...each(['addCharges', 'addTaxes', 'addCredits'], [manualItems] as const),
    adjustItem: [
      [
        'request',
        {
          accountId: 'uuid',
          amount: 'amount',
          invoiceId: 'uuid',
          invoiceItemId: 'uuid',
          requestedDate: 'date',
        },
      ],
    ],
    deleteCredit: [['request', { accountId: 'uuid', invoiceId: 'uuid', invoiceItemId: 'uuid' }]],
    createMigrationInvoice: [['request', { accountId: 'uuid', items: [migrationItem], targetDate: 'date' }]],
  },
  paymentMethods: {
    ...each(['add', 'refresh'], [['input', { accountId: 'uuid' }]] as const),
    setDefault: [['options', { accountId: 'uuid', paymentMethodId: 'uuid' }]],
    ofAccount: ofAccountAnd,
    get: [['paymentMethodId', 'uuid'], null],
    delete: [['input', { paymentMethodId: 'uuid' }]],
  },
  paymentGateways: {
    buildForm: [['input', { accountId: 'uuid', paymentMethodId: 'uuid' }]],
    buildComboForm: [['input', comboParties]],
  },
  payments: {
    ...each(['authorize', 'purchase', 'credit'], [
      ['input', { ...paymentAmount, accountId: 'uuid', paymentMethodId: 'uuid' }],
    ] as const),
    combo: [['input', { ...comboParties, amount: 'amount', effectiveDate: 'instant' }]],
    ...each(['capture', 'refund', 'chargeback'], [['input', paymentAmount]] as const),
    ...each(['void', 'reverseChargeback'], [['input', ofPayment]] as const),
    complete: completion,
    recordNotifiedOutcome: [['input', { paymentId: 'uuid', transactionId: 'uuid' }]],
    cancelScheduledRetry: [['input', { transactionId: 'uuid' }]],
    fixTransaction: [['input', { paymentId: 'uuid', processedAmount: 'amount', transactionId: 'uuid' }]],
    ...each(['get', 'invoicePayment'], [['paymentId', 'uuid'], null] as const),
    ofTransaction: [['transactionId', 'uuid'], null],
    ...each(['ofAccount', 'invoicePaymentsOfAccount'], ofAccountAnd),
    invoicePaymentsOfInvoice: [invoice, null],
  },
  invoicePayments: {
    pay: [['input', { accountId: 'uuid', amount: 'amount', invoiceId: 'uuid', paymentMethodId: 'uuid' }]],
    payAll: [['input', { accountId: 'uuid', amount: 'amount', paymentMethodId: 'uuid', targetDate: 'date' }]],
    refund: [
      [
        'input',
        {
          ...paymentAmount,
          adjustments: [{ amount: 'amount', invoiceItemId: 'uuid' }],
          paymentMethodId: 'uuid',
        },
      ],
    ],
    chargeback: [['input', paymentAmount]],
    reverseChargeback: [['input', ofPayment]],
    complete: completion,
  },
  overdue: {
    ...each(['ofAccount', 'explain'], ofAccount),
    preview: [account, ['date', 'date']],
  },
  tagDefinitions: each(['get', 'delete'], [['id', 'uuid']] as const),
  tags: {
    ...each(['add', 'remove'], [object, ['definitionIds', ['uuid']]] as const),
    ofObject: [object, scope],
    ofAccount: ofAccountAnd,
  },
  customFields: {
    add: [object, null],
    modify: [object, ['changes', [{ customFieldId: 'uuid' }]]],
    remove: [object, ['fieldIds', ['uuid']]],
    ofObject: [object],
    ofAccount: ofAccountAnd,
  },
  audit: {
    logs: [['targetIds', ['uuid']], null],
    history: [object],
    historyWithin: [account, object],
    ofAccount,
  },
  keyValues: {},
  invoiceTexts: {},
  deliveries: {
    list: [request],
    ...each(['get', 'sendAgain'], [['deliveryId', 'uuid']] as const),
  },
  queues: {
    export: [['request', { accountId: 'uuid', maxDate: 'instant', minDate: 'instant' }]],
    ...each(['late', 'busy'], [request] as const),
    failed: [['request', { accountId: 'uuid', from: 'instant', to: 'instant' }]],
  },
  events: {},
  signingSecrets: {},
  configuration: {},
  monitoring: {
    samples: [['request', { from: 'instant', to: 'instant' }]],
    diagnostic: [request],
  },
};

/** A parameter with values that may be text: its name in errors, and its shape. Errors in an object name its fields. */
type Parameter<T> = [Shape<T>] extends [never] ? null : readonly [name: string, shape: InputShape<T>];

type ParametersOf<O> = O extends (context: CallContext, ...input: infer P) => unknown
  ? { readonly [I in keyof P]-?: Parameter<P[I]> }
  : never;

type ConvertedParameters<O> = Exclude<ParametersOf<O>[keyof ParametersOf<O> & number], null>;

/** The parameters of each operation that accepts a value as text. */
export type Inputs = {
  readonly [G in keyof StrictOperations]: {
    readonly [N in keyof StrictOperations[G] as [ConvertedParameters<StrictOperations[G][N]>] extends [never]
      ? never
      : N]: ParametersOf<StrictOperations[G][N]>;
  };
};
