import { expect } from 'chai';
import { AccountCurrencyEnum } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

const unknownId = '11111111-1111-4111-8111-111111111111';

export function describeAccounts(journey: JourneyOf): void {
  describe('accounts', () => {
    it('are created and found at their Location', async () => {
      const { client, ids } = journey();
      const body = {
        name: 'Ada Lovelace',
        firstNameLength: 3,
        externalKey: 'ada',
        email: 'ada@example.com',
        currency: AccountCurrencyEnum.Usd,
        timeZone: 'Europe/Vienna',
        locale: 'de_AT',
        postalCode: '1010',
        company: 'Analytical Engines',
      };
      const { status, data } = await client.account.createAccount(body, BY, 'a reason', 'Grüße');
      expect(status).to.equal(201);
      expect(data).to.include({ ...body, isMigrated: null, billCycleDayLocal: 0 });
      ids.note('accountId', data.accountId);
      const again = await failureOf(client.account.createAccount(body, BY));
      expect(again.status).to.equal(409);
      expect(again.body).to.include({ code: 3000 });
    });

    it('are found by id and by key, with balances and audit logs', async () => {
      const { client, ids } = journey();
      const byId = await client.account.getAccount(ids.get('accountId'), false, true, 'FULL');
      expect(byId.data).to.include({ externalKey: 'ada', accountBalance: 0, accountCBA: 0 });
      const [log] = byId.data.auditLogs ?? [];
      expect(log).to.include({ changeType: 'INSERT', changedBy: BY, reasonCode: 'a reason' });
      expect((await client.account.getAccountByKey('ada', false, true, 'FULL')).data).to.eql(byId.data);
      const unknown = await failureOf(client.account.getAccount(unknownId));
      expect(unknown.status).to.equal(404);
      expect(unknown.body).to.include({ code: 3002, className: 'AccountError' });
    });

    it('are updated with the model that was read', async () => {
      const { client, ids } = journey();
      const { data } = await client.account.getAccount(ids.get('accountId'));
      const changed = { ...data, name: 'Augusta', phone: '+43 1' };
      expect((await client.account.updateAccount(changed, ids.get('accountId'), BY)).status).to.equal(204);
      expect((await client.account.getAccount(ids.get('accountId'))).data).to.eql(changed);
      // A typed client represents null by omitting the member.
      const { phone: _, ...without } = changed;
      await client.account.updateAccount(without, ids.get('accountId'), BY, true);
      const reset = await client.account.getAccount(ids.get('accountId'));
      expect(reset.data).to.eql({ ...changed, phone: null });
    });

    it('are listed in pages and searched', async () => {
      const { client } = journey();
      for (const name of ['Bert', 'Clara'])
        await client.account.createAccount({ name, externalKey: name.toLowerCase() }, BY);
      const page = await client.account.getAccounts(1, 1, true, false, 'MINIMAL');
      expect(page.data.map((account) => account.name)).to.eql(['Bert']);
      expect(page.headers).to.include({
        'x-killbill-pagination-currentoffset': '1',
        'x-killbill-pagination-nextoffset': '2',
        'x-killbill-pagination-totalnbrecords': '3',
        'x-killbill-pagination-maxnbrecords': '3',
      });
      const found = await client.account.searchAccounts('augus', 0, 10, false, true);
      expect(found.data.map((account) => account.externalKey)).to.eql(['ada']);
      expect((await client.account.searchAccounts('ada@example.com', -1, 1)).data).to.have.length(1);
      const clause = await client.account.searchAccounts('_q=1&name[like]=%lar%');
      expect(clause.data.map((account) => account.name)).to.eql(['Clara']);
    });

    it('have a parent and children', async () => {
      const { client, ids } = journey();
      const child = await client.account.createAccount(
        { name: 'Byron', currency: AccountCurrencyEnum.Usd, parentAccountId: ids.get('accountId') },
        BY,
      );
      expect(child.data).to.include({ parentAccountId: ids.get('accountId') });
      const { data } = await client.account.getChildrenAccounts(ids.get('accountId'), true, true, 'NONE');
      expect(data.map((account) => account.accountId)).to.eql([child.data.accountId]);
    });

    it('are closed', async () => {
      const { client } = journey();
      const { data } = await client.account.createAccount({ name: 'Diana' }, BY);
      const id = String(data.accountId);
      expect((await client.account.closeAccount(id, BY, true, true, false, true)).status).to.equal(204);
      const tags = await client.account.getAccountTags(id);
      expect(tags.data.map((tag) => tag.tagDefinitionName)).to.include('AUTO_INVOICING_OFF');
    });

    it('have additional email addresses', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const made = await client.account.addEmail({ accountId, email: 'second+1@example.com' }, accountId, BY);
      expect(made.status).to.equal(201);
      const { data } = await client.account.getEmails(accountId);
      expect(data.map(({ email }) => email)).to.eql(['second+1@example.com']);
      await client.account.removeEmail(accountId, 'second+1@example.com', BY);
      expect((await client.account.getEmails(accountId)).data).to.eql([]);
    });
  });
}
