import type {
  Account,
  Authorship,
  CoverageRow,
  CustomField,
  Invoice,
  New,
  Payment,
  PaymentTransaction,
  PushDelivery,
  StoredCursor,
  Tag,
  Tenant,
  UserTagDefinition,
  Uuid,
} from '../../../lib/index.ts';
import {
  accountEmailFields,
  accountFields,
  autoPayHoldFields,
  blockingStateFields,
  bundleFields,
  CatalogPartKind,
  coverageFields,
  customFieldFields,
  type InvoiceRefund,
  invoiceFields,
  invoiceItemFields,
  invoicePaymentFields,
  lifecycleEventFields,
  type NewCatalogPart,
  type NewCatalogVersion,
  overridePlanFields,
  paymentAttemptFields,
  paymentFields,
  paymentMethodFields,
  paymentTransactionFields,
  pushDeliveryFields,
  type StoredOverridePlan,
  subscriptionFields,
  tagDefinitionFields,
  tagFields,
  tenantFields,
} from '../../../lib/records/index.ts';
import type { Fields, RecordOf } from '../../../lib/values/fields/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { emptyFields, filledRecord } from './filled-record.ts';
import { hugeAmount, newId, now, oddText, today } from './stored-values.ts';

export * from './stored-values.ts';

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
  const references = {
    configurationRecordId: null,
    callbackRecordId: null,
    overdueConfigRecordId: null,
    stateMachineRevision: null,
    usageThresholdsRecordId: null,
  };
  return filledRecord(tenantFields, { catalogRevision: 0, apiKey: newId(), ...references, ...changes });
}

export function account(changes: Partial<New<Account>>): New<Account> {
  return filledRecord(accountFields, changes);
}

export const bareAccount: Partial<New<Account>> = {
  ...emptyFields(accountFields),
  isPaymentDelegatedToParent: false,
  billCycleDayLocal: 0,
};

interface Owner {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
}

export function ownerOf(owner: Account): Owner {
  return { accountId: owner.id, accountRecordId: owner.recordId };
}

/** Returns a builder of filled records that belong to an account. */
function owned<F extends Fields>(fields: F, own: Partial<New<RecordOf<F>>> = {}) {
  return ({ accountId, accountRecordId }: Owner, changes: Partial<New<RecordOf<F>>> = {}) => {
    const owner = 'accountId' in fields ? { accountId, accountRecordId } : { accountRecordId };
    return filledRecord(fields, { ...owner, ...own, ...changes });
  };
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
  return filledRecord(overridePlanFields, {
    number: 7,
    planName: 'gold-monthly-7',
    parentPlanName: 'gold-monthly',
    currency: 'USD',
    overrideHash: 'sha',
    ...changes,
  });
}

export const bundle = owned(bundleFields, { retiredKey: null });

export const subscription = owned(subscriptionFields);

export const lifecycleEvent = owned(lifecycleEventFields, { type: 'CHANGE', reason: '{"datedBy":"BASE"}' });

export const blockingState = owned(blockingStateFields, { isBlockEntitlement: false });

let lastNumber = 0;

export function invoice(owner: Owner, changes: Partial<New<Invoice>> = {}): New<Invoice> {
  lastNumber += 1;
  return filledRecord(invoiceFields, {
    ...owner,
    invoiceNumber: lastNumber,
    status: 'COMMITTED',
    isWrittenOff: false,
    parentInvoiceId: null,
    parentAccountId: null,
    contributedAmount: null,
    creditAdj: decimal('-0.000000001'),
    refundAdj: decimal('0'),
    rawBalance: decimal('10.50'),
    ...changes,
  });
}

export const invoiceItem = owned(invoiceItemFields, {
  itemType: 'RECURRING',
  endDate: localDate(2026, 3, 1),
  rate: decimal('0.100000001'),
  quantity: decimal('12345678901234567890.5'),
  discounts: [{ code: 'SPRING', name: oddText, amount: decimal('0.100000001') }],
});

/** The cursor of a subscription before its first run. */
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
  const own = { kind: 'RECURRING', endDate: localDate(2026, 3, 1), rate: decimal('29.95') } as const;
  return filledRecord(coverageFields, { ...own, ...changes });
}

export const paymentMethod = owned(paymentMethodFields);

export function payment(owner: Owner, changes: Partial<New<Payment>> = {}): New<Payment> {
  lastNumber += 1;
  return filledRecord(paymentFields, { ...owner, paymentNumber: lastNumber, ...changes });
}

export function invoiceRefund(): InvoiceRefund {
  const adjustments = [{ invoiceItemId: newId(), amount: hugeAmount, description: 'Goodwill' }];
  return { paymentId: newId(), invoicePaymentId: newId(), adjustments };
}

export function transaction(
  { accountRecordId }: Owner,
  changes: Partial<New<PaymentTransaction>> = {},
): New<PaymentTransaction> {
  return filledRecord(paymentTransactionFields, {
    accountRecordId,
    transactionType: 'PURCHASE',
    status: 'UNKNOWN',
    processedAmount: decimal('0.01'),
    processedCurrency: 'USD',
    invoiceRefund: invoiceRefund(),
    ...changes,
  });
}

export const attempt = owned(paymentAttemptFields, {
  transactionType: 'PURCHASE',
  pluginNames: ['first', oddText],
  pluginProperties: [],
});

export const invoicePayment = owned(invoicePaymentFields, { status: 'SUCCESS', processedCurrency: 'USD' });

export function tagDefinition(changes: Partial<New<UserTagDefinition>> = {}): New<UserTagDefinition> {
  const own = { name: newId(), applicableObjectTypes: ['ACCOUNT', 'BUNDLE'] } as const;
  return filledRecord(tagDefinitionFields, { ...own, ...changes });
}

export function tag({ accountId, accountRecordId }: Owner, changes: Partial<New<Tag>> = {}): New<Tag> {
  const own = { objectType: 'ACCOUNT', objectId: accountId, accountRecordId } as const;
  return filledRecord(tagFields, { ...own, ...changes });
}

export const accountEmail = owned(accountEmailFields);

export function delivery(changes: Partial<New<PushDelivery>>): New<PushDelivery> {
  return filledRecord(pushDeliveryFields, {
    ...emptyFields(pushDeliveryFields),
    eventType: 'ACCOUNT_CHANGE',
    body: '{}',
    url: 'https://example.com/',
    state: 'AVAILABLE',
    dueOrder: 0,
    attempts: 0,
    failures: 0,
    userToken: newId(),
    traceParent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ...changes,
  });
}

export function customField(
  { accountId, accountRecordId }: Owner,
  changes: Partial<New<CustomField>> = {},
): New<CustomField> {
  const own = { objectType: 'ACCOUNT', objectId: accountId, value: newId(), accountRecordId } as const;
  return filledRecord(customFieldFields, { ...own, ...changes });
}

export const autoPayHold = owned(autoPayHoldFields);
