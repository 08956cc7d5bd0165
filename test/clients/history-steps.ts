import { expect } from 'chai';
import type { AuditLog } from 'killbill';
import { BY, type IdName, type JourneyOf } from './journey.ts';

const histories = [
  ['bundle', 'getBundleAuditLogsWithHistory', 'bundleId'],
  ['subscription', 'getSubscriptionAuditLogsWithHistory', 'subscriptionId'],
  ['subscription', 'getSubscriptionEventAuditLogsWithHistory', 'eventId'],
  ['account', 'getBlockingStateAuditLogsWithHistory', 'blockingId'],
  ['invoice', 'getInvoiceAuditLogsWithHistory', 'invoiceId'],
  ['invoiceItem', 'getInvoiceItemAuditLogsWithHistory', 'invoiceItemId'],
  ['invoicePayment', 'getInvoicePaymentAuditLogsWithHistory', 'invoicePaymentId'],
  ['payment', 'getPaymentAuditLogsWithHistory', 'paymentId'],
  ['payment', 'getPaymentAttemptAuditLogsWithHistory', 'paymentAttemptId'],
  ['paymentTransaction', 'getTransactionAuditLogsWithHistory', 'transactionId'],
  ['paymentMethod', 'getPaymentMethodAuditLogsWithHistory', 'paymentMethodId'],
  ['tag', 'getTagAuditLogsWithHistory', 'tagId'],
  ['tagDefinition', 'getTagDefinitionAuditLogsWithHistory', 'tagDefinitionId'],
  ['customField', 'getCustomFieldAuditLogsWithHistory', 'customFieldId'],
] as const;

export function describeHistory(journey: JourneyOf): void {
  describe('audit logs', () => {
    it('list the changes of the account and everything it owns', async () => {
      const { client, ids } = journey();
      const { data } = await client.account.getAccountAuditLogs(ids.get('accountId'));
      const own = data.find(({ objectType }) => objectType === 'ACCOUNT');
      expect(own).to.include({ changeType: 'INSERT', changedBy: BY });
      const types = data.map(({ objectType }) => objectType);
      const groups = types.filter((type, index) => type !== types[index - 1]);
      expect(groups, 'table by table (R49)').to.eql([...new Set(types)]);
      const noteFirst = (name: IdName, type: AuditLog['objectType']) =>
        ids.note(name, data.find(({ objectType }) => objectType === type)?.objectId);
      noteFirst('blockingId', 'BLOCKING_STATES');
      noteFirst('invoicePaymentId', 'INVOICE_PAYMENT');
      noteFirst('paymentAttemptId', 'PAYMENT_ATTEMPT');
      noteFirst('accountEmailId', 'ACCOUNT_EMAIL');
    });

    it('include the account in an export', async () => {
      const { client, ids } = journey();
      const { status, data } = await client.export.exportDataForAccount(ids.get('accountId'), BY);
      expect(status).to.equal(200);
      expect(data).to.match(/^-- accounts record_id\|id\|external_key\|email\|name\|/m);
    });

    it('show earlier versions of the account and its email addresses', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const { data } = await client.account.getAccountAuditLogsWithHistory(accountId);
      expect(data[0]?.history).to.include({ name: 'Ada Lovelace' });
      const emails = await client.account.getAccountEmailAuditLogsWithHistory(
        accountId,
        ids.get('accountEmailId'),
      );
      expect(emails.data.map(({ changeType }) => changeType)).to.eql(['INSERT', 'DELETE']);
    });

    for (const [api, operation, idName] of histories)
      it(`show the object after each change with ${operation}`, async () => {
        const { client, ids } = journey();
        const [log] = (await client.operation(api, operation)(ids.get(idName))).data as AuditLog[];
        expect(log).to.include({ changeType: 'INSERT', objectId: ids.get(idName) });
        expect(log?.history).to.include.keys('id', 'createdDate', 'updatedDate');
      });
  });
}
