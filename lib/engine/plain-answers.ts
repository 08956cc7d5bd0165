import type { Catalog } from '../catalog/index.ts';
import {
  accountEmailFields,
  accountFields,
  auditEntryFields,
  blockingStateFields,
  creditNoteFields,
  customFieldFields,
  eInvoiceDeliveryFields,
  featureOverrideFields,
  invoiceFields,
  invoiceItemFields,
  type Page,
  paymentFields,
  paymentMethodFields,
  paymentTransactionFields,
  sellerFields,
  tagFields,
} from '../records/index.ts';
import { shapeOf } from '../values/fields/index.ts';
import type { AnyShape, Shape } from '../values/host-values/index.ts';

import type { StrictOperations } from './engine.ts';

const dated = { at: 'instant', date: 'date' } as const;

const account = shapeOf(accountFields);
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

const item = {
  ...shapeOf(invoiceItemFields),
  get childItems(): readonly [AnyShape] {
    return [item];
  },
};
const invoice = { ...shapeOf(invoiceFields), items: [item] } as const;
const coupon = { createdDate: 'instant', redeemBy: 'instant', updatedDate: 'instant' } as const;
const redemption = {
  createdDate: 'instant',
  discounts: [{ endDate: 'date', startDate: 'date' }],
  endedDate: 'date',
  redeemedDate: 'date',
} as const;
const queueEntry = { availableDate: 'instant', createdDate: 'instant', dueDate: 'instant' } as const;
const rolledUp = { endDate: 'instant', startDate: 'instant' } as const;
const days = { endDate: 'date', startDate: 'date' } as const;

const billedEvent = { effectiveDate: 'instant', localDate: 'date' } as const;
const basis = {
  ...days,
  discounts: [{ until: 'date' }],
  endInstant: 'instant',
  event: billedEvent,
  nextEvent: billedEvent,
  startInstant: 'instant',
} as const;
const explainedDays = { ...days, basis, catalogEffectiveDate: 'instant' } as const;
const billedDays = { ...explainedDays, basis: { ...basis, changed: basis } } as const;

const explanation = {
  ...explainedDays,
  events: each(['event', 'nextEvent', 'planEvent'], { ...billedEvent, phaseAnchor: 'date' } as const),
  rules: [{ event: billedEvent }],
} as const;
const itemFields = shapeOf(invoiceItemFields);
const explainedItem = { ...itemFields, childItems: [itemFields], explanation } as const;
const explainedInvoice = { ...invoice, items: [explainedItem] } as const;

const transaction = shapeOf(paymentTransactionFields);
const payment = {
  ...shapeOf(paymentFields),
  attempts: [{ createdDate: 'instant', effectiveDate: 'instant' }],
  transactions: [transaction],
} as const;
const paymentResult = { payment, transaction } as const;

const plan = { effectiveDate: 'instant', effectiveDateForExistingSubscriptions: 'instant' } as const;
const product = { retiredDate: 'instant' } as const;
const availablePlan = { plan: { effectiveDateForExistingSubscriptions: 'instant' } } as const;

const feature = { resetsAt: 'instant', sources: [{ resetsAt: 'instant' }] } as const;

/** Returns an object that assigns the given shape to each of the names. */
export function each<N extends string, S>(names: readonly N[], shape: S): Readonly<Record<N, S>> {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<N, S>;
}

/** The dates and instants in the results of operations, by group and operation. */
export const plainAnswers: PlainAnswers = {
  accounts: {
    ...each(['create', 'update', 'get', 'list', 'getByKey', 'page', 'search', 'findExactly'], account),
    children: account,
    emails: shapeOf(accountEmailFields),
    timeline: { account, bundles: [bundle], credits: [item], invoices: [invoice], payments: [payment] },
  },
  catalogs: {
    ...each(['availableBasePlans', 'availableAddOns'], availablePlan),
    sync: { added: ['instant'] },
    changeReport: { change: { catalogEffectiveDate: 'instant', from: dated } },
  },
  catalogEntries: {
    create: { plans: [plan], products: [product] },
    ...each(['createPlan', 'updatePlan', 'plans', 'plansOfProduct', 'latestPlan'], plan),
    products: product,
  },
  subscriptions: {
    ...each(['createWithAddOns', 'createBundles'], { billingStart: 'instant' } as const),
    ...each(['get', 'getByKey', 'list'], subscription),
    cancel: { billingEnd: dated, entitlementEnd: dated },
    ...each(['changePlan', 'changeBillCycleDay', 'changeQuantity'], { effective: dated } as const),
    preview: { effective: dated, dueNow: explainedInvoice, next: explainedInvoice },
    ...each(['bundlesOfAccount', 'pageBundlesOfAccount'], bundle),
  },
  coupons: {
    ...each(['create', 'update', 'get', 'page'], coupon),
    ...each(['redeem', 'remove', 'ofAccount', 'ofSubscription'], redemption),
  },
  usage: {
    rated: item,
    ...each(['rollUp', 'rollUpForTransitions', 'timeline'], rolledUp),
    unbilled: days,
  },
  features: {
    ...each(['of', 'explain'], feature),
    ...each(['consume', 'release'], { resetsAt: 'instant' } as const),
    ...each(['override', 'endOverride'], shapeOf(featureOverrideFields)),
  },
  blocking: { ofAccount: shapeOf(blockingStateFields) },
  bundles: each(['get', 'getByKey', 'allOfKey', 'page', 'search'], bundle),
  creditNotes: each(['get', 'ofInvoice', 'pageOfAccount'], shapeOf(creditNoteFields)),
  invoices: {
    ...each(
      [
        'generate',
        'generateGroup',
        'listGroup',
        'upcoming',
        'get',
        'getByItem',
        'getByNumber',
        'ofAccount',
        'page',
        'search',
        'pageOfAccount',
        'createMigrationInvoice',
      ],
      invoice,
    ),
    ...each(['eInvoiceDeliveries', 'resendEInvoice'], shapeOf(eInvoiceDeliveryFields)),
    dryRun: explainedInvoice,
    ...each(['addCharges', 'addTaxes', 'addCredits', 'getCredit'], item),
    parked: { parkedDate: 'instant' },
    explain: explanation,
    verifyCoverage: { expected: [billedDays], found: [billedDays] },
  },
  paymentMethods: each(
    ['ofAccount', 'get', 'getByKey', 'page', 'search', 'add'],
    shapeOf(paymentMethodFields),
  ),
  paymentGateways: {},
  payments: {
    ...each(
      [
        'authorize',
        'purchase',
        'credit',
        'combo',
        'capture',
        'refund',
        'void',
        'chargeback',
        'reverseChargeback',
        'complete',
        'recordNotifiedOutcome',
        'fixTransaction',
      ],
      paymentResult,
    ),
    ...each(
      [
        'page',
        'search',
        'get',
        'getByKey',
        'ofTransaction',
        'ofTransactionKey',
        'invoicePayment',
        'ofAccount',
        'invoicePaymentsOfAccount',
        'invoicePaymentsOfInvoice',
      ],
      payment,
    ),
  },
  invoicePayments: {
    ...each(['pay', 'refund', 'chargeback', 'reverseChargeback', 'complete'], paymentResult),
    payAll: days,
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
  tags: each(['ofObject', 'ofAccount', 'page', 'search'], shapeOf(tagFields)),
  customFields: each(['ofObject', 'ofAccount', 'page', 'search', 'searchByName'], shapeOf(customFieldFields)),
  audit: each(['history', 'historyWithin', 'ofAccount'], shapeOf(auditEntryFields)),
  keyValues: {},
  invoiceTexts: {},
  sellers: each(['upload', 'get', 'at', 'list'], shapeOf(sellerFields)),
  deliveries: each(['list', 'get'], {
    createdDate: 'instant',
    lastAttemptDate: 'instant',
    nextAttemptDate: 'instant',
  } as const),
  queues: each(['late', 'busy', 'failed'], queueEntry),
  events: {},
  signingSecrets: {},
  configuration: {
    settings: each(['invoice.numberPattern', 'invoice.creditNoteNumberPattern'], [{ from: 'date' }] as const),
  },
  reports: {
    months: { months: [{ countedAt: 'instant' }] },
    subscriptions: { countedAt: 'instant' },
    failedPayments: { date: 'instant' },
  },
  monitoring: {
    data: {
      at: 'instant',
      businessNow: 'instant',
      ...each(['lateBusEvents', 'lateNotifications', 'recentBusEvents', 'recentNotifications'], [
        queueEntry,
      ] as const),
      nodes: [{ bootDate: 'instant', lastUpdatedDate: 'instant' }],
      parkedAccounts: [{ parkedDate: 'instant' }],
    },
  },
};

/**
 * The element type of a list or page; for any other result, the type of the result. Catalogs and maps have no plain
 * form here.
 */
type ViewOf<R> =
  R extends Page<infer V>
    ? V
    : R extends readonly (infer V)[] | AsyncIterable<infer V>
      ? V
      : R extends ShowsItself
        ? never
        : R;

type ShowsItself = Catalog | ReadonlyMap<never, unknown>;

type ShownBy<O> = O extends (...given: never[]) => Promise<infer R>
  ? Shape<NonNullable<ViewOf<NonNullable<R>>>, 'date' | 'instant'>
  : never;

/** The dates and instants in the views of each operation. */
export type PlainAnswers = {
  readonly [G in Exclude<keyof StrictOperations, 'outlines'>]: {
    readonly [N in Exclude<keyof StrictOperations[G], 'planAt'> as [ShownBy<StrictOperations[G][N]>] extends [
      never,
    ]
      ? never
      : N]: ShownBy<StrictOperations[G][N]>;
  };
};
