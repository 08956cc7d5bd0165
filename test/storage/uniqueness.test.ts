import { postgresqlDialect } from '../../adapters/mikro-orm/postgresql/dialect.ts';
import { ErrorCode, type Uuid } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { eachDatabaseAndOneByOne, expect } from '../support/index.ts';
import { catalogEntry, planRow } from '../support/storage/entry-records.ts';
import { rejection, sharedStorage } from '../support/storage/opened-storage.ts';
import {
  account,
  accountEmail,
  author,
  blockingState,
  bundle,
  catalogVersion,
  coverageRow,
  customField,
  invoice,
  invoicePayment,
  lifecycleEvent,
  newId,
  overridePlan,
  ownerOf,
  payment,
  paymentMethod,
  subscription,
  tagDefinition,
  tenant,
  transaction,
} from '../support/storage/stored-records.ts';

type Owner = ReturnType<typeof ownerOf>;

interface Rule {
  /** The code of the caller's error, or the name of the error if it is a defect. */
  readonly meaning: number | 'InvariantError';
  insert(session: WriteSession, owner: Owner, key: Uuid): Promise<unknown>;
  /** Inserts a record that is as similar as possible without being rejected. */
  near?(session: WriteSession, owner: Owner, key: Uuid): Promise<unknown>;
}

const rules: Readonly<Record<string, Rule>> = {
  'account external key': {
    meaning: ErrorCode.ACCOUNT_ALREADY_EXISTS,
    insert: (session, _owner, key) => session.accounts.insert([account({ externalKey: key })]),
    near: (session, _owner, key) => session.accounts.insert([account({ externalKey: key.toUpperCase() })]),
  },
  'active secondary address of an account': {
    meaning: 'InvariantError',
    insert: (session, owner, key) => session.accounts.insertEmails([accountEmail(owner, { email: key })]),
    near: (session, owner, key) =>
      session.accounts.insertEmails([
        accountEmail(owner, { email: key.toUpperCase() }),
        accountEmail(owner, { email: key, isActive: false }),
      ]),
  },
  'bundle external key': {
    meaning: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    insert: (session, owner, key) =>
      session.subscriptions.insertBundles([bundle(owner, { externalKey: key })]),
    near: (session, owner, key) =>
      session.subscriptions.insertBundles([
        bundle(owner, { externalKey: key, retiredKey: `kbcncl-1:${key}` }),
        bundle(owner, { externalKey: key, retiredKey: `kbtsf-2:${key}` }),
      ]),
  },
  'subscription external key': {
    meaning: ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
    insert: (session, owner, key) =>
      session.subscriptions.insertSubscriptions([subscription(owner, { externalKey: key })]),
  },
  'start (active CREATE or TRANSFER) of a subscription': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.subscriptions.insertEvents([lifecycleEvent(owner, { subscriptionId: key, type: 'CREATE' })]),
    near: (session, owner, key) =>
      session.subscriptions.insertEvents([
        lifecycleEvent(owner, { subscriptionId: key, type: 'TRANSFER', isActive: false }),
        lifecycleEvent(owner, { subscriptionId: key, type: 'CHANGE' }),
      ]),
  },
  'active ENT_STARTED of a subscription': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.subscriptions.insertBlockingStates([
        blockingState(owner, { blockedId: key, service: 'entitlement-service', stateName: 'ENT_STARTED' }),
      ]),
    near: (session, owner, key) =>
      session.subscriptions.insertBlockingStates([
        blockingState(owner, { blockedId: key, service: 'entitlement-service', stateName: 'ENT_CANCELLED' }),
        blockingState(owner, { blockedId: key, service: 'other', stateName: 'ENT_STARTED' }),
        blockingState(owner, {
          blockedId: key,
          service: 'entitlement-service',
          stateName: 'ENT_STARTED',
          isActive: false,
        }),
      ]),
  },
  'name of an active tag definition': {
    meaning: ErrorCode.TAG_DEFINITION_ALREADY_EXISTS,
    insert: (session, _owner, key) => session.tags.insertDefinitions([tagDefinition({ name: key })]),
    near: (session, _owner, key) =>
      session.tags.insertDefinitions([tagDefinition({ name: key, isActive: false })]),
  },
  'name and value of an active custom field of an object': {
    meaning: ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
    insert: (session, owner, key) =>
      session.customFields.insert([customField(owner, { name: key, value: 'v' })]),
    near: (session, owner, key) =>
      session.customFields.insert([
        customField(owner, { name: key, value: 'V' }),
        customField(owner, { name: key, value: 'v', isActive: false }),
        customField(owner, { name: key, value: 'v', objectId: key }),
        customField(owner, { name: key, value: 'v', objectType: 'BUNDLE' }),
      ]),
  },
  'invoice number': {
    meaning: 'InvariantError',
    insert: (session, owner) =>
      session.invoices.insertInvoices([invoice(owner, { invoiceNumber: 9_000_000 })]),
  },
  'recurring coverage start of a subscription': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.invoices.insertCoverage([coverageRow({ subscriptionId: key })], () => owner.accountRecordId),
    near: (session, owner, key) =>
      session.invoices.insertCoverage(
        [
          coverageRow({ subscriptionId: key, kind: 'FREE' }),
          coverageRow({ subscriptionId: key, kind: 'FIXED' }),
        ],
        () => owner.accountRecordId,
      ),
  },
  'start, plan, phase and amount of a fixed row': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.invoices.insertCoverage(
        [coverageRow({ subscriptionId: key, kind: 'FIXED', amount: decimal('10.00') })],
        () => owner.accountRecordId,
      ),
    near: (session, owner, key) =>
      session.invoices.insertCoverage(
        [coverageRow({ subscriptionId: key, kind: 'FIXED', amount: decimal('10.01') })],
        () => owner.accountRecordId,
      ),
  },
  'payment method external key': {
    meaning: ErrorCode.PAYMENT_INVALID_PARAMETER,
    insert: (session, owner, key) =>
      session.payments.insertMethods([paymentMethod(owner, { externalKey: key })]),
  },
  'payment external key': {
    meaning: ErrorCode.PAYMENT_INVALID_PARAMETER,
    insert: (session, owner, key) => session.payments.insertPayments([payment(owner, { externalKey: key })]),
  },
  'external key of a successful or open transaction': {
    meaning: ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
    insert: (session, owner, key) =>
      session.payments.insertTransactions([transaction(owner, { externalKey: key, status: 'SUCCESS' })]),
    near: (session, owner, key) =>
      session.payments.insertTransactions([
        transaction(owner, { externalKey: key, status: 'PAYMENT_FAILURE' }),
        transaction(owner, { externalKey: key, status: 'PLUGIN_FAILURE' }),
        transaction(owner, { externalKey: key, status: 'PENDING', transactionType: 'CHARGEBACK' }),
        transaction(owner, { externalKey: key, status: 'SUCCESS', transactionType: 'CHARGEBACK' }),
        transaction(owner, { externalKey: key, status: 'SUCCESS', transactionType: 'CHARGEBACK' }),
      ]),
  },
  'gateway transaction of a payment': {
    meaning: ErrorCode.PAYMENT_INTERNAL_ERROR,
    insert: (session, owner, key) =>
      session.payments.insertTransactions([transaction(owner, { paymentId: key })]),
    near: (session, owner, key) =>
      session.payments.insertTransactions([transaction(owner, { paymentId: key, leaseUntil: null })]),
  },
  'transaction key of a paid invoice’s row': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.payments.insertInvoicePayments([invoicePayment(owner, { transactionExternalKey: key })]),
    near: (session, owner, key) =>
      session.payments.insertInvoicePayments([
        invoicePayment(owner, { transactionExternalKey: key, type: 'REFUND' }),
      ]),
  },
  'payment and transaction key of an invoice payment’s refund': {
    meaning: 'InvariantError',
    insert: (session, owner, key) =>
      session.payments.insertInvoicePayments([
        invoicePayment(owner, { transactionExternalKey: key, paymentId: key, type: 'REFUND' }),
      ]),
    near: (session, owner, key) =>
      session.payments.insertInvoicePayments([
        invoicePayment(owner, { transactionExternalKey: key, type: 'REFUND' }),
        invoicePayment(owner, { transactionExternalKey: key, paymentId: key, type: 'CHARGED_BACK' }),
      ]),
  },
  'effective date of a catalog version': {
    meaning: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    insert: (session) => session.catalogs.insert([catalogVersion({})]),
  },
  'number of an override plan': {
    meaning: ErrorCode.BUSY,
    insert: (session, _owner, key) =>
      session.catalogs.insertOverridePlans([
        overridePlan({ number: 1, planName: newId(), overrideHash: `${key}${newId()}` }),
      ]),
  },
  'name of an override plan': {
    meaning: ErrorCode.BUSY,
    insert: async (session, _owner, key) =>
      session.catalogs.insertOverridePlans([
        overridePlan({ ...(await nextNumber(session)), planName: key, overrideHash: newId() }),
      ]),
    near: async (session, _owner, key) =>
      session.catalogs.insertOverridePlans([
        overridePlan({ ...(await nextNumber(session)), planName: key.toUpperCase(), overrideHash: newId() }),
      ]),
  },
  'parent and overrides of an override plan': {
    meaning: ErrorCode.BUSY,
    insert: async (session, _owner, key) =>
      session.catalogs.insertOverridePlans([
        overridePlan({ ...(await nextNumber(session)), planName: newId(), overrideHash: key }),
      ]),
    near: async (session, _owner, key) =>
      session.catalogs.insertOverridePlans([
        overridePlan({
          ...(await nextNumber(session)),
          planName: newId(),
          parentPlanName: 'silver-monthly',
          overrideHash: key,
        }),
      ]),
  },
  'kind and name of a catalog entry': {
    meaning: 'InvariantError',
    insert: (session, _owner, key) =>
      session.catalogEntries.apply({ addedEntries: [catalogEntry({ name: key })] }),
    near: (session, _owner, key) =>
      session.catalogEntries.apply({ addedEntries: [catalogEntry({ name: key, kind: 'PRODUCT' })] }),
  },
  'plan, date and order of a plan row': {
    meaning: 'InvariantError',
    insert: (session, _owner, key) =>
      session.catalogEntries.apply({ addedRows: [planRow({ planName: key })] }),
    near: (session, _owner, key) =>
      session.catalogEntries.apply({ addedRows: [planRow({ planName: key, createdOrder: 2 })] }),
  },
};

async function nextNumber(session: WriteSession): Promise<{ readonly number: number }> {
  return { number: (await session.catalogs.lastOverridePlanNumber()) + 1 };
}

eachDatabaseAndOneByOne.describe('uniqueness check in storage', (open, kind) => {
  const opened = sharedStorage(kind, open);
  let owner: Owner;
  before(async () => {
    const [stored] = await opened.newAccounts(1);
    owner = ownerOf(stored);
  });

  for (const [title, { meaning, insert, near }] of Object.entries(rules))
    it(`rejects a duplicate ${title} within a tenant but accepts the same value in another tenant`, async () => {
      const key = newId();
      await opened.write((session) => insert(session, owner, key));
      const refused = await rejection(opened.write((session) => insert(session, owner, key)));
      expect(meaning === 'InvariantError' ? refused.name : refused.code).to.equal(meaning);
      if (near) await opened.write((session) => near(session, owner, key));
      const elsewhere = await opened.newTenant();
      await opened.storage.write(elsewhere, author(), (session) => insert(session, owner, key));
    });

  it('reports the value of the rejected row, unless the statement inserts several rows', async () => {
    const insert = (...keys: readonly string[]) =>
      opened.write((session) => session.accounts.insert(keys.map((externalKey) => account({ externalKey }))));
    const messageOf = async (work: Promise<unknown>) => (await rejection(work)).message;
    await insert('acme');
    expect(await messageOf(insert('acme'))).to.match(/^An account with external key "acme" already exists;/);
    expect(await messageOf(insert('b', 'acme'))).to.match(
      /^An account with this external key already exists;/,
    );

    const insertField = () =>
      opened.write((session) =>
        session.customFields.insert([customField(owner, { name: 'size', value: 'XL' })]),
      );
    await insertField();
    expect(await messageOf(insertField())).to.match(/with this name and value "XL";/);
  });

  it('applies to tenant API keys', async () => {
    const apiKey = newId();
    await opened.storage.system.insertTenant(tenant({ apiKey }), author());
    const refused = await rejection(opened.storage.system.insertTenant(tenant({ apiKey }), author()));
    expect(refused.code).to.equal(ErrorCode.TENANT_ALREADY_EXISTS);
  });

  it('applies to ids across the whole database', async () => {
    const id = newId();
    await opened.writing.subscriptions.insertBundles([bundle(owner, { id })]);
    const elsewhere = await opened.newTenant();
    const refused = await rejection(
      opened.storage.write(elsewhere, author(), (session) =>
        session.subscriptions.insertBundles([bundle(owner, { id })]),
      ),
    );
    expect(refused.name).to.equal('InvariantError');
  });
});

describe('uniqueness check on Citus', () => {
  const failureOf = (code: string, message: string) =>
    postgresqlDialect.failureOf(Object.assign(new Error(message), { code, severity: 'ERROR' }));

  it('reads the violated unique index from the error message', () => {
    const message = 'duplicate key value violates unique constraint "bw_accounts_external_key_unique_102266"';
    expect(failureOf('23505', message)).to.eql({
      kind: 'unique',
      violation: { index: 'bw_accounts_external_key_unique' },
    });
  });

  it('treats an unresponsive worker as an unreachable database', () => {
    const message = 'failure on connection marked as essential: 127.0.0.1:9701';
    expect(failureOf('XX000', message)).to.eql({ kind: 'away' });
  });

  it('uses the error message to recognize the constraint against tenants that have left the cell (cells §3.2 rule 4)', () => {
    const message =
      'new row for relation "bw_accounts_102266" violates check constraint "bw_moved_away_102266"';
    expect(failureOf('23514', message)).to.eql({ kind: 'moving' });
  });
});
