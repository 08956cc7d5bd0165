import { AuditLevel } from '../../audit/index.ts';
import { DocumentTextKind } from '../../invoicing/index.ts';
import { Granularity } from '../../monitoring/index.ts';
import { OverdueFormat } from '../../overdue/index.ts';
import {
  BlockingStateType,
  type CallContext,
  CustomFieldObjectType,
  EInvoiceFormat,
  EInvoiceProfile,
  EntitlementState,
  InvoiceStatus,
  ObjectType,
  ProductCategory,
} from '../../records/index.ts';
import { OnDuplicate, UnknownUnitPolicy, UsageGranularity } from '../../usage/index.ts';
import type { InputShape } from '../../values/host-values/index.ts';
import { BillingPeriod, TimeUnit } from '../../values/time/index.ts';
import type { StrictOperations } from '../engine.ts';
import { each } from '../plain-answers.ts';
import {
  account,
  accountInput,
  anyObject,
  bundle,
  bundleFilter,
  cancellation,
  cancellationDefault,
  chosenEntries,
  comboParties,
  completion,
  couponMembers,
  creation,
  creationDates,
  document,
  dryRun,
  externalKey,
  fielded,
  fieldPage,
  id,
  invoice,
  item,
  key,
  manualItems,
  migrationItems,
  must,
  objectType,
  ofAccount,
  ofInvoice,
  ofPayment,
  oneOf,
  orNull,
  page,
  pageBounds,
  pageOfAccount,
  paymentAmount,
  paymentMethod,
  paymentPage,
  paymentRead,
  planChange,
  planTerms,
  pluginCall,
  quantityChange,
  queueLook,
  requestedDate,
  scope,
  search,
  seller,
  subscription,
  tagged,
  texts,
  transfer,
  usageBounds,
  withChildrenItems,
} from './input-shapes.ts';

const code = ['code', 'text'] as const;
const planName = ['planName', 'text'] as const;
const creditNote = ['creditNoteId', 'uuid'] as const;
const documentOptions = ['options?', { onMissingSeller: 'any' }] as const;
const productName = ['productName', 'text'] as const;
const eInvoice = { format: must(oneOf(EInvoiceFormat)), profile: orNull(oneOf(EInvoiceProfile)) } as const;
const documentText = { kind: must(oneOf(DocumentTextKind)), locale: 'text' } as const;

/**
 * The parameters of each operation: a name and a shape. A parameter whose name ends with `?` may be absent, for
 * example because the operation throws its own error if it is missing.
 */
export const inputs: Inputs = {
  accounts: {
    create: [['input', accountInput]],
    update: [account, ['update', { changes: must(accountInput), treatNullAsReset: 'flag' }]],
    ...each(['anonymize', 'get', 'children', 'emails', 'timeline', 'export', 'rebalanceCredit'], ofAccount),
    close: [
      account,
      [
        'options?',
        {
          cancelAllSubscriptions: 'flag',
          itemAdjustUnpaidInvoices: 'flag',
          removeFutureNotifications: 'flag',
          writeOffUnpaidInvoices: 'flag',
        },
      ],
    ],
    ...each(['addEmail', 'removeEmail'], [account, ['email', 'text']] as const),
    getByKey: [externalKey],
    findExactly: [key],
    page: [page],
    search,
    ...each(['balances', 'list'], [['accountIds', [id]]] as const),
    transferCreditToParent: [['childAccountId', 'uuid']],
  },
  catalogs: {
    ...each(['upload', 'sync', 'validate', 'changeReport'], [document] as const),
    current: [['accountId?', 'uuid']],
    addSimplePlan: [
      [
        'plan',
        {
          amount: 'amount',
          availableBaseProducts: texts,
          billingPeriod: oneOf(BillingPeriod),
          currency: 'text',
          planId: 'text',
          productCategory: oneOf(ProductCategory),
          productName: 'text',
          trialLength: 'number',
          trialTimeUnit: oneOf(TimeUnit),
        },
      ],
    ],
    availableBasePlans: [scope],
    availableAddOns: [
      ['request', { accountId: 'uuid', baseProductName: must('text'), priceListName: 'text' }],
    ],
  },
  catalogEntries: {
    create: [['request', { plans: [must(planTerms)] }], scope],
    createPlan: [['plan', planTerms], scope],
    updatePlan: [planName, ['update', { ...planTerms, accountId: 'uuid' }]],
    ...each(['retirePlan', 'latestPlan'], [planName, scope] as const),
    plansOfProduct: [productName, scope],
    deletePlan: [planName, ['options', { accountId: 'uuid', allVersions: 'flag', force: 'flag' }]],
    deleteProduct: [productName, ['options', { accountId: 'uuid', deleteAllPlans: 'flag', force: 'flag' }]],
    ...each(['products', 'plans', 'state'], [scope] as const),
  },
  subscriptions: {
    create: [
      ['request?', creation],
      ['options?', creationDates],
    ],
    createWithAddOns: [
      ['requests?', [creation]],
      ['options?', creationDates],
    ],
    createBundles: [
      ['groups', [[creation]]],
      ['options?', creationDates],
    ],
    ...each(['get', 'uncancel', 'undoChangePlan'], [subscription] as const),
    getByKey: [externalKey],
    list: [['request', { accountId: id, states: [must(oneOf(EntitlementState))] }]],
    planAt: [['request', { ...requestedDate, subscriptionId: id }]],
    preview: [
      [
        'request?',
        {
          ...creation,
          ...creationDates,
          ...cancellation,
          ...quantityChange,
          change: 'text',
          subscriptionId: 'uuid',
        },
      ],
    ],
    cancel: [subscription, ['options?', { ...cancellation, ...cancellationDefault }]],
    changePlan: [subscription, ['change', planChange]],
    ...each(['changeBillCycleDay', 'changeQuantity'], [subscription, ['change', quantityChange]] as const),
    bundlesOfAccount: [account, bundleFilter],
    pageBundlesOfAccount: pageOfAccount,
  },
  coupons: {
    create: [['input', { ...couponMembers, code: must('text') }]],
    update: [code, ['change', couponMembers]],
    get: [code],
    page: [page],
    redeem: [
      [
        'request',
        {
          accountId: 'uuid',
          code: must('text'),
          from: 'requestedDate',
          rebill: 'flag',
          subscriptionId: 'uuid',
        },
      ],
    ],
    remove: [
      ['redemptionId', 'uuid'],
      ['options?', { at: 'requestedDate', rebill: 'flag' }],
    ],
    ofAccount,
    ofSubscription: [subscription],
  },
  usage: {
    archive: [['request', { before: must('date') }]],
    record: [
      ['usage', 'any'],
      ['options?', { onDuplicate: oneOf(OnDuplicate), defaultUnknownUnitPolicy: oneOf(UnknownUnitPolicy) }],
    ],
    recordAll: [
      ['lines', 'iterable'],
      ['options?', { listsAll: 'flag', defaultUnknownUnitPolicy: oneOf(UnknownUnitPolicy) }],
    ],
    void: [subscription, ['trackingId', 'text']],
    rated: [subscription, ['request?', { targetDate: 'date' }]],
    ...each(['rollUp', 'unbilled'], [subscription, ['request', usageBounds]] as const),
    timeline: [subscription, ['request', { ...usageBounds, granularity: oneOf(UsageGranularity) }]],
    rollUpForTransitions: [subscription, ['instants', [must('instant')]]],
  },
  features: {
    of: [['request', { accountId: id, at: 'instant' }]],
    can: [account, ['feature', 'text'], ['amount?', 'amount']],
    explain: [['request', { accountId: id, feature: must('text'), at: 'instant' }]],
    consume: [
      [
        'request',
        { accountId: id, feature: must('text'), amount: 'amount', key: orNull('text'), at: 'instant' },
      ],
    ],
    release: [['request', { accountId: id, feature: must('text'), key: must('text') }]],
    override: [
      [
        'request',
        {
          accountId: id,
          subscriptionId: 'uuid',
          feature: must('text'),
          value: must('any'),
          from: 'instant',
          until: 'instant',
          reason: orNull('text'),
        },
      ],
    ],
    endOverride: [
      ['overrideId', 'uuid'],
      ['target?', { accountId: id, feature: must('text') }],
    ],
  },
  blocking: {
    add: [
      ['object', { id, type: must(oneOf(BlockingStateType)) }],
      [
        'request',
        {
          ...requestedDate,
          isBlockBilling: 'flag',
          isBlockChange: 'flag',
          isBlockEntitlement: 'flag',
          service: 'text',
          stateName: 'text',
        },
      ],
    ],
    ...each(['pauseBundle', 'resumeBundle'], [bundle, ['options?', requestedDate]] as const),
    ofAccount: [
      account,
      ['options?', { services: orNull(texts), types: orNull([must(oneOf(BlockingStateType))]) }],
    ],
  },
  bundles: {
    get: [bundle],
    ...each(['getByKey', 'allOfKey'], [externalKey] as const),
    page: [page],
    search,
    renameKey: [bundle, ['externalKey?', 'text']],
    transfer: [bundle, ['request', transfer]],
  },
  outlines: {
    ofAccount: [account, bundleFilter],
    pageOfAccount,
    page: [page],
    search,
    bundle: [bundle],
    ...each(['bundleByKey', 'allOfKey', 'subscriptionByKey'], [externalKey] as const),
    subscription: [subscription],
    timeline: ofAccount,
  },
  creditNotes: {
    get: [creditNote],
    ...each(['html', 'pdf'], [creditNote, documentOptions] as const),
    eInvoice: [['request', { ...eInvoice, creditNoteId: id }]],
    ofInvoice,
    pageOfAccount,
  },
  invoices: {
    ...each(['generate', 'generateGroup'], [
      [
        'request',
        { acceptBounds: 'flag', accountId: id, draftId: 'uuid', reuseDraft: 'flag', targetDate: 'date' },
      ],
    ] as const),
    ...each(['unpark', 'verifyCoverage'], ofAccount),
    park: [account, ['options?', { reason: 'text' }]],
    writeToLog: [account, ['options?', { type: 'text' }]],
    ...each(['page', 'parked', 'generateForParked'], [page] as const),
    pageOfAccount,
    search,
    listGroup: [['request', { accountId: id, groupId: id, withChildrenItems: 'flag' }]],
    ...each(['html', 'pdf'], [invoice, documentOptions] as const),
    ...each(['commit', 'void'], ofInvoice),
    eInvoice: [['request', { ...eInvoice, invoiceId: id }]],
    eInvoiceDeliveries: ofInvoice,
    resendEInvoice: [['deliveryId', 'uuid']],
    setNote: [['request', { invoiceId: id, note: 'text' }]],
    get: [invoice, withChildrenItems],
    getByNumber: [['invoiceNumber', 'number'], withChildrenItems],
    trackingIds: [invoice, page],
    getByItem: [item, withChildrenItems],
    ...each(['explain', 'getCredit'], [item] as const),
    ofAccount: [
      [
        'request',
        {
          accountId: id,
          endDate: 'date',
          ids: orNull([id]),
          includeVoided: 'flag',
          startDate: 'date',
          statuses: orNull([must(oneOf(InvoiceStatus))]),
          unpaidOnly: 'flag',
          withItems: 'flag',
          withMigration: 'flag',
        },
      ],
    ],
    dryRun: [dryRun],
    upcoming: [['request', { accountId: id }]],
    ...each(['addCharges', 'addTaxes', 'addCredits'], [manualItems] as const),
    adjustItem: [
      [
        'request',
        {
          accountId: id,
          amount: 'amount',
          currency: 'text',
          description: 'text',
          invoiceId: id,
          invoiceItemId: id,
          itemDetails: 'text',
          requestedDate: 'date',
        },
      ],
    ],
    deleteCredit: [['request', { accountId: id, invoiceId: id, invoiceItemId: id }]],
    createMigrationInvoice: [['request', { accountId: id, items: must(migrationItems), targetDate: 'date' }]],
  },
  paymentMethods: {
    add: [
      [
        'input',
        { ...paymentMethod, isDefault: 'flag', payAllUnpaidInvoices: 'flag', pluginName: must('text') },
      ],
    ],
    refresh: [['input', { ...pluginCall, accountId: id, pluginNames: texts }]],
    setDefault: [
      ['options', { ...pluginCall, accountId: id, payAllUnpaidInvoices: 'flag', paymentMethodId: id }],
    ],
    ofAccount: [account, paymentRead],
    get: [['paymentMethodId', 'uuid'], paymentRead],
    getByKey: [externalKey, paymentRead],
    page: [paymentPage],
    search: [key, paymentPage],
    delete: [['input', { ...pluginCall, force: 'flag', paymentMethodId: id, withAutoPayOff: 'flag' }]],
  },
  paymentGateways: {
    buildForm: [
      ['input', { ...pluginCall, accountId: id, formFields: pluginCall.properties, paymentMethodId: 'uuid' }],
    ],
    buildComboForm: [['input', { ...comboParties, formFields: pluginCall.properties }]],
    processNotification: [['input', { ...pluginCall, body: must('text'), pluginName: must('text') }]],
    processSignedNotification: [
      [
        'input',
        { headers: must('any'), pluginName: must('text'), query: must('text'), rawBody: must('any') },
      ],
    ],
  },
  payments: {
    ...each(['authorize', 'purchase', 'credit'], [
      ['input', { ...paymentAmount, accountId: id, paymentMethodId: 'uuid' }],
    ] as const),
    combo: [
      [
        'input',
        {
          ...comboParties,
          amount: 'amount',
          currency: 'text',
          effectiveDate: 'instant',
          externalKey: 'text',
          transactionExternalKey: 'text',
          transactionType: 'text',
        },
      ],
    ],
    ...each(['capture', 'refund', 'chargeback'], [['input', paymentAmount]] as const),
    ...each(['void', 'reverseChargeback'], [['input', ofPayment]] as const),
    complete: completion,
    recordNotifiedOutcome: [['input', { paymentId: id, status: must('text'), transactionId: id }]],
    cancelScheduledRetry: [['input', { transactionExternalKey: 'text', transactionId: 'uuid' }]],
    fixTransaction: [
      [
        'input',
        {
          lastSuccessStateName: 'text',
          paymentId: id,
          processedAmount: 'amount',
          processedCurrency: 'text',
          properties: pluginCall.properties,
          stateName: 'text',
          status: must('text'),
          transactionId: id,
        },
      ],
    ],
    ...each(['get', 'invoicePayment'], [['paymentId', 'uuid'], paymentRead] as const),
    getByKey: [externalKey, paymentRead],
    page: [paymentPage],
    search: [key, paymentPage],
    ofTransaction: [['transactionId', 'uuid'], paymentRead],
    ofTransactionKey: [['transactionExternalKey', 'text'], paymentRead],
    ...each(['ofAccount', 'invoicePaymentsOfAccount'], [account, paymentRead] as const),
    invoicePaymentsOfInvoice: [invoice, paymentRead],
  },
  invoicePayments: {
    pay: [
      [
        'input',
        { ...paymentAmount, accountId: 'uuid', invoiceId: id, isExternal: 'flag', paymentMethodId: 'uuid' },
      ],
    ],
    payAll: [
      [
        'input',
        {
          ...pluginCall,
          accountId: id,
          amount: 'amount',
          isExternal: 'flag',
          mayCredit: 'flag',
          paymentMethodId: 'uuid',
          targetDate: 'date',
        },
      ],
    ],
    refund: [
      [
        'input',
        {
          ...paymentAmount,
          paymentId: id,
          adjustments: [must({ amount: 'amount', invoiceItemId: 'uuid' })],
          isAdjusted: 'flag',
          isExternal: 'flag',
          paymentMethodId: 'uuid',
        },
      ],
    ],
    chargeback: [['input', { ...paymentAmount, recordsExcess: 'flag' }]],
    reverseChargeback: [['input', ofPayment]],
    complete: completion,
  },
  overdue: {
    accounts: [['request', { ...pageBounds, state: orNull('text') }]],
    ...each(['ofAccount', 'explain'], ofAccount),
    preview: [account, ['date', 'date']],
    upload: [
      ['config', 'any'],
      ['options?', { format: oneOf(OverdueFormat) }],
    ],
  },
  tagDefinitions: {
    ...each(['get', 'delete'], [['id', 'uuid']] as const),
    create: [
      ['input', { applicableObjectTypes: [must(oneOf(ObjectType))], description: 'text', name: 'text' }],
    ],
  },
  tags: {
    ...each(['add', 'remove'], [tagged, ['definitionIds', [id]]] as const),
    ofObject: [tagged, ['options?', { accountId: 'uuid', includeDeleted: 'flag' }]],
    ofAccount: [account, ['options?', { ...objectType, includeDeleted: 'flag' }]],
    page: [page],
    search,
  },
  customFields: {
    add: [fielded, ['inputs', [must({ name: 'text', value: 'text' })]]],
    modify: [fielded, ['changes', [must({ customFieldId: 'uuid', name: 'text', value: 'text' })]]],
    remove: [fielded, ['fieldIds', [id]]],
    ofObject: [fielded],
    ofAccount: [account, ['options?', objectType]],
    page: [fieldPage],
    search: [key, fieldPage],
    searchByName: [
      ['request', { name: must('text'), objectType: must(oneOf(CustomFieldObjectType)), value: 'text' }],
      fieldPage,
    ],
  },
  audit: {
    logs: [
      ['targetIds', [id]],
      ['level', oneOf(AuditLevel)],
    ],
    history: [anyObject],
    historyWithin: [account, anyObject],
    ofAccount,
  },
  keyValues: {
    add: [key, ['value', 'text']],
    ...each(['get', 'delete'], [key] as const),
    search: [['prefix', 'text']],
  },
  invoiceTexts: {
    upload: [['upload', { ...documentText, replace: 'flag', text: must('text') }]],
    preview: [['preview', { ...documentText, text: must('text'), invoiceId: id }]],
    ...each(['get', 'delete', 'builtIn'], [['text', documentText]] as const),
  },
  sellers: {
    upload: [['seller', seller]],
    at: [['instant', 'instant']],
    logo: [['sellerId', 'uuid']],
  },
  deliveries: {
    list: [['request', { ...page[1], accountId: 'uuid' }]],
    ...each(['get', 'sendAgain'], [['deliveryId', 'uuid']] as const),
  },
  queues: {
    export: [
      [
        'request?',
        {
          accountId: orNull('uuid'),
          maxDate: 'instant',
          minDate: 'instant',
          queueName: 'text',
          serviceName: 'text',
          withBusEvents: 'flag',
          withHistory: 'flag',
          withInProcessing: 'flag',
          withNotifications: 'flag',
        },
      ],
    ],
    ...each(['late', 'busy'], [['request?', queueLook]] as const),
    failed: [['request?', { ...queueLook, from: 'instant', to: 'instant' }]],
    ...each(['putBack', 'free'], [chosenEntries] as const),
  },
  events: {
    list: [
      [
        'request',
        {
          after: orNull('text'),
          before: orNull('text'),
          limit: orNull('number'),
          types: orNull(texts),
          waitMs: orNull('number'),
        },
      ],
    ],
  },
  signingSecrets: {},
  configuration: {},
  reports: {
    months: [['request?', { from: orNull('text'), to: orNull('text') }]],
    failedPayments: [['request?', { from: orNull('instant'), to: orNull('instant'), limit: 'integer' }]],
    find: [['request', { text: must('text'), limit: 'integer' }]],
  },
  monitoring: {
    samples: [
      [
        'request',
        {
          eventGroup: orNull('text'),
          from: orNull('instant'),
          granularity: orNull(oneOf(Granularity)),
          kinds: orNull([must({ eventCategory: must('text'), sampleKind: must('text') })]),
          nodeNames: orNull(texts),
          to: orNull('instant'),
        },
      ],
    ],
    diagnostic: [
      [
        'request',
        {
          accountId: 'uuid',
          logDirectory: orNull('text'),
          logFileNames: orNull(texts),
          withLogs: 'flag',
          withServiceConfig: 'flag',
          withTenantConfig: 'flag',
        },
      ],
    ],
  },
};

type Parameter<T> = readonly [name: string, shape: InputShape<T>];

type ParametersOf<O> = O extends (context: CallContext, ...input: infer P) => unknown
  ? { readonly [I in keyof P]-?: Parameter<P[I]> }
  : never;

/** The parameters of each operation that takes parameters. */
export type Inputs = {
  readonly [G in keyof StrictOperations]: {
    readonly [N in keyof StrictOperations[G] as ParametersOf<StrictOperations[G][N]> extends readonly []
      ? never
      : N]: ParametersOf<StrictOperations[G][N]>;
  };
};
