import type { Catalog } from '../catalog/index.ts';
import type { Page } from '../records/index.ts';
import type { AnyShape, Shape } from '../values/given/index.ts';

import type { StrictOperations } from './engine.ts';

const created = { createdDate: 'instant' } as const;
const dated = { at: 'instant', date: 'date' } as const;

const account = { createdDate: 'instant', referenceTime: 'instant', updatedDate: 'instant' } as const;

const event = { catalogEffectiveDate: 'instant', effective: dated } as const;
const subscription = {
  billingEnd: dated,
  billingStart: dated,
  cancelled: dated,
  chargedThrough: dated,
  events: [event],
  start: dated,
} as const;
const bundle = { subscriptions: [subscription], timeline: [event] } as const;
const changed = { effective: dated } as const;
const blockingState = { createdDate: 'instant', effective: dated } as const;

const item = {
  catalogEffectiveDate: 'instant',
  createdDate: 'instant',
  endDate: 'date',
  startDate: 'date',
  get childItems(): readonly [AnyShape] {
    return [item];
  },
} as const;
const invoice = {
  commitDate: 'date',
  createdDate: 'instant',
  invoiceDate: 'date',
  items: [item],
  targetDate: 'date',
} as const;

const delivery = { createdDate: 'instant', lastAttemptDate: 'instant', nextAttemptDate: 'instant' } as const;

const queueEntry = { availableDate: 'instant', createdDate: 'instant', dueDate: 'instant' } as const;

const rolledUp = { endDate: 'instant', startDate: 'instant' } as const;

const creditNote = { createdDate: 'instant', creditNoteDate: 'date' } as const;

const billedEvent = { effectiveDate: 'instant', localDate: 'date' } as const;
const explainedEvent = { ...billedEvent, phaseAnchor: 'date' } as const;
const basis = {
  endDate: 'date',
  endInstant: 'instant',
  event: billedEvent,
  nextEvent: billedEvent,
  startDate: 'date',
  startInstant: 'instant',
} as const;
const explainedDays = { basis, catalogEffectiveDate: 'instant', endDate: 'date', startDate: 'date' } as const;
const billedDays = { ...explainedDays, basis: { ...basis, changed: basis } } as const;

const transaction = { createdDate: 'instant', effectiveDate: 'instant', leaseUntil: 'instant' } as const;
const payment = {
  attempts: [{ createdDate: 'instant', effectiveDate: 'instant' }],
  createdDate: 'instant',
  transactions: [transaction],
} as const;
const paymentResult = { payment, transaction } as const;

const plan = { effectiveDate: 'instant', effectiveDateForExistingSubscriptions: 'instant' } as const;
const product = { retiredDate: 'instant' } as const;
const availablePlan = { plan: { effectiveDateForExistingSubscriptions: 'instant' } } as const;

const customField = { createdDate: 'instant', updatedDate: 'instant' } as const;
const auditRow = { changeDate: 'instant' } as const;

/** Where the views that operations give have dates and instants: by group and operation. */
export const outputs: Outputs = {
  accounts: {
    create: account,
    update: account,
    get: account,
    getByKey: account,
    page: account,
    search: account,
    findExactly: account,
    children: account,
    emails: created,
    timeline: { account, bundles: [bundle], credits: [item], invoices: [invoice], payments: [payment] },
  },
  catalogs: { availableBasePlans: availablePlan, availableAddOns: availablePlan },
  catalogEntries: {
    create: { plans: [plan], products: [product] },
    createPlan: plan,
    updatePlan: plan,
    products: product,
    plans: plan,
    plansOfProduct: plan,
    latestPlan: plan,
  },
  subscriptions: {
    createWithAddOns: { billingStart: 'instant' },
    createBundles: { billingStart: 'instant' },
    get: subscription,
    getByKey: subscription,
    cancel: { billingEnd: dated, entitlementEnd: dated },
    changePlan: changed,
    changeBillCycleDay: changed,
    changeQuantity: changed,
    bundlesOfAccount: bundle,
    pageBundlesOfAccount: bundle,
  },
  usage: {
    rated: item,
    rollUp: rolledUp,
    rollUpForTransitions: rolledUp,
    timeline: rolledUp,
    unbilled: { endDate: 'date', startDate: 'date' },
  },
  blocking: { ofAccount: blockingState },
  bundles: { get: bundle, getByKey: bundle, allOfKey: bundle, page: bundle, search: bundle },
  creditNotes: {
    get: creditNote,
    ofInvoice: creditNote,
    pageOfAccount: creditNote,
  },
  invoices: {
    generate: invoice,
    generateGroup: invoice,
    parked: { parkedDate: 'instant' },
    listGroup: invoice,
    dryRun: invoice,
    get: invoice,
    getByItem: invoice,
    getByNumber: invoice,
    ofAccount: invoice,
    page: invoice,
    search: invoice,
    pageOfAccount: invoice,
    explain: {
      ...explainedDays,
      events: { event: explainedEvent, nextEvent: explainedEvent, planEvent: explainedEvent },
      rules: [{ event: billedEvent }],
    },
    addCharges: item,
    addTaxes: item,
    addCredits: item,
    getCredit: item,
    createMigrationInvoice: invoice,
    verifyCoverage: { expected: [billedDays], found: [billedDays] },
  },
  paymentMethods: {
    ofAccount: created,
    get: created,
    getByKey: created,
    page: created,
    search: created,
    add: created,
  },
  paymentGateways: {},
  payments: {
    authorize: paymentResult,
    purchase: paymentResult,
    credit: paymentResult,
    combo: paymentResult,
    capture: paymentResult,
    refund: paymentResult,
    void: paymentResult,
    chargeback: paymentResult,
    reverseChargeback: paymentResult,
    complete: paymentResult,
    recordNotifiedOutcome: paymentResult,
    fixTransaction: paymentResult,
    page: payment,
    search: payment,
    get: payment,
    getByKey: payment,
    ofTransaction: payment,
    ofTransactionKey: payment,
    invoicePayment: payment,
    ofAccount: payment,
    invoicePaymentsOfAccount: payment,
    invoicePaymentsOfInvoice: payment,
  },
  invoicePayments: {
    pay: paymentResult,
    payAll: { endDate: 'date', startDate: 'date' },
    refund: paymentResult,
    chargeback: paymentResult,
    reverseChargeback: paymentResult,
    complete: paymentResult,
  },
  overdue: {
    preview: { date: 'date', steps: [{ date: 'date' }] },
    explain: {
      date: 'date',
      invoices: [{ unpaidSince: 'date' }],
      nextCheck: 'instant',
      since: 'instant',
      unpaidSince: 'date',
    },
  },
  tagDefinitions: {},
  tags: { ofObject: created, ofAccount: created, page: created, search: created },
  customFields: {
    ofObject: customField,
    ofAccount: customField,
    page: customField,
    search: customField,
    searchByName: customField,
  },
  audit: { history: auditRow, historyWithin: auditRow, ofAccount: auditRow },
  keyValues: {},
  invoiceTexts: {},
  deliveries: { list: delivery, get: delivery },
  queues: { late: queueEntry, busy: queueEntry, failed: queueEntry },
  events: { list: { events: [created] } },
  signingSecrets: {},
  configuration: {
    settings: {
      'invoice.numberPattern': [{ from: 'date' }],
      'invoice.creditNoteNumberPattern': [{ from: 'date' }],
    },
  },
  monitoring: {
    data: {
      at: 'instant',
      businessNow: 'instant',
      lateBusEvents: [queueEntry],
      lateNotifications: [queueEntry],
      nodes: [{ bootDate: 'instant', lastUpdatedDate: 'instant' }],
      parkedAccounts: [{ parkedDate: 'instant' }],
      recentBusEvents: [queueEntry],
      recentNotifications: [queueEntry],
    },
  },
};

/**
 * The view inside a list or a page, else the answer itself. Catalogs, maps and outlines have no readable form here, nor
 * has a plan of a catalog.
 */
type ViewOf<R> =
  R extends Page<infer V> ? V : R extends readonly (infer V)[] ? V : R extends ShowsItself ? never : R;

type ShowsItself = Catalog | ReadonlyMap<never, unknown> | AsyncIterable<unknown>;

type ShownBy<O> = O extends (...given: never[]) => Promise<infer R>
  ? Shape<NonNullable<ViewOf<NonNullable<R>>>, 'date' | 'instant'>
  : never;

/** Where each operation's views have dates or instants. */
export type Outputs = {
  readonly [G in Exclude<keyof StrictOperations, 'outlines'>]: {
    readonly [N in Exclude<keyof StrictOperations[G], 'planAt'> as [ShownBy<StrictOperations[G][N]>] extends [
      never,
    ]
      ? never
      : N]: ShownBy<StrictOperations[G][N]>;
  };
};
