import { expect } from 'chai';
import { eachDatabase } from '../support/databases.ts';
import { migrated } from '../support/storage.ts';
import { createdId, type Serving, serve } from './serving.ts';

/** accounts.md §1.1: the longest text of each field. */
const lengths = {
  externalKey: 255,
  name: 255,
  company: 255,
  address1: 255,
  address2: 255,
  city: 100,
  state: 100,
  postalCode: 16,
  country: 50,
  locale: 35,
  phone: 25,
  email: 254,
  notes: 4_096,
} as const;

eachDatabase((kind, open) => {
  describe(`fields of accounts over HTTP on ${kind}`, () => {
    let serving: Serving;
    before(async () => {
      serving = await serve(await open(migrated));
    });
    after(() => serving.close());

    const create = (body: object, headers = {}) =>
      serving.call('POST', '/1.0/kb/accounts', { body, headers });
    const read = async (id: string) =>
      (await serving.call('GET', `/1.0/kb/accounts/${id}`)).json as Readonly<Record<string, unknown>>;
    const update = (id: string, body: object, query = '') =>
      serving.call('PUT', `/1.0/kb/accounts/${id}${query}`, { body });
    const count = async () =>
      Number(
        (await serving.call('GET', '/1.0/kb/accounts/pagination')).headers.get(
          'x-service-pagination-totalnbrecords',
        ),
      );

    for (const [field, longest] of Object.entries(lengths)) {
      it(`accounts §1.1 rule 1: ${field} holds ${longest} characters and no more`, async () => {
        const text = 'x'.repeat(longest);
        const id = createdId(await create({ [field]: text }));
        expect((await read(id))[field]).to.equal(text);
        const before = await count();
        const refused = await create({ [field]: `${text}y` });
        expect(refused.status).to.equal(400);
        expect(await count()).to.equal(before);
        if (field === 'externalKey') return;
        expect((await update(id, { [field]: `${text}y` })).status).to.equal(400);
        expect((await read(id))[field]).to.equal(text);
      });
    }

    it('accounts §4: the reference time may be named again by its date, and not changed or reset', async () => {
      const referenceTime = '2024-03-05T22:10:00.000Z';
      const id = createdId(await create({ referenceTime }));
      const answers = async (body: object, query = '') => {
        const { status } = await update(id, body, query);
        expect(await read(id)).to.include({ referenceTime });
        return status;
      };
      expect(await answers({ referenceTime: '2024-03-05T01:00:00Z' })).to.equal(204);
      // The same day in UTC, told by another offset.
      expect(await answers({ referenceTime: '2024-03-06T01:00:00+02:00' })).to.equal(204);
      expect(await answers({ referenceTime: null }, '?treatNullAsReset=true')).to.equal(204);
      expect(await answers({ referenceTime: '2024-03-06T00:00:00Z' })).to.equal(400);
    });

    for (const header of ['x-service-createdby', 'x-service-reason', 'x-service-comment']) {
      it(`accounts §14 rule 8: ${header} holds 255 characters and no more`, async () => {
        expect((await create({}, { [header]: 'x'.repeat(255) })).status).to.equal(201);
        const before = await count();
        expect((await create({}, { [header]: 'x'.repeat(256) })).status).to.equal(400);
        expect(await count()).to.equal(before);
      });
    }

    it('accounts §10: the timeline shows drafts, no void invoice, and the credits of all with each', async () => {
      const id = createdId(await create({ currency: 'USD' }));
      const charge = async (autoCommit: boolean) => {
        const path = `/1.0/kb/invoices/charges/${id}?autoCommit=${autoCommit}`;
        const { json } = await serving.call('POST', path, { body: [{ amount: 3 }] });
        return (json as readonly { invoiceId: string }[])[0]?.invoiceId ?? '';
      };
      const [kept, draft, voided] = [await charge(true), await charge(false), await charge(false)];
      expect((await serving.call('PUT', `/1.0/kb/invoices/${voided}/voidInvoice`)).status).to.equal(204);
      const credits = await serving.call('POST', '/1.0/kb/credits?autoCommit=true', {
        body: [{ accountId: id, amount: 2 }],
      });
      const [{ invoiceId: credit } = { invoiceId: '' }] = credits.json as readonly { invoiceId: string }[];
      const { invoices } = (await serving.call('GET', `/1.0/kb/accounts/${id}/timeline`)).json as {
        readonly invoices: readonly {
          readonly invoiceId: string;
          readonly status: string;
          readonly credits: readonly { readonly amount: number }[];
        }[];
      };
      expect(invoices.map(({ invoiceId, status }) => [invoiceId, status])).to.deep.equal([
        [kept, 'COMMITTED'],
        [draft, 'DRAFT'],
        [credit, 'COMMITTED'],
      ]);
      expect(invoices.map((each) => each.credits.map(({ amount }) => amount))).to.deep.equal([
        [-2],
        [-2],
        [-2],
      ]);
    });
  });
});
