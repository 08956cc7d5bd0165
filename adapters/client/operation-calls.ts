/**
 * What client and server must both know of `POST /1.0/kb/operations/…` and `/queries/…` (http-api §16): this module
 * imports nothing, so that it also runs in a browser.
 */

/** The operations that change nothing, by group. All others are sent to `/operations`. */
export const queries = {
  accounts: [
    'get',
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
    'getCredit',
    'verifyCoverage',
  ],
  creditNotes: ['get', 'ofInvoice', 'pageOfAccount', 'html', 'pdf'],
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
  overdue: ['ofAccount', 'preview', 'explain', 'get', 'getXml'],
  tagDefinitions: ['list', 'get'],
  tags: ['ofObject', 'ofAccount', 'page', 'search'],
  customFields: ['ofObject', 'ofAccount', 'page', 'search', 'searchByName'],
  audit: ['logs', 'history', 'historyWithin', 'ofAccount'],
  keyValues: ['get', 'search'],
  invoiceTexts: ['get'],
  deliveries: ['list', 'get'],
  queues: ['export', 'late', 'busy', 'failed'],
  events: ['list'],
  signingSecrets: [],
  configuration: ['settings'],
  monitoring: ['data', 'samples', 'diagnostic'],
} as const;

/** The kinds of values that JSON cannot distinguish. A `method` is a function without parameters, replaced by its result. */
export type TypedKind = 'instant' | 'amount' | 'map' | 'bytes' | 'method';

/**
 * A result as JSON. `types` lists the places of each kind of value: member names in the form of RFC 6901 without the
 * first slash, `*` for each element of a list. An instant is ISO 8601, an amount is decimal text, a map is a list of pairs, bytes are Base64.
 */
export interface TypedJson {
  readonly value: unknown;
  readonly types: Readonly<Partial<Record<TypedKind, readonly string[]>>>;
}
