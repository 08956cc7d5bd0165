import { eachDatabase, expect } from '../support/http/index.ts';
import { aliasHeaders, createdId, expectStatus, serveOnce } from '../support/http/serving.ts';

/** accounts §1.1: the maximum length of each field. */
const lengths = {
  externalKey: 255,
  name: 255,
  company: 255,
  legalName: 255,
  taxId: 64,
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

eachDatabase.describe('account API', (open) => {
  const serving = serveOnce(open);
  const { call, post, get, put } = serving;

  const create = (body: object, headers = {}) => post('/accounts', body, headers);
  const read = async (id: string) => (await get(`/accounts/${id}`)).json as Readonly<Record<string, unknown>>;
  const update = (id: string, body: object, query = '') => put(`/accounts/${id}${query}`, body);
  const count = async () =>
    Number((await get('/accounts/pagination')).headers.get('x-service-pagination-totalnbrecords'));

  for (const [field, longest] of Object.entries(lengths))
    it(`accepts at most ${longest} characters in ${field} (accounts §1.1 rule 1)`, async () => {
      const text = 'x'.repeat(longest);
      const id = createdId(await create({ [field]: text }));
      expect((await read(id))[field]).to.equal(text);
      const before = await count();
      expect((await create({ [field]: `${text}y` })).status).to.equal(400);
      expect(await count()).to.equal(before);
      if (field === 'externalKey') return;
      expect((await update(id, { [field]: `${text}y` })).status).to.equal(400);
      expect((await read(id))[field]).to.equal(text);
    });

  it('accepts the unchanged reference time as a date and rejects changes and resets (accounts §4)', async () => {
    const referenceTime = '2024-03-05T22:10:00.000Z';
    const id = createdId(await create({ referenceTime }));
    const answers = async (body: object, query = '') => {
      const { status } = await update(id, body, query);
      expect(await read(id)).to.include({ referenceTime });
      return status;
    };
    expect(await answers({ referenceTime: '2024-03-05T01:00:00Z' })).to.equal(204);
    // The same day in UTC, with another offset.
    expect(await answers({ referenceTime: '2024-03-06T01:00:00+02:00' })).to.equal(204);
    expect(await answers({ referenceTime: null }, '?treatNullAsReset=true')).to.equal(204);
    expect(await answers({ referenceTime: '2024-03-06T00:00:00Z' })).to.equal(400);
  });

  it('resets omitted fields with treatNullAsReset in dialect K but not in dialect D (http-api §4 line 13)', async () => {
    const fixed = { externalKey: 'left-out', currency: 'USD', timeZone: 'Europe/Vienna' };
    const parentAccountId = createdId(await create({}));
    const id = createdId(await create({ ...fixed, name: 'Ada', notes: 'n', phone: '1', parentAccountId }));
    const stored = await read(id);
    const inK = (body: object, query = '?treatNullAsReset=true') =>
      put(`/accounts/${id}${query}`, body, aliasHeaders);

    expect((await update(id, { notes: 'n2' }, '?treatNullAsReset=true')).status).to.equal(204);
    expect((await inK({ notes: 'n3' }, '')).status).to.equal(204);
    expect(await read(id)).to.eql({ ...stored, notes: 'n3' });

    // Fixed fields cannot be reset, whether they are omitted or not.
    expect((await inK({ notes: 'n4' })).json).to.include({ code: 3005 });
    expect(await read(id)).to.eql({ ...stored, notes: 'n3' });

    expect((await inK({ ...fixed, notes: 'n5', phone: null })).status).to.equal(204);
    const reset = { name: null, phone: null, parentAccountId: null };
    expect(await read(id)).to.eql({ ...stored, notes: 'n5', ...reset });
  });

  it('returns the balance, the credit or both on request (accounts §5 rule 1)', async () => {
    const id = createdId(await create({ currency: 'USD' }));
    await post('/credits?autoCommit=true', [{ accountId: id, amount: 2 }]);
    for (const [query, accountBalance, accountCBA] of [
      ['', null, null],
      ['?accountWithBalance=true', -2, null],
      ['?accountWithBalanceAndCBA=true', -2, 2],
      ['?accountWithBalance=false&accountWithBalanceAndCBA=true', -2, 2],
      ['?accountWithBalance=true&accountWithBalanceAndCBA=true', -2, 2],
    ] as const) {
      const shown = { accountBalance, accountCBA };
      expect(await read(`${id}${query}`), query).to.include(shown);
      const found = await get(`/accounts/search/${id}${query}`);
      expect((found.json as readonly unknown[])[0], query).to.include(shown);
    }
  });

  it('accepts the account id in the body, and the removal of an unknown address (accounts E11 "Emails")', async () => {
    const accountId = createdId(await create({}));
    const path = `/1.0/kb/accounts/${accountId}/emails`;
    const add = (body: object) => call('POST', path, { body });
    const remove = async (email: string) => (await call('DELETE', `${path}/${email}`)).status;
    const listed = async () => (await call('GET', path)).json;
    for (let time = 1; time <= 2; time += 1) {
      const added = await add({ accountId: accountId.toUpperCase(), email: 'a@x.io' });
      expect([added.status, added.headers.get('location')]).to.eql([201, `${serving.url}${path}`]);
    }
    const one = [{ accountId, email: 'a@x.io', auditLogs: [] }];
    expect(await listed()).to.eql(one);
    const other = createdId(await create({}));
    for (const body of [{ email: 'b@x.io' }, { accountId }, { accountId: other, email: 'b@x.io' }])
      expect((await add(body)).status, JSON.stringify(body)).to.equal(400);
    expect(await remove('zz%40x.io')).to.equal(204);
    expect(await remove('A%40x.io')).to.equal(204);
    expect(await listed()).to.eql(one);
    expect(await remove('a%40x.io')).to.equal(204);
    expect(await listed()).to.eql([]);
  });

  describe('account search with operators (accounts §6.2 rule 1)', () => {
    let own: string;
    let values: Readonly<Record<string, string | number | boolean>>;
    before(async () => {
      const parentAccountId = createdId(await create({}));
      const fields = {
        externalKey: 'own-key',
        email: 'e@x.io',
        name: 'Nanna',
        firstNameLength: 3,
        currency: 'CHF',
        billCycleDayLocal: 17,
        parentAccountId,
        isPaymentDelegatedToParent: true,
        referenceTime: '2024-01-05T10:00:00.000Z',
        timeZone: 'Europe/Zurich',
        locale: 'de_CH',
        address1: 'first line',
        address2: 'second line',
        company: 'Com & Pany',
        legalName: 'Com & Pany AG',
        taxId: 'CHE-123.456.788 MWST',
        city: 'Bern',
        state: 'BE',
        country: 'Suisse',
        postalCode: '3011',
        phone: '+41 31',
        notes: 'a note',
        isMigrated: true,
      };
      own = createdId(await create(fields, { 'x-service-createdby': 'maker' }));
      serving.clock.advance({ days: 1 });
      const method = { body: { pluginName: 'killbill-payment-test' } };
      const path = `/1.0/kb/accounts/${own}/paymentMethods`;
      const paymentMethodId = createdId(await call('POST', path, method));
      const headers = { 'x-service-createdby': 'changer' };
      await put(`/accounts/${own}`, { paymentMethodId }, headers);
      values = { accountId: own, paymentMethodId, ...fields };
    });

    const columns = {
      id: 'accountId',
      external_key: 'externalKey',
      email: 'email',
      name: 'name',
      first_name_length: 'firstNameLength',
      currency: 'currency',
      billing_cycle_day_local: 'billCycleDayLocal',
      parent_account_id: 'parentAccountId',
      is_payment_delegated_to_parent: 'isPaymentDelegatedToParent',
      payment_method_id: 'paymentMethodId',
      reference_time: 'referenceTime',
      time_zone: 'timeZone',
      locale: 'locale',
      address1: 'address1',
      address2: 'address2',
      company_name: 'company',
      legal_name: 'legalName',
      tax_id: 'taxId',
      city: 'city',
      state_or_province: 'state',
      country: 'country',
      postal_code: 'postalCode',
      phone: 'phone',
      notes: 'notes',
      migrated: 'isMigrated',
      created_by: 'maker',
      created_date: '2024-02-10T08:15:30Z',
      updated_by: 'changer',
      updated_date: '2024-02-11T08:15:30Z',
    } as const;

    const isFound = async (clause: string): Promise<boolean> => {
      const key = encodeURIComponent(`_q=1&id=${own}&${clause}`);
      const reply = expectStatus(await get(`/accounts/search/${key}`), 200);
      return (reply.json as readonly unknown[]).length === 1;
    };

    for (const [column, field] of Object.entries(columns))
      it(`accepts ${column} under its column name and under its JSON name`, async () => {
        const isOfJson = field in values;
        const value = String(values[field] ?? field).replaceAll('&', '%26');
        for (const name of isOfJson ? [column, field] : [column]) {
          expect(await isFound(`${name}=${value}`), name).to.equal(true);
          expect(await isFound(`${name}[neq]=${value}`), name).to.equal(false);
        }
      });

    for (const [column, less, equal, greater] of [
      // Sorted by code point on every database: capital letters come first.
      ['name', 'MZ', 'Nanna', 'nanna'],
      ['first_name_length', '2', '3', '20'],
      ['reference_time', '2024-01-05', '2024-01-05T11:00:00+01:00', '2024-01-06'],
      [
        'parent_account_id',
        '00000000-0000-0000-0000-000000000000',
        null,
        'ffffffff-ffff-4fff-bfff-ffffffffffff',
      ],
    ] as const)
      it(`supports range operators on ${column}`, async () => {
        const values_ = { less, equal: equal ?? values.parentAccountId, greater };
        for (const [operator, expected] of [
          ['gt', { less: true, equal: false, greater: false }],
          ['gte', { less: true, equal: true, greater: false }],
          ['lt', { less: false, equal: false, greater: true }],
          ['lte', { less: false, equal: true, greater: true }],
          ['neq', { less: true, equal: false, greater: true }],
          ['EQ', { less: false, equal: true, greater: false }],
        ] as const) {
          for (const which of ['less', 'equal', 'greater'] as const) {
            const found = await isFound(`${column}[${operator}]=${values_[which]}`);
            expect(found, `${operator} ${which}`).to.equal(expected[which]);
          }
        }
      });
  });

  for (const header of ['x-service-createdby', 'x-service-reason', 'x-service-comment'])
    it(`accepts at most 255 characters in the header ${header} (http-api §2)`, async () => {
      expect((await create({}, { [header]: 'x'.repeat(255) })).status).to.equal(201);
      const before = await count();
      expect((await create({}, { [header]: 'x'.repeat(256) })).status).to.equal(400);
      expect(await count()).to.equal(before);
    });

  it('includes drafts but no void invoices in the timeline, with the credits for each invoice (accounts §10)', async () => {
    const id = createdId(await create({ currency: 'USD' }));
    const charge = async (autoCommit: boolean) => {
      const path = `/1.0/kb/invoices/charges/${id}?autoCommit=${autoCommit}`;
      const { json } = await call('POST', path, { body: [{ amount: 3 }] });
      return (json as readonly { invoiceId: string }[])[0]?.invoiceId ?? '';
    };
    const [kept, draft, voided] = [await charge(true), await charge(false), await charge(false)];
    expect((await put(`/invoices/${voided}/voidInvoice`)).status).to.equal(204);
    const credits = await post('/credits?autoCommit=true', [{ accountId: id, amount: 2 }]);
    const [{ invoiceId: credit } = { invoiceId: '' }] = credits.json as readonly { invoiceId: string }[];
    const { invoices } = (await get(`/accounts/${id}/timeline`)).json as {
      readonly invoices: readonly {
        readonly invoiceId: string;
        readonly status: string;
        readonly credits: readonly { readonly amount: number }[];
      }[];
    };
    expect(invoices.map(({ invoiceId, status }) => [invoiceId, status])).to.eql([
      [kept, 'COMMITTED'],
      [draft, 'DRAFT'],
      [credit, 'COMMITTED'],
    ]);
    expect(invoices.map((each) => each.credits.map(({ amount }) => amount))).to.eql([[-2], [-2], [-2]]);
  });
});
