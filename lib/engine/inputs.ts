import { accountFields, type CallContext, invoiceItemFields } from '../records/index.ts';
import { inputShapeOf } from '../values/fields/index.ts';
import type { Shape } from '../values/given/index.ts';
import type { StrictOperations } from './engine.ts';

const account = ['accountId', 'uuid'] as const;
const bundle = ['bundleId', 'uuid'] as const;
const subscription = ['subscriptionId', 'uuid'] as const;
const invoice = ['invoiceId', 'uuid'] as const;
const creditNote = ['creditNoteId', 'uuid'] as const;
const item = ['itemId', 'uuid'] as const;

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

const priceOverrides = [
  {
    fixedPrice: 'amount',
    recurringPrice: 'amount',
    usagePrices: [
      {
        tierPrices: [
          {
            blockPrices: [{ max: 'amount', price: 'amount', size: 'amount' }],
            recurringPrice: 'amount',
          },
        ],
      },
    ],
  },
] as const;
const creation = { accountId: 'uuid', bundleId: 'uuid', priceOverrides } as const;
const creationDates = [
  'options',
  { billingDate: 'requestedDate', entitlementDate: 'requestedDate' },
] as const;
const termsChange = ['change', { effectiveFromDate: 'requestedDate' }] as const;

const object = ['object', { id: 'uuid' }] as const;

const { accountId: _, invoiceId: ofInvoice, ...migrationItem } = inputShapeOf(invoiceItemFields);
const manualItems = [
  'request',
  { accountId: 'uuid', items: [{ ...migrationItem, invoiceId: ofInvoice }], requestedDate: 'date' },
] as const;

const ofPayment = { effectiveDate: 'instant', paymentId: 'uuid' } as const;
const paymentAmount = { ...ofPayment, amount: 'amount' } as const;
const newPayment = { ...paymentAmount, accountId: 'uuid', paymentMethodId: 'uuid' } as const;
const comboParties = {
  account: { ...accountInput, accountId: 'uuid' },
  paymentMethod: { paymentMethodId: 'uuid' },
} as const;

/** The ids, dates, instants and amounts that operations accept as text: a name and a shape per parameter. */
export const inputs: Inputs = {
  accounts: {
    create: [['input', accountInput]],
    update: [account, ['update', { changes: accountInput }]],
    anonymize: [account],
    get: [account],
    children: [account],
    balances: [['accountIds', ['uuid']]],
    close: [account, null],
    emails: [account],
    addEmail: [account, null],
    removeEmail: [account, null],
    timeline: [account],
    export: [account],
    rebalanceCredit: [account],
    transferCreditToParent: [['childAccountId', 'uuid']],
  },
  catalogs: {
    current: [account],
    addSimplePlan: [['plan', { amount: 'amount' }]],
    availableBasePlans: [['request', { accountId: 'uuid' }]],
    availableAddOns: [['request', { accountId: 'uuid' }]],
  },
  catalogEntries: {
    create: [['request', { plans: [planTerms] }], scope],
    createPlan: [['plan', planTerms], scope],
    updatePlan: [null, ['update', { ...planTerms, accountId: 'uuid' }]],
    retirePlan: [null, scope],
    deletePlan: [null, scope],
    deleteProduct: [null, scope],
    products: [scope],
    plans: [scope],
    plansOfProduct: [null, scope],
    latestPlan: [null, scope],
    state: [scope],
  },
  subscriptions: {
    create: [['request', creation], creationDates],
    createWithAddOns: [['requests', [creation]], creationDates],
    createBundles: [['groups', [[creation]]], creationDates],
    get: [subscription],
    planAt: [['request', { ...requestedDate, subscriptionId: 'uuid' }]],
    cancel: [subscription, ['options', requestedDate]],
    uncancel: [subscription],
    changePlan: [subscription, ['change', { ...requestedDate, priceOverrides }]],
    undoChangePlan: [subscription],
    changeBillCycleDay: [subscription, termsChange],
    changeQuantity: [subscription, termsChange],
    bundlesOfAccount: [account, ['filter', { bundleIds: ['uuid'] }]],
    pageBundlesOfAccount: [account, null],
  },
  usage: {
    archive: [['request', { before: 'date' }]],
    void: [subscription, null],
    rollUp: [subscription, ['request', { endDate: 'requestedDate', startDate: 'requestedDate' }]],
    rated: [subscription, ['request', { targetDate: 'date' }]],
    unbilled: [subscription, ['request', { endDate: 'requestedDate', startDate: 'requestedDate' }]],
    timeline: [subscription, ['request', { endDate: 'requestedDate', startDate: 'requestedDate' }]],
    rollUpForTransitions: [subscription, ['instants', ['instant']]],
  },
  blocking: {
    add: [object, ['request', requestedDate]],
    pauseBundle: [bundle, ['options', requestedDate]],
    resumeBundle: [bundle, ['options', requestedDate]],
    ofAccount: [account, null],
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
    pageOfAccount: [account, null],
    bundle: [bundle],
    subscription: [subscription],
    timeline: [account],
  },
  creditNotes: {
    get: [creditNote],
    ofInvoice: [invoice],
    pageOfAccount: [account, null],
    html: [creditNote],
    pdf: [creditNote],
  },
  invoices: {
    generate: [['request', { accountId: 'uuid', draftId: 'uuid', targetDate: 'date' }]],
    generateGroup: [['request', { accountId: 'uuid', draftId: 'uuid', targetDate: 'date' }]],
    park: [account, null],
    unpark: [account],
    listGroup: [['request', { accountId: 'uuid', groupId: 'uuid' }]],
    get: [invoice, null],
    getByItem: [item, null],
    html: [invoice],
    pdf: [invoice],
    ofAccount: [['request', { accountId: 'uuid', endDate: 'date', ids: ['uuid'], startDate: 'date' }]],
    pageOfAccount: [account, null],
    trackingIds: [invoice, null],
    writeToLog: [account, null],
    dryRun: [
      [
        'request',
        {
          accountId: 'uuid',
          bundleId: 'uuid',
          effectiveDate: 'requestedDate',
          priceOverrides,
          subscriptionId: 'uuid',
          targetDate: 'date',
        },
      ],
    ],
    explain: [item],
    addCharges: [manualItems],
    addTaxes: [manualItems],
    addCredits: [manualItems],
    getCredit: [item],
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
    commit: [invoice],
    void: [invoice],
    verifyCoverage: [account],
  },
  paymentMethods: {
    add: [['input', { accountId: 'uuid' }]],
    setDefault: [['options', { accountId: 'uuid', paymentMethodId: 'uuid' }]],
    ofAccount: [account, null],
    get: [['paymentMethodId', 'uuid'], null],
    delete: [['input', { paymentMethodId: 'uuid' }]],
    refresh: [['input', { accountId: 'uuid' }]],
  },
  paymentGateways: {
    buildForm: [['input', { accountId: 'uuid', paymentMethodId: 'uuid' }]],
    buildComboForm: [['input', comboParties]],
  },
  payments: {
    authorize: [['input', newPayment]],
    purchase: [['input', newPayment]],
    credit: [['input', newPayment]],
    combo: [['input', { ...comboParties, amount: 'amount', effectiveDate: 'instant' }]],
    capture: [['input', paymentAmount]],
    refund: [['input', paymentAmount]],
    void: [['input', ofPayment]],
    chargeback: [['input', paymentAmount]],
    reverseChargeback: [['input', ofPayment]],
    complete: [['input', { ...paymentAmount, transactionId: 'uuid' }]],
    recordNotifiedOutcome: [['input', { paymentId: 'uuid', transactionId: 'uuid' }]],
    cancelScheduledRetry: [['input', { transactionId: 'uuid' }]],
    fixTransaction: [['input', { paymentId: 'uuid', processedAmount: 'amount', transactionId: 'uuid' }]],
    get: [['paymentId', 'uuid'], null],
    ofTransaction: [['transactionId', 'uuid'], null],
    invoicePayment: [['paymentId', 'uuid'], null],
    ofAccount: [account, null],
    invoicePaymentsOfAccount: [account, null],
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
    complete: [['input', { ...paymentAmount, transactionId: 'uuid' }]],
  },
  overdue: {
    ofAccount: [account],
    preview: [account, ['date', 'date']],
    explain: [account],
  },
  tagDefinitions: {
    get: [['id', 'uuid']],
    delete: [['id', 'uuid']],
  },
  tags: {
    add: [object, ['definitionIds', ['uuid']]],
    remove: [object, ['definitionIds', ['uuid']]],
    ofObject: [object, ['options', { accountId: 'uuid' }]],
    ofAccount: [account, null],
  },
  customFields: {
    add: [object, null],
    modify: [object, ['changes', [{ customFieldId: 'uuid' }]]],
    remove: [object, ['fieldIds', ['uuid']]],
    ofObject: [object],
    ofAccount: [account, null],
  },
  audit: {
    logs: [['targetIds', ['uuid']], null],
    history: [object],
    historyWithin: [account, object],
    ofAccount: [account],
  },
  keyValues: {},
  invoiceTexts: {},
  deliveries: {
    list: [['request', { accountId: 'uuid' }]],
    get: [['deliveryId', 'uuid']],
    sendAgain: [['deliveryId', 'uuid']],
  },
  queues: {
    export: [['request', { accountId: 'uuid', maxDate: 'instant', minDate: 'instant' }]],
    late: [['request', { accountId: 'uuid' }]],
    busy: [['request', { accountId: 'uuid' }]],
    failed: [['request', { accountId: 'uuid', from: 'instant', to: 'instant' }]],
  },
  events: {},
  signingSecrets: {},
  configuration: {},
  monitoring: {
    samples: [['request', { from: 'instant', to: 'instant' }]],
    diagnostic: [['request', { accountId: 'uuid' }]],
  },
};

/** A parameter with values that may be text: its name in errors, and its shape. Errors in an object name its fields. */
type Parameter<T> = [Shape<T>] extends [never] ? null : readonly [name: string, shape: Shape<T>];

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
