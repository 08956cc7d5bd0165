import { expect } from 'chai';
import type { CustomField, Tag } from 'killbill';
import { fieldedResources, taggedResources } from '../../adapters/koa/routing/objects.ts';
import { BY, type IdName, type JourneyOf } from './journey.ts';
import { failureOf, type KillbillClient } from './killbill-client.ts';

/** The package's class with the operations of a resource, by the noun in their names. */
const apiOf = {
  Account: 'account',
  Bundle: 'bundle',
  Subscription: 'subscription',
  Invoice: 'invoice',
  InvoiceItem: 'invoiceItem',
  Payment: 'payment',
  InvoicePayment: 'invoicePayment',
  Transaction: 'paymentTransaction',
  PaymentMethod: 'paymentMethod',
} as const satisfies Readonly<Record<string, keyof KillbillClient>>;

type Noun = keyof typeof apiOf;

export function describeTagsAndFields(journey: JourneyOf): void {
  describe('tags and custom fields', () => {
    it('have tag definitions', async () => {
      const { client, ids } = journey();
      const body = {
        name: 'blue',
        description: 'a color',
        // The package requires a Set here, which JSON would write as an empty object, so the caller defines its JSON
        // form.
        applicableObjectTypes: Object.assign(new Set(taggedTypes), { toJSON: () => taggedTypes }),
      };
      const made = await client.tagDefinition.createTagDefinition(body, BY);
      expect(made.data).to.deep.include({ name: 'blue', isControlTag: false });
      const id = ids.note('tagDefinitionId', made.data.id);
      expect((await client.tagDefinition.getTagDefinition(id, 'NONE')).data).to.eql(made.data);
      const { data } = await client.tagDefinition.getTagDefinitions('FULL');
      expect(data.map(({ name }) => name)).to.include.members(['blue', 'AUTO_PAY_OFF']);
    });

    for (const { noun, idName } of taggedResources)
      it(`include tags of ${noun}`, async () => {
        const { client, ids } = journey();
        const api = apiOf[noun as Noun];
        const id = ids.get(idName as IdName);
        const definitionId = ids.get('tagDefinitionId');
        const read = async () => {
          // For an invoice item, the package also requires the account.
          const also = noun === 'InvoiceItem' ? [ids.get('accountId')] : [];
          const { data } = await client.operation(api, `get${noun}Tags`)(id, ...also);
          return (data as Tag[]).map((tag) => tag.tagDefinitionName);
        };
        const made = await client.operation(api, `create${noun}Tags`)([definitionId], id, BY);
        expect(made.status).to.equal(201);
        expect(await read()).to.eql(['blue']);
        const removed = await client.operation(api, `delete${noun}Tags`)(id, BY, [definitionId]);
        expect(removed.status).to.equal(204);
        expect(await read()).to.eql([]);
      });

    for (const { noun, idName } of fieldedResources)
      it(`include added, changed and removed custom fields of ${noun}`, async () => {
        const { client, ids } = journey();
        const api = apiOf[noun as Noun];
        const id = ids.get(idName as IdName);
        const read = async () => {
          const { data } = await client.operation(api, `get${noun}CustomFields`)(id, 'FULL');
          return data as CustomField[];
        };
        const fields = [
          { name: 'first', value: 'one' },
          { name: 'second', value: 'two' },
        ];
        await client.operation(api, `create${noun}CustomFields`)(fields, id, BY);
        const made = await read();
        expect(made.map(({ name, value }) => ({ name, value }))).to.eql(fields);
        const [{ customFieldId: first } = {}, { customFieldId: second } = {}] = made;
        const changed = [{ customFieldId: first, value: 'changed' }];
        await client.operation(api, `modify${noun}CustomFields`)(changed, id, BY);
        expect((await read())[0]?.value).to.equal('changed');
        // Several ids are sent as a repeated parameter.
        const removed = await client.operation(api, `delete${noun}CustomFields`)(id, BY, [first, second]);
        expect(removed.status).to.equal(204);
        expect(await read()).to.eql([]);
      });

    it('are listed and searched by tenant and by account', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      await client.account.createAccountTags([ids.get('tagDefinitionId')], accountId, BY);
      const { data: tags } = await client.account.getAllTags(accountId, 'ACCOUNT', false, 'FULL');
      ids.note('tagId', tags[0]?.tagId);
      const all = await client.tag.getTags(0, 10, 'NONE');
      expect(all.data.map((tag) => tag.tagDefinitionName)).to.include('blue');
      expect((await client.tag.searchTags('blu', 0, 10)).data).to.have.length(1);
      await client.account.createAccountCustomFields([{ name: 'tier', value: 'gold' }], accountId, BY);
      const { data: fields } = await client.account.getAllCustomFields(accountId, 'ACCOUNT', 'NONE');
      expect(fields).to.have.length(1);
      ids.note('customFieldId', fields[0]?.customFieldId);
      expect((await client.customField.getCustomFields()).data).to.eql(fields);
      expect((await client.customField.searchCustomFields('gol')).data).to.eql(fields);
      const equal = await client.customField.searchCustomFieldsByTypeName('ACCOUNT', 'tier', 'gold');
      expect(equal.data).to.eql(fields);
      expect((await client.customField.searchCustomFieldsByTypeName('ACCOUNT', 'tier', 'tin')).data).to.eql(
        [],
      );
    });

    it('protect a definition in use from deletion', async () => {
      const { client, ids } = journey();
      const [id, accountId] = [ids.get('tagDefinitionId'), ids.get('accountId')];
      const refused = await failureOf(client.tagDefinition.deleteTagDefinition(id, BY));
      expect(refused.status).to.equal(400);
      expect(refused.body).to.include({ code: 3903 });
      await client.account.deleteAccountTags(accountId, BY, [id]);
      expect((await client.tagDefinition.deleteTagDefinition(id, BY)).status).to.equal(204);
    });
  });
}

const taggedTypes = [...new Set(taggedResources.map(({ type }) => type))];
