import { uuidGenerator } from '../../adapters/node/index.ts';
import { type AccountInput, AuditLevel, SystemTag, type Uuid } from '../../lib/index.ts';
import { ObjectType } from '../../lib/records/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import {
  codeOf,
  engineBeforeEach,
  expect,
  expectCode,
  newEvents,
  openShop,
  rowsOf,
} from '../support/index.ts';

eachDatabaseByTurns.describe('accounts', (open) => {
  const engine = engineBeforeEach(open, { now: '2025-03-10T09:15:30Z' });

  const create = (input: AccountInput) => engine.acme.createAccount(input);
  const update = (accountId: Uuid, changes: AccountInput, treatNullAsReset = false) =>
    engine.acme.updateAccount(accountId, { changes, treatNullAsReset });

  it('have the documented defaults and no required field (accounts E1 "Defaults")', async () => {
    const { id } = await create({});
    const account = await engine.acme.getAccount(id);
    expect(account).to.include({
      externalKey: id,
      timeZone: 'UTC',
      billCycleDayLocal: 0,
      isPaymentDelegatedToParent: false,
      currency: null,
      name: null,
      isMigrated: null,
      paymentMethodId: null,
    });
    expect(account.referenceTime.toISOString()).to.equal('2025-03-10T09:15:30.000Z');
    const balance = (await engine.acme.accounts.balances([id])).get(id);
    expect([balance?.accountBalance.toFixed(), balance?.accountCBA.toFixed()]).to.eql(['0', '0']);
  });

  it('are listed in the order of the given ids, without unknown and repeated ids', async () => {
    const one = await create({ name: 'One' });
    const two = await create({ name: 'Two' });
    const { list } = engine.acme.accounts;
    const unknown = uuidGenerator().next();
    const found = await list([two.id, unknown, one.id, two.id]);
    expect(found.map(({ name }) => name)).to.eql(['Two', 'One']);
    expect(found[1]).to.eql(await engine.acme.getAccount(one.id));
    expect(await list([])).to.eql([]);
    const { acme: theirs } = await openShop(engine.billing, null);
    expect(await theirs.accounts.list([one.id])).to.eql([]);
  });

  it('can be listed by at most 1,000 ids in one call', async () => {
    const { list } = engine.acme.accounts;
    const ids = Array.from({ length: 1_001 }, () => uuidGenerator().next());
    const { id } = await create({});
    expect(await list([...ids.slice(0, 999), id])).to.have.length(1);
    await expectCode(list(ids), 60003);
  });

  it('are rejected if a field has a number out of range or a string that a database cannot store', async () => {
    for (const text of ['a\u0000b', '\ud800']) {
      const field = { name: text };
      for (const input of [field, { externalKey: text }, { notes: text }, { locale: text }])
        await expectCode(create(input), 60003, JSON.stringify(input));
      const { id } = await create({});
      await expectCode(update(id, field), 60003);
      await expectCode(engine.acme.accounts.getByKey(text), 60003);
      const { tenants } = engine.billing;
      const tenant = (input: object) =>
        tenants.create({ userName: 'host' }, { apiKey: `key-${id}`, apiSecret: 'secret', ...input });
      await expectCode(tenant({ apiKey: text }), 60003);
      await expectCode(tenant({ externalKey: text }), 60003);
      await expectCode(tenants.getByApiKey(text), 60003);
      expect(await tenants.authenticate(text, 'secret')).to.equal(null);
      expect(await engine.billing.security.authenticate(text, 'secret')).to.equal(null);
      const method = { accountId: id, pluginName: engine.gateway.name, externalKey: text };
      await expectCode(engine.acme.addPaymentMethod(method), 60003);
      const plan = { accountId: id, planName: 'shotgun-monthly' };
      await expectCode(engine.acme.createSubscription({ ...plan, externalKey: text }), 60003);
      await expectCode(engine.acme.subscriptions.getByKey(text), 60003);
      const host = engine.billing.as({ tenant: engine.tenant, user: 'host', comment: text });
      await expectCode(host.createAccount({}), 60003);
    }
    await expectCode(create({ firstNameLength: 2 ** 31 }), 60003);
  });

  it('have keys that are unique within a tenant, but not across tenants (accounts E2 "Duplicate key")', async () => {
    await create({ externalKey: 'acme' });
    await expectCode(create({ externalKey: 'acme' }), 3000);
    const { acme: other } = await openShop(engine.billing);
    expect((await other.createAccount({ externalKey: 'acme' })).externalKey).to.equal('acme');
  });

  it('keep fields that an update omits, reset null fields only if treatNullAsReset is set, and never change fixed fields (accounts E3 "Merge")', async () => {
    const { id } = await create({ name: 'Ann Lee', city: 'Bern', notes: 'n1', currency: 'EUR' });
    expect(await update(id, { notes: 'n2', city: null })).to.include({ notes: 'n2', city: 'Bern' });
    expect(await update(id, { notes: null }, true)).to.include({
      notes: null,
      city: 'Bern',
      name: 'Ann Lee',
    });
    await expectCode(update(id, { currency: null }, true), 3005);
    expect((await update(id, { currency: 'EUR' })).currency).to.equal('EUR');
    await expectCode(update(id, { currency: 'USD' }), 3005);
    expect(await engine.acme.getAccount(id)).to.include({ notes: null, city: 'Bern', currency: 'EUR' });
  });

  it('ignore an empty external key or time zone, even in an update (accounts §1.1 rule 2)', async () => {
    const { id } = await create({ externalKey: '', timeZone: '', name: 'Ann' });
    expect(await engine.acme.getAccount(id)).to.include({ externalKey: id, timeZone: 'UTC' });
    expect(await update(id, { externalKey: '', timeZone: '', name: 'Bo' }, true)).to.include({
      externalKey: id,
      timeZone: 'UTC',
      name: 'Bo',
    });
  });

  it('cannot be updated with a first name length greater than the length of the name', async () => {
    const { id } = await create({ name: 'Ann Lee', firstNameLength: 3 });
    await expectCode(update(id, { firstNameLength: 8 }), 60003);
    await expectCode(update(id, { name: 'Bo', firstNameLength: 3 }), 60003);
    expect(await update(id, { firstNameLength: 7 })).to.include({ name: 'Ann Lee', firstNameLength: 7 });
    expect(await update(id, { name: 'Bo' })).to.include({ name: 'Bo', firstNameLength: 7 });
  });

  it('accept a bill cycle day only if none is set (accounts E4 "Bill cycle day")', async () => {
    const { id } = await create({});
    expect((await update(id, { billCycleDayLocal: 15 })).billCycleDayLocal).to.equal(15);
    expect((await update(id, { billCycleDayLocal: 0 })).billCycleDayLocal).to.equal(15);
    expect((await update(id, { billCycleDayLocal: 15 })).billCycleDayLocal).to.equal(15);
    await expectCode(update(id, { billCycleDayLocal: 20 }), 3005);
    await expectCode(update((await create({})).id, { billCycleDayLocal: 32 }), 60003);
  });

  it('cannot get a currency after their creation', async () => {
    const { id } = await create({});
    await expectCode(update(id, { currency: 'USD' }), 3005);
  });

  for (const [what, input, code] of [
    ['an unknown currency', { currency: 'XXY' }, 3],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 60003],
    ['a name over 255 characters', { name: 'x'.repeat(256) }, 60003],
    ['an external key over 255 characters', { externalKey: 'x'.repeat(256) }, 5],
    ['a negative first name length', { firstNameLength: -1 }, 60003],
    [
      'a payment method of no account',
      { paymentMethodId: '01900000-0000-7000-8000-000000000001' as Uuid },
      7000,
    ],
  ] as const satisfies readonly (readonly [string, AccountInput, number])[])
    it(`are rejected for ${what} (${code}), and nothing is stored`, async () => {
      const events = newEvents(engine.database);
      await events();
      const before = (await engine.acme.accounts.page({ offset: 0, limit: 100 })).total;
      await expectCode(create(input), code);
      expect((await engine.acme.accounts.page({ offset: 0, limit: 100 })).total).to.equal(before);
      expect(await events()).to.eql([]);
    });

  describe('in simultaneous calls', () => {
    const made = (user: string, externalKey: string, userToken: Uuid) =>
      engine.billing.as({ tenant: engine.tenant, user, userToken }).createAccount({ externalKey });

    it('are audited with the user and token of the call that created them', async () => {
      const ids = uuidGenerator();
      const calls = [
        { user: 'ann', key: 'first' },
        { user: 'ann', key: 'second' },
        { user: 'bob', key: 'third' },
      ].map((call) => ({ ...call, userToken: ids.next() }));
      const accounts = await Promise.all(calls.map((each) => made(each.user, each.key, each.userToken)));
      expect(accounts.map(({ externalKey }) => externalKey)).to.eql(calls.map(({ key }) => key));
      const logs = await engine.acme.audit.logs(
        accounts.map(({ id }) => id),
        AuditLevel.FULL,
      );
      const written = accounts.map(({ id }) =>
        logs.get(id)?.map(({ changedBy, userToken }) => ({ user: changedBy, userToken })),
      );
      expect(written).to.eql(calls.map(({ user, userToken }) => [{ user, userToken }]));
    });

    it('are rejected individually for a duplicate key, without affecting the other accounts', async () => {
      const ids = uuidGenerator();
      const keys = ['fourth', 'fifth', 'fifth'];
      const results = await Promise.allSettled(keys.map((key) => made('ann', key, ids.next())));
      const codes = results.map((each) => (each.status === 'rejected' ? each.reason.code : null));
      expect(codes.toSorted()).to.eql([3000, null, null]);
      expect((await engine.acme.accounts.getByKey('fourth')).externalKey).to.equal('fourth');
    });
  });

  it('cause an event and an audit row with author, reason, comment and token for every write', async () => {
    const events = newEvents(engine.database);
    await events();
    const token = '0190aaaa-0000-7000-8000-000000000001' as Uuid;
    const host = { tenant: engine.tenant, user: 'demo', reason: 'r', comment: 'c', userToken: token };
    const caller = engine.billing.as(host);
    const { id } = await caller.createAccount({ name: 'Ada' });
    await caller.updateAccount(id, { changes: { name: 'Ada' } });
    expect(await events()).to.eql(['ACCOUNT_CREATION', 'ACCOUNT_CHANGE']);
    const full = (await engine.acme.audit.logs([id], AuditLevel.FULL)).get(id) ?? [];
    expect(full.map((row) => row.changeType)).to.eql(['INSERT', 'UPDATE']);
    for (const row of full)
      expect(row).to.include({ changedBy: 'demo', reasonCode: 'r', comments: 'c', userToken: token });
    const minimal = (await engine.acme.audit.logs([id], AuditLevel.MINIMAL)).get(id) ?? [];
    expect(minimal.map((row) => row.changeType)).to.eql(['INSERT']);
    expect((await engine.acme.audit.logs([id], AuditLevel.NONE)).get(id)).to.eql([]);
  });

  it('cause an event and an audit row for a new default payment method, but not for an unchanged method (accounts §4 rule 4)', async () => {
    const { id } = await create({});
    const method = { accountId: id, pluginName: engine.gateway.name };
    const { id: paymentMethodId } = await engine.acme.addPaymentMethod(method);
    const events = newEvents(engine.database);
    const rows = async () =>
      (await engine.acme.audit.history({ type: ObjectType.ACCOUNT, id })).map(({ snapshot }) =>
        Reflect.get(snapshot ?? {}, 'paymentMethodId'),
      );
    await events();
    for (let time = 1; time <= 2; time += 1) {
      await engine.acme.paymentMethods.setDefault({ accountId: id, paymentMethodId });
      expect(await events()).to.eql(time === 1 ? ['ACCOUNT_CHANGE'] : []);
      expect(await rows()).to.eql([null, paymentMethodId]);
    }
    await update(id, { paymentMethodId: null }, true);
    expect(await events()).to.eql(['ACCOUNT_CHANGE']);
    expect(await rows()).to.eql([null, paymentMethodId, null]);
  });

  it('emit events for changes to their fields, tags and custom fields (accounts §17)', async () => {
    const { id: accountId } = await create({});
    const object = { type: 'ACCOUNT', id: accountId } as const;
    await update(accountId, { name: 'Ada' });
    await engine.acme.tags.add(object, [SystemTag.TEST]);
    const [tag] = await engine.acme.tags.ofObject(object);
    await engine.acme.tags.remove(object, [SystemTag.TEST]);
    await engine.acme.customFields.add(object, [{ name: 'tier', value: 'gold' }]);
    const [custom] = await engine.acme.customFields.ofObject(object);
    const change = [{ customFieldId: custom?.id ?? accountId, value: 'silver' }];
    await engine.acme.customFields.modify(object, change);
    await engine.acme.customFields.remove(object, []);
    const ofAccount = `(select record_id from bw_accounts where id = '${accountId}')`;
    const rows = await rowsOf(
      engine.database,
      ['bw_queue_entries', 'bw_queue_history']
        .map(
          (table) => `select topic, payload, record_id from ${table} where account_record_id = ${ofAccount}`,
        )
        .join(' union all ')
        .concat(' order by record_id'),
    );
    const ofTag = { accountId, tagId: tag?.id, metaData: { tagDefinitionName: 'TEST' } };
    const ofField = { accountId, customFieldId: custom?.id, metaData: null };
    const expected = [
      ['ACCOUNT_CREATION', { accountId }],
      ['ACCOUNT_CHANGE', { accountId }],
      ['TAG_CREATION', ofTag],
      ['TAG_DELETION', ofTag],
      ['CUSTOM_FIELD_CREATION', ofField],
      ['CUSTOM_FIELD_DELETION', ofField],
    ] as const;
    expect(rows.map(({ topic }) => topic)).to.eql(expected.map(([topic]) => topic));
    for (const [index, [topic, facts]] of expected.entries()) {
      const payload = rows[index]?.payload;
      expect(typeof payload === 'string' ? JSON.parse(payload) : payload, topic).to.deep.include(facts);
    }
  });

  it('are unknown to other tenants', async () => {
    const { id } = await create({ externalKey: 'mine' });
    const { acme: other } = await openShop(engine.billing);
    await expectCode(other.getAccount(id), 3002);
    await expectCode(other.updateAccount(id, { changes: { name: 'x' } }), 3002);
    await expectCode(other.accounts.getByKey('mine'), 3003);
    expect((await other.accounts.page({ offset: 0, limit: 10 })).rows).to.eql([]);
  });

  it('are created only once by two simultaneous calls with the same key', async () => {
    const codes = await Promise.all([
      codeOf(create({ externalKey: 'race' })),
      codeOf(create({ externalKey: 'race' })),
    ]);
    expect(codes.toSorted()).to.eql([3000, 'no error']);
  });
});
