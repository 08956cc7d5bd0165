/**
 * Definitions for `POST /1.0/kb/operations/…` and `/queries/…` that the client and the server share (http-api §16).
 * This module imports nothing, so it also runs in a browser.
 */

/** Operations that change nothing, by group. All other operations are sent to `/operations`. */
export const queries = {
  accounts: [
    'get',
    'list',
    'getByKey',
    'page',
    'search',
    'findExactly',
    'children',
    'balances',
    'emails',
    'export',
    'timeline',
  ],
  catalogs: ['validate', 'current', 'sources', 'availableBasePlans', 'availableAddOns', 'changeReport'],
  catalogEntries: ['products', 'plans', 'plansOfProduct', 'latestPlan', 'state'],
  subscriptions: ['get', 'getByKey', 'list', 'planAt', 'preview', 'bundlesOfAccount', 'pageBundlesOfAccount'],
  coupons: ['get', 'page', 'ofAccount', 'ofSubscription'],
  features: ['of', 'can', 'explain'],
  blocking: ['ofAccount'],
  bundles: ['get', 'getByKey', 'allOfKey', 'page', 'search'],
  usage: ['rollUp', 'rollUpForTransitions', 'timeline', 'rated', 'unbilled'],
  invoices: [
    'parked',
    'listGroup',
    'dryRun',
    'upcoming',
    'get',
    'getByNumber',
    'getByItem',
    'ofAccount',
    'trackingIds',
    'page',
    'search',
    'pageOfAccount',
    'explain',
    'html',
    'pdf',
    'eInvoice',
    'eInvoiceDeliveries',
    'getCredit',
    'verifyCoverage',
  ],
  creditNotes: ['get', 'ofInvoice', 'pageOfAccount', 'html', 'pdf', 'eInvoice'],
  paymentMethods: ['ofAccount', 'get', 'getByKey', 'page', 'search'],
  paymentGateways: [],
  payments: [
    'get',
    'getByKey',
    'ofTransaction',
    'ofTransactionKey',
    'invoicePayment',
    'ofAccount',
    'invoicePaymentsOfAccount',
    'invoicePaymentsOfInvoice',
    'page',
    'search',
  ],
  invoicePayments: [],
  overdue: ['accounts', 'ofAccount', 'preview', 'explain', 'get', 'getXml'],
  tagDefinitions: ['list', 'get'],
  tags: ['ofObject', 'ofAccount', 'page', 'search'],
  customFields: ['ofObject', 'ofAccount', 'page', 'search', 'searchByName'],
  audit: ['logs', 'history', 'historyWithin', 'ofAccount'],
  keyValues: ['get', 'search'],
  invoiceTexts: ['get', 'preview', 'builtIn'],
  sellers: ['get', 'at', 'list', 'logo'],
  deliveries: ['list', 'get'],
  queues: ['export', 'late', 'busy', 'failed'],
  events: ['list'],
  signingSecrets: [],
  configuration: ['settings', 'describe'],
  monitoring: ['data', 'samples', 'diagnostic'],
  reports: ['months', 'subscriptions', 'overdue', 'failedPayments', 'find'],
} as const;

/**
 * Kinds of values that JSON cannot express. A `method` is a function without parameters. The function is replaced by
 * its result.
 */
export type TypedKind = 'instant' | 'amount' | 'map' | 'bytes' | 'method';

/**
 * A result as JSON. `types` lists the paths to the values of each kind. A path has the form of RFC 6901 without the
 * first slash, and `*` stands for each element of a list. An instant is ISO 8601 text, an amount is decimal text, a map
 * is a list of pairs, and bytes are Base64 text.
 */
export interface TypedJson {
  readonly value: unknown;
  readonly types: Readonly<Partial<Record<TypedKind, readonly string[]>>>;
}
