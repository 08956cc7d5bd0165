import type { GroupedOperations } from '../../../../lib/index.ts';
import type { Principal } from '../../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../../lib/security/index.ts';
import type { KeyValues } from '../../../../lib/tenants/index.ts';
import { type KeyChange, permissionForKey, shownValues } from '../tenants/tenants.ts';

/** Rules for calling a library operation over HTTP. */
export interface Access {
  /** Returns the permissions that a call with these arguments requires. */
  needs(input: readonly unknown[]): readonly Permission[];
  /** Restricts the arguments according to the user's permissions. */
  limits?(input: readonly unknown[], user: Principal | null): readonly unknown[];
  /** Removes the parts of the result that the user may not see. */
  shows?(result: unknown, user: Principal | null): unknown;
}

type AccessByName = {
  readonly [G in Exclude<keyof GroupedOperations, 'outlines'>]: {
    readonly [N in keyof GroupedOperations[G]]: Access;
  };
};

function allowWith(...permissions: readonly Permission[]): Access {
  return { needs: () => permissions };
}

const open = allowWith();

const upload = allowWith('catalog:config_upload');
const keyValues = allowWith('tenant_kvs:add');

/** Returns a member of an argument, which may have any shape. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Returns the permissions that the given options require. */
function forOptions(
  always: readonly Permission[],
  place: number,
  options: Readonly<Record<string, Permission>>,
): Access {
  return {
    needs: (input) => {
      const set = Object.entries(options).filter(([name]) => Boolean(member(input[place], name)));
      return [...always, ...set.map(([, permission]) => permission)];
    },
  };
}

/** Adds the permission that a request needs if it redeems coupons. */
function withCoupons(permission: Permission, place: number): Access {
  const redeems = (request: unknown): boolean =>
    Array.isArray(request) ? request.some(redeems) : isFilled(member(request, 'coupons'));
  return { needs: (input) => (redeems(input[place]) ? [permission, 'coupon:redeem'] : [permission]) };
}

function isFilled(codes: unknown): boolean {
  return Array.isArray(codes) && codes.length > 0;
}

function forKey(kind: KeyChange, needed: Permission): Access {
  return {
    needs: ([key]) => [needed, ...(typeof key === 'string' ? permissionForKey(kind, key) : [])],
  };
}

/**
 * Replaces arguments with which a caller could grant itself permissions. Only callers in the same process may use such
 * arguments.
 */
function limitClaims(
  access: Access,
  claim: (may: (permission: Permission) => boolean) => Readonly<Record<string, unknown>>,
): Access {
  return {
    ...access,
    limits: ([input, ...rest], user) => {
      const may = (permission: Permission) => isPermitted(user?.permissions ?? [], permission);
      return [typeof input === 'object' ? { ...input, ...claim(may) } : input, ...rest];
    },
  };
}

const parties = (may: (permission: Permission) => boolean) => ({
  mayCreate: { account: may('account:create'), paymentMethod: may('payment_method:create') },
});

/**
 * Permissions by operation. An operation has the permissions of its endpoint (http-api §5) or, without an endpoint,
 * those of the most similar operation.
 */
export const operationAccess: AccessByName = {
  accounts: {
    create: allowWith('account:create'),
    update: allowWith('account:update'),
    anonymize: allowWith('account:update'),
    get: open,
    getByKey: open,
    page: open,
    search: open,
    list: open,
    findExactly: open,
    children: open,
    balances: open,
    emails: open,
    addEmail: allowWith('account:add_emails'),
    removeEmail: allowWith('account:delete_emails'),
    close: forOptions(['tag:add', 'entitlement:pause_resume'], 1, {
      cancelAllSubscriptions: 'entitlement:cancel',
      writeOffUnpaidInvoices: 'invoice:write_off',
      itemAdjustUnpaidInvoices: 'invoice:item_adjust',
    }),
    rebalanceCredit: allowWith('invoice:delete_cba'),
    transferCreditToParent: allowWith('invoice:delete_cba'),
    export: allowWith('admin:export'),
    timeline: open,
  },
  catalogs: {
    upload,
    sync: upload,
    validate: open,
    current: open,
    sources: open,
    addSimplePlan: upload,
    availableBasePlans: open,
    availableAddOns: open,
    delete: allowWith('catalog:delete'),
    changeReport: allowWith('catalog:config_upload'),
  },
  catalogEntries: {
    create: upload,
    createPlan: upload,
    updatePlan: upload,
    retirePlan: upload,
    deletePlan: allowWith('catalog:delete'),
    deleteProduct: allowWith('catalog:delete'),
    products: open,
    plans: open,
    plansOfProduct: open,
    latestPlan: open,
    state: open,
  },
  features: {
    of: allowWith('feature:view'),
    can: allowWith('feature:view'),
    explain: allowWith('feature:view'),
    consume: allowWith('feature:consume'),
    release: allowWith('feature:consume'),
    override: allowWith('feature:override'),
    endOverride: allowWith('feature:override'),
  },
  subscriptions: {
    create: withCoupons('entitlement:create', 0),
    createWithAddOns: withCoupons('entitlement:create', 0),
    createBundles: withCoupons('entitlement:create', 0),
    get: open,
    getByKey: open,
    list: open,
    planAt: open,
    preview: allowWith('invoice:dry_run'),
    bundlesOfAccount: open,
    pageBundlesOfAccount: open,
    cancel: allowWith('entitlement:cancel'),
    uncancel: allowWith('entitlement:cancel'),
    changePlan: withCoupons('entitlement:change_plan', 1),
    undoChangePlan: allowWith('entitlement:change_plan'),
    changeBillCycleDay: allowWith('entitlement:create'),
    changeQuantity: allowWith('entitlement:create'),
  },
  blocking: {
    add: allowWith('entitlement:pause_resume'),
    pauseBundle: allowWith('entitlement:pause_resume'),
    resumeBundle: allowWith('entitlement:pause_resume'),
    ofAccount: open,
  },
  bundles: {
    get: open,
    getByKey: open,
    allOfKey: open,
    page: open,
    search: open,
    renameKey: allowWith('entitlement:create'),
    transfer: allowWith('entitlement:transfer'),
  },
  coupons: {
    create: allowWith('coupon:manage'),
    update: allowWith('coupon:manage'),
    get: allowWith('coupon:view'),
    page: allowWith('coupon:view'),
    redeem: allowWith('coupon:redeem'),
    remove: allowWith('coupon:redeem'),
    ofAccount: allowWith('coupon:view'),
    ofSubscription: allowWith('coupon:view'),
  },
  usage: {
    record: allowWith('usage:record'),
    recordAll: allowWith('usage:record'),
    void: allowWith('usage:record'),
    rollUp: open,
    rollUpForTransitions: open,
    timeline: open,
    rated: open,
    unbilled: open,
    archive: allowWith('admin:update'),
  },
  invoices: {
    generate: allowWith('invoice:trigger'),
    generateGroup: allowWith('invoice:trigger'),
    parked: open,
    park: allowWith('tag:add'),
    unpark: allowWith('tag:delete'),
    generateForParked: allowWith('invoice:trigger'),
    listGroup: open,
    dryRun: allowWith('invoice:dry_run'),
    upcoming: allowWith('invoice:dry_run'),
    get: open,
    getByNumber: open,
    getByItem: open,
    ofAccount: open,
    trackingIds: open,
    page: open,
    search: open,
    pageOfAccount: open,
    writeToLog: allowWith('invoice:trigger'),
    explain: open,
    html: open,
    pdf: open,
    eInvoice: open,
    eInvoiceDeliveries: open,
    resendEInvoice: allowWith('invoice:trigger'),
    addCharges: allowWith('account:charge'),
    addTaxes: allowWith('account:charge'),
    addCredits: allowWith('account:credit'),
    getCredit: open,
    adjustItem: allowWith('invoice:item_adjust'),
    deleteCredit: allowWith('invoice:delete_cba'),
    createMigrationInvoice: allowWith('invoice:trigger'),
    commit: allowWith('invoice:commit'),
    void: allowWith('invoice:void'),
    setNote: allowWith('invoice:commit'),
    verifyCoverage: open,
  },
  creditNotes: { get: open, ofInvoice: open, pageOfAccount: open, html: open, pdf: open, eInvoice: open },
  paymentMethods: {
    add: allowWith('payment_method:create'),
    setDefault: allowWith('payment_method:create'),
    ofAccount: open,
    get: open,
    getByKey: open,
    page: open,
    search: open,
    delete: allowWith('payment_method:delete'),
    refresh: allowWith('payment_method:update'),
  },
  paymentGateways: {
    buildForm: allowWith(),
    buildComboForm: limitClaims(allowWith(), parties),
    processNotification: allowWith('payment:notification'),
    processSignedNotification: allowWith('payment:notification'),
  },
  payments: {
    authorize: allowWith('payment:trigger'),
    purchase: allowWith('payment:trigger'),
    credit: allowWith('payment:trigger'),
    capture: allowWith('payment:trigger'),
    refund: allowWith('payment:refund'),
    void: allowWith('payment:trigger'),
    chargeback: allowWith('payment:chargeback'),
    reverseChargeback: allowWith('payment:chargeback'),
    complete: allowWith('payment:trigger'),
    recordNotifiedOutcome: allowWith('payment:transition'),
    combo: limitClaims(allowWith('payment:trigger'), parties),
    cancelScheduledRetry: allowWith('payment:trigger'),
    fixTransaction: allowWith('admin:update'),
    get: open,
    getByKey: open,
    ofTransaction: open,
    ofTransactionKey: open,
    invoicePayment: open,
    ofAccount: open,
    invoicePaymentsOfAccount: open,
    invoicePaymentsOfInvoice: open,
    page: open,
    search: open,
  },
  invoicePayments: {
    pay: allowWith('payment:trigger'),
    payAll: limitClaims(allowWith('payment:trigger'), (may) => ({ mayCredit: may('account:credit') })),
    refund: allowWith('payment:refund'),
    chargeback: allowWith('payment:chargeback'),
    reverseChargeback: allowWith('payment:chargeback'),
    complete: allowWith('payment:trigger'),
  },
  overdue: {
    accounts: open,
    ofAccount: open,
    preview: open,
    explain: open,
    upload: allowWith('overdue:config_upload'),
    get: open,
    getXml: open,
  },
  tagDefinitions: {
    list: open,
    get: open,
    create: allowWith('tag:create_tag_definition'),
    delete: allowWith('tag:delete_tag_definition'),
  },
  tags: {
    add: allowWith('tag:add'),
    remove: allowWith('tag:delete'),
    ofObject: open,
    ofAccount: open,
    page: open,
    search: open,
  },
  customFields: {
    add: allowWith('custom_field:add'),
    modify: allowWith('custom_field:update'),
    remove: allowWith('custom_field:delete'),
    ofObject: open,
    ofAccount: open,
    page: open,
    search: open,
    searchByName: open,
  },
  audit: { logs: open, history: allowWith('admin:export'), historyWithin: open, ofAccount: open },
  keyValues: {
    add: forKey('upload', 'tenant_kvs:add'),
    delete: forKey('delete', 'tenant_kvs:delete'),
    get: { ...open, shows: (found, user) => shownValues(found as KeyValues, user) },
    search: {
      ...open,
      shows: (found, user) => (found as readonly KeyValues[]).map((each) => shownValues(each, user)),
    },
  },
  invoiceTexts: {
    upload: forOptions(['tenant_kvs:add'], 0, { replace: 'tenant_kvs:delete' }),
    get: open,
    delete: allowWith('tenant_kvs:delete'),
    preview: keyValues,
    builtIn: open,
  },
  sellers: { upload: keyValues, get: open, at: open, list: open, logo: open },
  deliveries: { list: open, get: open, sendAgain: keyValues },
  queues: {
    export: allowWith('admin:health'),
    late: allowWith('admin:health'),
    busy: allowWith('admin:health'),
    failed: allowWith('admin:health'),
    putBack: allowWith('admin:update'),
    free: allowWith('admin:update'),
  },
  events: { list: open },
  signingSecrets: { create: keyValues, delete: allowWith('tenant_kvs:delete') },
  configuration: { settings: open, describe: open },
  reports: { months: open, subscriptions: open, overdue: open, failedPayments: open, find: open },
  monitoring: {
    data: allowWith('admin:health'),
    samples: allowWith('admin:health'),
    diagnostic: {
      needs: ([request]) =>
        member(request, 'accountId') == null ? ['admin:health'] : ['admin:health', 'admin:export'],
    },
  },
};
