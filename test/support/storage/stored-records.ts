import { randomUUID } from 'node:crypto';
import type {
  Account,
  Authorship,
  AutoPayHold,
  BlockingState,
  Bundle,
  CoverageRow,
  CustomField,
  Invoice,
  InvoiceItem,
  InvoicePayment,
  LifecycleEvent,
  New,
  Payment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
  PushDelivery,
  StoredCursor,
  Subscription,
  Tag,
  Tenant,
  UserTagDefinition,
  Uuid,
} from '../../../lib/index.ts';
import type { AccountEmail, InvoiceRefund, StoredOverridePlan } from '../../../lib/records/index.ts';
import { CatalogPartKind, type NewCatalogPart, type NewCatalogVersion } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { instant, localDate, timeZone } from '../../../lib/values/time/index.ts';

/** Records with a value in every field that can hold one; tests overwrite what they are about. */

export const now = instant(Date.UTC(2026, 0, 31, 23, 30));
export const today = localDate(2026, 2, 1);
/** 29 integer and 9 fraction digits, the most that payments §1.7 rule 8 asks for. */
export const hugeAmount = decimal('12345678901234567890123456789.123456789');
/** More than Latin, more than 16 bits, quotes, a backslash and what JSON and SQL treat as special. */
export const oddText = `Zoë 名前 😀 "double" 'single' \\ back {"a": [1]} $1 ? \t\n end`;

export const newId = (): Uuid => randomUUID() as Uuid;
const dated = { at: now, date: today };

export function author(changes: Partial<Authorship> = {}): Authorship {
  const userToken = newId();
  return {
    userName: 'storage test',
    reasonCode: 'reason',
    comments: oddText,
    createdDate: now,
    userTokenOf: () => userToken,
    ...changes,
  };
}

export function tenant(changes: Partial<New<Tenant>>): New<Tenant> {
  const id = newId();
  return {
    id,
    externalKey: 'tenant key',
    apiKey: id,
    apiSecretHash: 'hash',
    useGlobalDefault: true,
    catalogRevision: 0,
    configurationRecordId: null,
    callbackRecordId: null,
    overdueConfigRecordId: null,
    stateMachineRevision: null,
    usageThresholdsRecordId: null,
    createdDate: now,
    ...changes,
  };
}

export function account(changes: Partial<New<Account>>): New<Account> {
  const id = newId();
  return {
    id,
    externalKey: id,
    referenceTime: now,
    parentAccountId: newId(),
    isPaymentDelegatedToParent: true,
    currency: 'EUR',
    billCycleDayLocal: 31,
    paymentMethodId: newId(),
    name: oddText,
    firstNameLength: 3,
    company: 'company',
    address1: 'address 1',
    address2: 'address 2',
    city: 'city',
    state: 'state',
    postalCode: '007',
    country: 'DE',
    locale: 'de_DE',
    timeZone: timeZone('Asia/Kathmandu'),
    phone: '+49',
    email: 'a@b.example',
    notes: 'notes',
    isMigrated: true,
    createdDate: now,
    updatedDate: now,
    ...changes,
  };
}

/** An account with null wherever null may stand. */
export const bareAccount: Partial<New<Account>> = {
  parentAccountId: null,
  isPaymentDelegatedToParent: false,
  currency: null,
  billCycleDayLocal: 0,
  paymentMethodId: null,
  name: null,
  firstNameLength: null,
  company: null,
  address1: null,
  address2: null,
  city: null,
  state: null,
  postalCode: null,
  country: null,
  locale: null,
  phone: null,
  email: null,
  notes: null,
  isMigrated: null,
};

interface Owner {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
}

export function ownerOf(owner: Account): Owner {
  return { accountId: owner.id, accountRecordId: owner.recordId };
}

export function catalogPart(changes: Partial<NewCatalogPart>): NewCatalogPart {
  return {
    kind: CatalogPartKind.PLAN,
    name: oddText,
    forExisting: null,
    shape: null,
    text: JSON.stringify([oddText, newId()]),
    contentHash: newId(),
    ...changes,
  };
}

export function catalogVersion(changes: Partial<NewCatalogVersion>): NewCatalogVersion {
  return {
    id: newId(),
    effectiveDate: now,
    uploadId: newId(),
    parts: {
      frame: catalogPart({ kind: CatalogPartKind.FRAME }),
      products: [catalogPart({ kind: CatalogPartKind.PRODUCT })],
      plans: [catalogPart({ forExisting: now }), catalogPart({})],
    },
    sourceText: `<catalog>${oddText}</catalog>`,
    contentHash: 'sha',
    createdDate: now,
    ...changes,
  };
}

export function overridePlan(changes: Partial<New<StoredOverridePlan>>): New<StoredOverridePlan> {
  return {
    id: newId(),
    number: 7,
    planName: 'gold-monthly-7',
    parentPlanName: 'gold-monthly',
    currency: 'USD',
    overrides: '[["FIXED","TRIAL","5"]]',
    overrideHash: 'sha',
    createdDate: now,
    ...changes,
  };
}

export function bundle(owner: Owner, changes: Partial<New<Bundle>> = {}): New<Bundle> {
  const id = newId();
  return {
    id,
    ...owner,
    externalKey: id,
    retiredKey: null,
    originalCreatedDate: now,
    createdDate: now,
    ...changes,
  };
}

export function subscription(owner: Owner, changes: Partial<New<Subscription>> = {}): New<Subscription> {
  const id = newId();
  return {
    id,
    bundleId: newId(),
    ...owner,
    externalKey: id,
    category: 'BASE',
    alignStart: dated,
    bundleStart: dated,
    chargedThrough: dated,
    migrated: true,
    createdDate: now,
    ...changes,
  };
}

export function lifecycleEvent(
  { accountRecordId }: Owner,
  changes: Partial<New<LifecycleEvent>> = {},
): New<LifecycleEvent> {
  return {
    id: newId(),
    subscriptionId: newId(),
    accountRecordId,
    type: 'CHANGE',
    effective: dated,
    sequence: 7,
    planName: 'plan',
    phaseName: 'plan-evergreen',
    priceListName: 'DEFAULT',
    phaseAnchor: dated,
    phaseAnchorType: 'EVERGREEN',
    billCycleDay: 31,
    quantity: 3,
    reason: '{"datedBy":"BASE"}',
    isActive: true,
    deactivatedBy: newId(),
    createdDate: now,
    ...changes,
  };
}

export function blockingState(
  { accountRecordId }: Owner,
  changes: Partial<New<BlockingState>> = {},
): New<BlockingState> {
  return {
    id: newId(),
    blockedId: newId(),
    accountRecordId,
    type: 'SUBSCRIPTION',
    service: 'service',
    stateName: 'state',
    isBlockChange: true,
    isBlockEntitlement: false,
    isBlockBilling: true,
    effective: dated,
    sequence: 2,
    isActive: true,
    causedBy: newId(),
    createdDate: now,
    ...changes,
  };
}

let lastNumber = 0;

export function invoice(owner: Owner, changes: Partial<New<Invoice>> = {}): New<Invoice> {
  lastNumber += 1;
  return {
    id: newId(),
    ...owner,
    invoiceNumber: lastNumber,
    invoiceDate: today,
    targetDate: today,
    commitDate: today,
    currency: 'EUR',
    status: 'COMMITTED',
    isMigration: true,
    isWrittenOff: false,
    isParentInvoice: true,
    parentInvoiceId: null,
    parentAccountId: null,
    contributedAmount: null,
    groupId: newId(),
    amount: hugeAmount,
    creditAdj: decimal('-0.000000001'),
    refundAdj: decimal('0'),
    rawBalance: decimal('10.50'),
    createdDate: now,
    ...changes,
  };
}

export function invoiceItem(owner: Owner, changes: Partial<New<InvoiceItem>> = {}): New<InvoiceItem> {
  return {
    id: newId(),
    invoiceId: newId(),
    ...owner,
    itemType: 'RECURRING',
    childAccountId: newId(),
    bundleId: newId(),
    subscriptionId: newId(),
    productName: 'product',
    planName: 'plan',
    phaseName: 'plan-evergreen',
    usageName: 'usage',
    description: oddText,
    startDate: today,
    endDate: localDate(2026, 3, 1),
    amount: hugeAmount,
    rate: decimal('0.100000001'),
    currency: 'EUR',
    quantity: decimal('12345678901234567890.5'),
    linkedItemId: newId(),
    itemDetails: '{"a": 1.10}',
    catalogEffectiveDate: now,
    repairable: hugeAmount,
    createdDate: now,
    ...changes,
  };
}

/** Of a subscription that no run has looked at. */
export function cursor({ accountRecordId }: Owner, changes: Partial<StoredCursor>): StoredCursor {
  return {
    accountRecordId,
    subscriptionId: newId(),
    settledThrough: null,
    dirtyFrom: today,
    nextDueDate: null,
    catalogRevision: null,
    itemsDate: null,
    itemsCount: 0,
    usage: null,
    ongoing: null,
    ...changes,
  };
}

export function coverageRow(changes: Partial<CoverageRow> = {}): CoverageRow {
  return {
    kind: 'RECURRING',
    subscriptionId: newId(),
    itemId: newId(),
    startDate: today,
    endDate: localDate(2026, 3, 1),
    planName: 'plan',
    phaseName: 'plan-evergreen',
    rate: decimal('29.95'),
    amount: hugeAmount,
    ...changes,
  };
}

export function paymentMethod(owner: Owner, changes: Partial<New<PaymentMethod>> = {}): New<PaymentMethod> {
  const id = newId();
  return {
    id,
    externalKey: id,
    ...owner,
    pluginName: 'plugin',
    isActive: true,
    createdDate: now,
    ...changes,
  };
}

export function payment(owner: Owner, changes: Partial<New<Payment>> = {}): New<Payment> {
  const id = newId();
  lastNumber += 1;
  return {
    id,
    ...owner,
    paymentNumber: lastNumber,
    externalKey: id,
    paymentMethodId: newId(),
    stateName: 'PURCHASE_SUCCESS',
    lastSuccessStateName: 'PURCHASE_SUCCESS',
    createdDate: now,
    ...changes,
  };
}

/** What a refund of an invoice is to take back. */
export function invoiceRefund(): InvoiceRefund {
  const adjustments = [{ invoiceItemId: newId(), amount: hugeAmount, description: 'Goodwill' }];
  return { paymentId: newId(), invoicePaymentId: newId(), adjustments };
}

export function transaction(
  { accountRecordId }: Owner,
  changes: Partial<New<PaymentTransaction>> = {},
): New<PaymentTransaction> {
  const id = newId();
  return {
    id,
    paymentId: newId(),
    accountRecordId,
    attemptId: newId(),
    externalKey: id,
    transactionType: 'PURCHASE',
    effectiveDate: now,
    status: 'UNKNOWN',
    amount: hugeAmount,
    currency: 'EUR',
    processedAmount: decimal('0.01'),
    processedCurrency: 'USD',
    gatewayErrorCode: 'code',
    gatewayErrorMsg: oddText,
    paymentResponse: 'DO_NOT_HONOR',
    invoiceRefund: invoiceRefund(),
    leaseUntil: now,
    createdDate: now,
    ...changes,
  };
}

export function attempt(owner: Owner, changes: Partial<New<PaymentAttempt>> = {}): New<PaymentAttempt> {
  return {
    id: newId(),
    ...owner,
    paymentMethodId: newId(),
    paymentExternalKey: newId(),
    transactionId: newId(),
    transactionExternalKey: newId(),
    transactionType: 'PURCHASE',
    stateName: 'INIT',
    amount: hugeAmount,
    currency: 'EUR',
    pluginNames: ['first', oddText],
    pluginProperties: [],
    isApiPayment: true,
    createdDate: now,
    ...changes,
  };
}

export function invoicePayment(
  { accountRecordId }: Owner,
  changes: Partial<New<InvoicePayment>> = {},
): New<InvoicePayment> {
  return {
    id: newId(),
    accountRecordId,
    invoiceId: newId(),
    type: 'ATTEMPT',
    status: 'SUCCESS',
    paymentId: newId(),
    paymentDate: now,
    amount: hugeAmount,
    currency: 'EUR',
    processedCurrency: 'USD',
    transactionExternalKey: newId(),
    linkedInvoicePaymentId: newId(),
    createdDate: now,
    ...changes,
  };
}

export function tagDefinition(changes: Partial<New<UserTagDefinition>> = {}): New<UserTagDefinition> {
  const id = newId();
  return {
    id,
    name: id,
    description: oddText,
    applicableObjectTypes: ['ACCOUNT', 'BUNDLE'],
    isActive: true,
    createdDate: now,
    ...changes,
  };
}

export function tag({ accountId, accountRecordId }: Owner, changes: Partial<New<Tag>> = {}): New<Tag> {
  return {
    id: newId(),
    objectType: 'ACCOUNT',
    objectId: accountId,
    tagDefinitionId: newId(),
    accountRecordId,
    isActive: true,
    createdDate: now,
    ...changes,
  };
}

export function accountEmail(owner: Owner, changes: Partial<New<AccountEmail>> = {}): New<AccountEmail> {
  return { id: newId(), ...owner, email: oddText, isActive: true, createdDate: now, ...changes };
}

export function delivery(changes: Partial<New<PushDelivery>>): New<PushDelivery> {
  return {
    id: newId(),
    accountRecordId: null,
    eventType: 'ACCOUNT_CHANGE',
    body: '{}',
    url: 'https://example.com/',
    state: 'AVAILABLE',
    dueOrder: 0,
    attempts: 0,
    failures: 0,
    attemptedDate: null,
    lastStatus: null,
    lastError: null,
    userToken: newId(),
    traceParent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    createdDate: now,
    endedDate: null,
    ...changes,
  };
}

export function customField(
  { accountId, accountRecordId }: Owner,
  changes: Partial<New<CustomField>> = {},
): New<CustomField> {
  const id = newId();
  return {
    id,
    objectType: 'ACCOUNT',
    objectId: accountId,
    name: oddText,
    value: id,
    accountRecordId,
    isActive: true,
    createdBy: oddText,
    createdDate: now,
    updatedBy: oddText,
    updatedDate: now,
    ...changes,
  };
}

export function autoPayHold(owner: Owner, changes: Partial<New<AutoPayHold>> = {}): New<AutoPayHold> {
  return {
    id: newId(),
    ...owner,
    invoiceId: newId(),
    attemptId: newId(),
    amount: hugeAmount,
    currency: 'EUR',
    isActive: true,
    createdDate: now,
    ...changes,
  };
}
