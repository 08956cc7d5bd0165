import type { GroupedOperations } from '../../../../lib/index.ts';
import type { Principal } from '../../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../../lib/security/index.ts';
import type { KeyValues } from '../../../../lib/tenants/index.ts';
import { type KeyChange, permissionForKey, shownValues } from '../tenants/tenants.ts';

/** Rules for calls of a library operation over HTTP. */
export interface Access {
  /** Returns the permissions that a call with these arguments requires. */
  needs(input: readonly unknown[]): readonly Permission[];
  /** Restricts the arguments to what the user is allowed to do. */
  limits?(input: readonly unknown[], user: Principal | null): readonly unknown[];
  /** Removes the parts of the result that the user may not see. */
  shows?(result: unknown, user: Principal | null): unknown;
}

type AccessByName = {
  readonly [G in Exclude<keyof GroupedOperations, 'outlines'>]: {
    readonly [N in keyof GroupedOperations[G]]: Access;
  };
};

function needing(...permissions: readonly Permission[]): Access {
  return { needs: () => permissions };
}

const open = needing();

const upload = needing('catalog:config_upload');
const keyValues = needing('tenant_kvs:add');

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

/** Replaces arguments with which a caller grants itself permissions. Only callers in the same process may do this. */
function claiming(
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
 * Permissions of each operation. They are the permissions of its endpoint (http-api §5). An operation without an
 * endpoint has the permissions of the most similar operation.
 */
export const operationAccess: AccessByName = {
  accounts: {
    create: needing('account:create'),
    update: needing('account:update'),
    anonymize: needing('account:update'),
    get: open,
    getByKey: open,
    page: open,
    search: open,
    list: open,
    findExactly: open,
    children: open,
    balances: open,
    emails: open,
    addEmail: needing('account:add_emails'),
    removeEmail: needing('account:delete_emails'),
    close: forOptions(['tag:add', 'entitlement:pause_resume'], 1, {
      cancelAllSubscriptions: 'entitlement:cancel',
      writeOffUnpaidInvoices: 'invoice:write_off',
      itemAdjustUnpaidInvoices: 'invoice:item_adjust',
    }),
    rebalanceCredit: needing('invoice:delete_cba'),
    transferCreditToParent: needing('invoice:delete_cba'),
    export: needing('admin:export'),
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
    delete: needing('catalog:delete'),
    changeReport: needing('catalog:config_upload'),
  },
  catalogEntries: {
    create: upload,
    createPlan: upload,
    updatePlan: upload,
    retirePlan: upload,
    deletePlan: needing('catalog:delete'),
    deleteProduct: needing('catalog:delete'),
    products: open,
    plans: open,
    plansOfProduct: open,
    latestPlan: open,
    state: open,
  },
  features: {
    of: needing('feature:view'),
    can: needing('feature:view'),
    explain: needing('feature:view'),
    consume: needing('feature:consume'),
    release: needing('feature:consume'),
    override: needing('feature:override'),
    endOverride: needing('feature:override'),
  },
  subscriptions: {
    create: withCoupons('entitlement:create', 0),
    createWithAddOns: withCoupons('entitlement:create', 0),
    createBundles: withCoupons('entitlement:create', 0),
    get: open,
    getByKey: open,
    list: open,
    planAt: open,
    preview: needing('invoice:dry_run'),
    bundlesOfAccount: open,
    pageBundlesOfAccount: open,
    cancel: needing('entitlement:cancel'),
    uncancel: needing('entitlement:cancel'),
    changePlan: withCoupons('entitlement:change_plan', 1),
    undoChangePlan: needing('entitlement:change_plan'),
    changeBillCycleDay: needing('entitlement:create'),
    changeQuantity: needing('entitlement:create'),
  },
  blocking: {
    add: needing('entitlement:pause_resume'),
    pauseBundle: needing('entitlement:pause_resume'),
    resumeBundle: needing('entitlement:pause_resume'),
    ofAccount: open,
  },
  bundles: {
    get: open,
    getByKey: open,
    allOfKey: open,
    page: open,
    search: open,
    renameKey: needing('entitlement:create'),
    transfer: needing('entitlement:transfer'),
  },
  coupons: {
    create: needing('coupon:manage'),
    update: needing('coupon:manage'),
    get: needing('coupon:view'),
    page: needing('coupon:view'),
    redeem: needing('coupon:redeem'),
    remove: needing('coupon:redeem'),
    ofAccount: needing('coupon:view'),
    ofSubscription: needing('coupon:view'),
  },
  usage: {
    record: needing('usage:record'),
    recordAll: needing('usage:record'),
    void: needing('usage:record'),
    rollUp: open,
    rollUpForTransitions: open,
    timeline: open,
    rated: open,
    unbilled: open,
    archive: needing('admin:update'),
  },
  invoices: {
    generate: needing('invoice:trigger'),
    generateGroup: needing('invoice:trigger'),
    parked: open,
    park: needing('tag:add'),
    unpark: needing('tag:delete'),
    generateForParked: needing('invoice:trigger'),
    listGroup: open,
    dryRun: needing('invoice:dry_run'),
    upcoming: needing('invoice:dry_run'),
    get: open,
    getByNumber: open,
    getByItem: open,
    ofAccount: open,
    trackingIds: open,
    page: open,
    search: open,
    pageOfAccount: open,
    writeToLog: needing('invoice:trigger'),
    explain: open,
    html: open,
    pdf: open,
    eInvoice: open,
    eInvoiceDeliveries: open,
    resendEInvoice: needing('invoice:trigger'),
    addCharges: needing('account:charge'),
    addTaxes: needing('account:charge'),
    addCredits: needing('account:credit'),
    getCredit: open,
    adjustItem: needing('invoice:item_adjust'),
    deleteCredit: needing('invoice:delete_cba'),
    createMigrationInvoice: needing('invoice:trigger'),
    commit: needing('invoice:commit'),
    void: needing('invoice:void'),
    setNote: needing('invoice:commit'),
    verifyCoverage: open,
  },
  creditNotes: { get: open, ofInvoice: open, pageOfAccount: open, html: open, pdf: open, eInvoice: open },
  paymentMethods: {
    add: needing('payment_method:create'),
    setDefault: needing('payment_method:create'),
    ofAccount: open,
    get: open,
    getByKey: open,
    page: open,
    search: open,
    delete: needing('payment_method:delete'),
    refresh: needing('payment_method:update'),
  },
  paymentGateways: {
    buildForm: needing(),
    buildComboForm: claiming(needing(), parties),
    processNotification: needing('payment:notification'),
    processSignedNotification: needing('payment:notification'),
  },
  payments: {
    authorize: needing('payment:trigger'),
    purchase: needing('payment:trigger'),
    credit: needing('payment:trigger'),
    capture: needing('payment:trigger'),
    refund: needing('payment:refund'),
    void: needing('payment:trigger'),
    chargeback: needing('payment:chargeback'),
    reverseChargeback: needing('payment:chargeback'),
    complete: needing('payment:trigger'),
    recordNotifiedOutcome: needing('payment:transition'),
    combo: claiming(needing('payment:trigger'), parties),
    cancelScheduledRetry: needing('payment:trigger'),
    fixTransaction: needing('admin:update'),
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
    pay: needing('payment:trigger'),
    payAll: claiming(needing('payment:trigger'), (may) => ({ mayCredit: may('account:credit') })),
    refund: needing('payment:refund'),
    chargeback: needing('payment:chargeback'),
    reverseChargeback: needing('payment:chargeback'),
    complete: needing('payment:trigger'),
  },
  overdue: {
    accounts: open,
    ofAccount: open,
    preview: open,
    explain: open,
    upload: needing('overdue:config_upload'),
    get: open,
    getXml: open,
  },
  tagDefinitions: {
    list: open,
    get: open,
    create: needing('tag:create_tag_definition'),
    delete: needing('tag:delete_tag_definition'),
  },
  tags: {
    add: needing('tag:add'),
    remove: needing('tag:delete'),
    ofObject: open,
    ofAccount: open,
    page: open,
    search: open,
  },
  customFields: {
    add: needing('custom_field:add'),
    modify: needing('custom_field:update'),
    remove: needing('custom_field:delete'),
    ofObject: open,
    ofAccount: open,
    page: open,
    search: open,
    searchByName: open,
  },
  audit: { logs: open, history: needing('admin:export'), historyWithin: open, ofAccount: open },
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
    delete: needing('tenant_kvs:delete'),
    preview: keyValues,
    builtIn: open,
  },
  sellers: { upload: keyValues, get: open, at: open, list: open, logo: open },
  deliveries: { list: open, get: open, sendAgain: keyValues },
  queues: {
    export: needing('admin:health'),
    late: needing('admin:health'),
    busy: needing('admin:health'),
    failed: needing('admin:health'),
    putBack: needing('admin:update'),
    free: needing('admin:update'),
  },
  events: { list: open },
  signingSecrets: { create: keyValues, delete: needing('tenant_kvs:delete') },
  configuration: { settings: open, describe: open },
  reports: { months: open, subscriptions: open, overdue: open, failedPayments: open, find: open },
  monitoring: {
    data: needing('admin:health'),
    samples: needing('admin:health'),
    diagnostic: {
      needs: ([request]) =>
        member(request, 'accountId') == null ? ['admin:health'] : ['admin:health', 'admin:export'],
    },
  },
};
