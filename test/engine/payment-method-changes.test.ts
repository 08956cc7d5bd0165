import type {
  GatewayPaymentMethod,
  PaymentControl,
  PaymentControlContext,
  PaymentGateway,
  Uuid,
} from '../../lib/index.ts';
import { GatewayError } from '../../lib/index.ts';
import {
  codeOf,
  eachDatabaseByTurns,
  expect,
  expectCode,
  openEngine,
  type TestEngine,
} from '../support/index.ts';
import type { Account, PaymentMethodView } from '../support/plain-views.ts';

const SANDBOX = 'sandbox';
const EXTERNAL = '__EXTERNAL_PAYMENT__';

/** A gateway with a vault that a test fills. It records the methods of a reset. */
class Vault {
  methods: readonly GatewayPaymentMethod[] | null = [];
  reset: readonly GatewayPaymentMethod[] | null = null;
  failure: Error | null = null;
  resetFailure: Error | null = null;
  readonly port: PaymentGateway = {
    name: 'vault',
    purchase: () => Promise.resolve(null),
    getPaymentInfo: () => Promise.resolve([]),
    getPaymentMethods: async () => {
      if (this.failure) throw this.failure;
      return this.methods;
    },
    resetPaymentMethods: async ({ paymentMethods }) => {
      if (this.resetFailure) throw this.resetFailure;
      this.reset = paymentMethods;
    },
    setDefaultPaymentMethod: async () => {
      if (this.failure) throw this.failure;
    },
    deletePaymentMethod: async () => {
      if (this.failure) throw this.failure;
    },
    searchPaymentMethods: async ({ offset, limit }) => {
      if (this.failure) throw this.failure;
      const hits = this.methods ?? [];
      return { rows: hits.slice(offset, offset + limit), total: hits.length };
    },
  };
}

const others = { methods: null as readonly GatewayPaymentMethod[] | null, key: null as unknown };
const otherVault: PaymentGateway = {
  name: 'other-vault',
  purchase: () => Promise.resolve(null),
  getPaymentInfo: () => Promise.resolve([]),
  getPaymentMethods: async () => others.methods,
  getPaymentMethodDetail: async () => ({
    externalPaymentMethodId: others.key as string | null,
    isDefaultPaymentMethod: false,
    properties: [],
  }),
};

const plain: PaymentGateway = {
  name: 'plain',
  purchase: () => Promise.resolve(null),
  getPaymentInfo: () => Promise.resolve([]),
};

eachDatabaseByTurns.describe('payment method operations (payments §10)', (open) => {
  let engine: TestEngine;
  let vault: Vault;
  let account: Account;
  const heard: string[] = [];
  const contexts: PaymentControlContext[] = [];
  const control = (name: string, members: Partial<PaymentControl>): PaymentControl => ({
    name,
    onSuccessCall: async ({ paymentMethodId }) => {
      heard.push(`${name} success ${paymentMethodId}`);
      return null;
    },
    onFailureCall: async () => {
      heard.push(`${name} failure`);
      return null;
    },
    ...members,
  });

  before(async () => {
    vault = new Vault();
    engine = await openEngine(open, {
      now: '2012-05-01T10:00:00Z',
      catalog: null,
      gateways: [vault.port, plain, otherVault],
      paymentControls: [
        control('aborts', { priorCall: async () => ({ isAborted: true }) }),
        control('redirects', {
          priorCall: async (context) => {
            contexts.push(context);
            return { adjustedPluginName: 'plain' };
          },
        }),
        control('misleads', { priorCall: async () => ({ adjustedPluginName: 'nobody' }) }),
      ],
    });
  });
  beforeEach(async () => {
    account = await engine.acme.createAccount({ currency: 'USD' });
    vault.methods = [];
    vault.reset = null;
    vault.failure = null;
    vault.resetFailure = null;
    others.methods = null;
    others.key = null;
    heard.length = 0;
  });

  const add = (pluginName = SANDBOX, input: object = {}) =>
    engine.acme.addPaymentMethod({ accountId: account.id, pluginName, ...input });
  const all = (includeDeleted = true) => engine.acme.paymentMethods.ofAccount(account.id, { includeDeleted });
  const idsOf = (methods: readonly PaymentMethodView[]) => methods.map(({ id }) => id);
  const defaultOf = async () => (await engine.acme.getAccount(account.id)).paymentMethodId;
  const tagsOf = async () =>
    (await engine.acme.tags.ofAccount(account.id)).map(({ tagDefinitionName }) => tagDefinitionName);
  const remove = (paymentMethodId: Uuid, flags: object = {}) =>
    engine.acme.paymentMethods.delete({ paymentMethodId, ...flags });
  const refresh = (...pluginNames: string[]) =>
    engine.acme.paymentMethods.refresh({ accountId: account.id, pluginNames });
  const changesOf = async ({ id }: { readonly id: Uuid }) =>
    (await engine.acme.audit.history({ type: 'PAYMENT_METHOD', id })).map(({ changeType }) => changeType);

  it('soft-delete a method that is not the default, after notifying the gateway (payments §10.3)', async () => {
    const method = await add();
    await engine.acme.paymentMethods.delete({ paymentMethodId: method.id });
    expect(await all(false)).to.eql([]);
    expect(await all()).to.eql([{ ...method, isActive: false }]);
    await expectCode(engine.acme.paymentMethods.get(method.id), 7000);
    const found = await engine.acme.paymentMethods.getByKey(method.externalKey, { includeDeleted: true });
    expect(found.id).to.equal(method.id);
    await expectCode(engine.acme.paymentMethods.getByKey(method.externalKey), 7000);
    await expectCode(remove(method.id), 'PAYMENT_NO_SUCH_PAYMENT_METHOD');
    expect(await changesOf(method)).to.eql(['INSERT', 'UPDATE']);
    expect(await tagsOf()).to.eql([]);
    await expectCode(add(SANDBOX, { externalKey: method.externalKey }), 7031);
  });

  it('delete the default method only with a flag (payments §10.3)', async () => {
    const method = await add(SANDBOX, { isDefault: true });
    await expectCode(remove(method.id), 'PAYMENT_DEL_DEFAULT_PAYMENT_METHOD');
    expect(await defaultOf()).to.equal(method.id);
    expect(idsOf(await all(false))).to.eql([method.id]);
  });

  it('clear the default method with forceDefaultPmDeletion without adding a tag (payments §10.3)', async () => {
    await remove((await add(SANDBOX, { isDefault: true })).id, { force: true });
    expect(await defaultOf()).to.equal(null);
    expect(await all(false)).to.eql([]);
    expect(await tagsOf()).to.eql([]);
  });

  it('add AUTO_PAY_OFF only once with deleteDefaultPmWithAutoPayOff, even with forceDefaultPmDeletion (payments §10.3)', async () => {
    await remove((await add(SANDBOX, { isDefault: true })).id, { withAutoPayOff: true });
    expect(await defaultOf()).to.equal(null);
    expect(await tagsOf()).to.eql(['AUTO_PAY_OFF']);
    await remove((await add(SANDBOX, { isDefault: true })).id, { withAutoPayOff: true, force: true });
    expect(await tagsOf()).to.eql(['AUTO_PAY_OFF']);
    expect(await defaultOf()).to.equal(null);
  });

  it('ignore the flags for a method that is not the default (payments §10.3)', async () => {
    const [kept, other] = [await add(SANDBOX, { isDefault: true }), await add()];
    await remove(other.id, { withAutoPayOff: true, force: true });
    expect(await defaultOf()).to.equal(kept.id);
    expect(await tagsOf()).to.eql([]);
  });

  it('change nothing if the gateway rejects a deletion (payments §10.3)', async () => {
    const method = await add('vault', { isDefault: true });
    vault.failure = new GatewayError('not now');
    await expectCode(remove(method.id, { withAutoPayOff: true }), 7007);
    vault.failure = new Error('broken');
    await expectCode(remove(method.id, { withAutoPayOff: true }), 7007);
    expect(await defaultOf()).to.equal(method.id);
    expect(await tagsOf()).to.eql([]);
    expect(idsOf(await all(false))).to.eql([method.id]);
  });

  it('can delete external methods, and methods of gateways without a deletion call (payments §10.3)', async () => {
    for (const pluginName of ['plain', EXTERNAL]) await remove((await add(pluginName)).id);
    expect(await all(false)).to.eql([]);
    // A deleted method no longer counts as the account's one external method.
    expect((await add(EXTERNAL)).pluginName).to.equal(EXTERNAL);
  });

  it('change nothing if the gateway rejects a new default (payments §10.4)', async () => {
    const [kept, other] = [await add('vault', { isDefault: true }), await add('vault')];
    const choose = () =>
      engine.acme.paymentMethods.setDefault({ accountId: account.id, paymentMethodId: other.id });
    for (const failure of [new GatewayError('not now'), new Error('broken')]) {
      vault.failure = failure;
      await expectCode(choose(), 'PAYMENT_UPD_PAYMENT_METHOD');
      expect(await defaultOf()).to.equal(kept.id);
    }
    vault.failure = null;
    await choose();
    expect(await defaultOf()).to.equal(other.id);
  });

  it('do not make a deleted method the default (payments §10.4)', async () => {
    const method = await add('vault');
    await remove(method.id);
    const input = { accountId: account.id, paymentMethodId: method.id };
    await expectCode(engine.acme.paymentMethods.setDefault(input), 7000);
  });

  it('fail if the gateway rejects the final call, but still store the refreshed methods (payments §10.5)', async () => {
    vault.methods = [{ isDefault: true }];
    vault.resetFailure = new GatewayError('not now');
    await expectCode(refresh('vault'), 7006);
    const [method] = await all();
    expect(await defaultOf()).to.equal(method?.id);
    vault.resetFailure = null;
    await refresh('vault');
    expect(idsOf(await all())).to.eql([method?.id]);
    expect(vault.reset).to.eql([
      { paymentMethodId: method?.id, externalPaymentMethodId: null, isDefault: true },
    ]);
  });

  it('add, restore and delete refreshed methods, and change nothing when repeated (payments §10.5)', async () => {
    const [gone, dead] = [await add('vault'), await add('vault')];
    const other = await add();
    await remove(dead.id);
    const ours = `11111111-0000-4000-8000-${account.id.slice(-12)}` as Uuid;
    const key = `tok-${account.id}`;
    vault.methods = [
      { paymentMethodId: dead.id },
      { paymentMethodId: ours, isDefault: true },
      { externalPaymentMethodId: key },
    ];
    await refresh('vault');
    const active = await all(false);
    const added = active.find(({ externalKey }) => externalKey === key);
    expect(new Set(idsOf(active))).to.eql(new Set([dead.id, other.id, ours, added?.id]));
    expect(active.find(({ id }) => id === ours)?.externalKey).to.equal(ours);
    expect(await defaultOf()).to.equal(ours);
    expect(await changesOf(dead)).to.eql(['INSERT', 'UPDATE', 'UPDATE']);
    expect(await changesOf(gone)).to.eql(['INSERT', 'UPDATE']);
    expect(vault.reset).to.eql([
      { paymentMethodId: dead.id, externalPaymentMethodId: null, isDefault: false },
      { paymentMethodId: ours, externalPaymentMethodId: null, isDefault: true },
      { paymentMethodId: added?.id, externalPaymentMethodId: key, isDefault: false },
    ]);
    const before = await all();
    await refresh('vault');
    expect(await all()).to.eql(before);
    expect(await changesOf(dead)).to.have.length(3);
    expect(await defaultOf()).to.equal(ours);
  });

  describe('in refreshes of methods without a Billwright id', () => {
    const lists: readonly {
      readonly what: string;
      readonly list: (key: string) => readonly GatewayPaymentMethod[];
    }[] = [
      {
        what: 'an id that is the key of a method of another account',
        list: (key) => [{ externalPaymentMethodId: key, isDefault: true }],
      },
      {
        what: 'an id that is too long for a key',
        list: (key) => [1, 2].map((each) => ({ externalPaymentMethodId: `${key}-${each}`.padEnd(300, 'x') })),
      },
      {
        what: 'an id that cannot be stored',
        list: (key) => [{ externalPaymentMethodId: `${key}\u0000`, isDefault: true }],
      },
      { what: 'no id', list: () => [{ isDefault: true }, {}] },
    ];
    for (const { what, list } of lists)
      it(`recognize a refreshed method if the gateway sends ${what} (payments §10.5)`, async () => {
        const key = `card-${account.id}`;
        const neighbour = await engine.acme.createAccount({ currency: 'USD' });
        await engine.acme.addPaymentMethod({
          accountId: neighbour.id,
          pluginName: 'vault',
          externalKey: key,
        });
        vault.methods = list(key);
        await refresh('vault');
        const [first, chosen] = [await all(), await defaultOf()];
        expect(first).to.have.length(vault.methods.length);
        for (const { id, externalKey } of first) expect(externalKey).to.equal(id);
        await refresh('vault');
        await refresh();
        expect(await all()).to.eql(first);
        expect(await defaultOf()).to.equal(chosen);
        for (const method of first) expect(await changesOf(method)).to.eql(['INSERT']);
        const [dropped] = first;
        if (!dropped) throw new Error('nothing was inserted');
        vault.methods = [];
        await refresh('vault');
        expect(await all(false)).to.eql([]);
        vault.methods = list(key);
        await refresh('vault');
        expect(idsOf(await all(false))).to.eql(idsOf(first));
        // Methods count as the same once the gateway has our ids.
        vault.methods = [...(vault.reset ?? []), { externalPaymentMethodId: `new-${key}` }, {}];
        await refresh('vault');
        expect(idsOf(await all())).to.have.length(first.length + 2);
        expect(idsOf(await all(false))).to.include.members(idsOf(first));
      });

    it('store separate methods for two gateways that use the same id (payments §10.5)', async () => {
      const list = [{ externalPaymentMethodId: `card-${account.id}`, isDefault: true }];
      vault.methods = list;
      others.methods = list;
      await refresh('vault', 'other-vault');
      const first = await all();
      expect(first.map(({ pluginName }) => pluginName)).to.have.members(['vault', 'other-vault']);
      const chosen = await defaultOf();
      await refresh('other-vault', 'vault');
      await refresh();
      expect(await all()).to.eql(first);
      expect(await defaultOf()).to.equal(chosen);
    });

    it('give different keys to the methods of accounts that are refreshed at the same time (payments §10.5)', async () => {
      vault.methods = [{ externalPaymentMethodId: `card-${account.id}` }];
      const accounts = await Promise.all(
        [1, 2, 3, 4].map(() => engine.acme.createAccount({ currency: 'USD' })),
      );
      const refreshAll = () =>
        Promise.all(
          accounts.map(({ id: accountId }) =>
            engine.acme.paymentMethods.refresh({ accountId, pluginNames: ['vault'] }),
          ),
        );
      const read = () => Promise.all(accounts.map(({ id }) => engine.acme.paymentMethods.ofAccount(id)));
      await refreshAll();
      const stored = await read();
      for (const methods of stored) expect(methods).to.have.length(1);
      await refreshAll();
      expect(await read()).to.eql(stored);
    });

    it('reject a method id that two gateways list (payments §10.5)', async () => {
      const list = [{ paymentMethodId: `11111111-0000-4000-8000-${account.id.slice(-12)}` as Uuid }];
      vault.methods = list;
      others.methods = list;
      await expectCode(refresh('vault', 'other-vault'), 7006);
      expect(await all()).to.eql([]);
    });
  });

  it('clear a default method that the gateway no longer lists, but keep a default method that it lists (payments §10.5)', async () => {
    const [kept, chosen] = [await add('vault'), await add('vault', { isDefault: true })];
    vault.methods = [{ paymentMethodId: kept.id }, { paymentMethodId: chosen.id }];
    await refresh('vault');
    expect(await defaultOf()).to.equal(chosen.id);
    vault.methods = [{ paymentMethodId: kept.id }];
    await refresh('vault');
    expect(await defaultOf()).to.equal(null);
    expect(idsOf(await all(false))).to.eql([kept.id]);
  });

  it('keep a default method of another gateway in a refresh (payments §10.5)', async () => {
    const sandboxed = await add(SANDBOX, { isDefault: true });
    vault.methods = [{ paymentMethodId: (await add('vault')).id, isDefault: true }];
    await refresh('vault');
    expect(await defaultOf()).to.equal(sandboxed.id);
  });

  it('refresh all gateways by default, and keep external methods (payments §10.5)', async () => {
    const [external, unlisted, sandboxed] = [await add(EXTERNAL), await add('plain'), await add()];
    await add('vault');
    await refresh();
    expect(new Set(idsOf(await all(false)))).to.eql(new Set([external.id, unlisted.id, sandboxed.id]));
    await refresh(EXTERNAL, 'plain');
    expect(await all(false)).to.have.length(3);
  });

  it('change nothing if the gateway returns null (payments §10.5)', async () => {
    const method = await add('vault', { isDefault: true });
    vault.methods = null;
    await refresh('vault');
    expect(idsOf(await all(false))).to.eql([method.id]);
    expect(vault.reset).to.equal(null);
  });

  it('change nothing if the gateway name is unknown, the gateway fails or its list is invalid (payments §10.5)', async () => {
    const method = await add('vault');
    const { id: stranger } = await engine.payingAccount({ currency: 'USD' });
    const { paymentMethodId: theirs } = await engine.acme.getAccount(stranger);
    await expectCode(refresh('vault', 'nobody'), 7028);
    await expectCode(engine.acme.paymentMethods.refresh({ accountId: method.id }), 3002);
    const lists: readonly unknown[] = [
      'cards',
      [{ paymentMethodId: 'no id' }],
      [null],
      [{ paymentMethodId: theirs }],
      [{ paymentMethodId: await methodOfOtherTenant() }],
    ];
    for (const list of lists) {
      vault.methods = list as readonly GatewayPaymentMethod[];
      await expectCode(refresh('vault'), 7006, JSON.stringify(list));
    }
    vault.failure = new GatewayError('down');
    await expectCode(refresh(), 7006);
    expect(idsOf(await all(false))).to.eql([method.id]);
  });

  async function methodOfOtherTenant(): Promise<Uuid> {
    const keys = { apiKey: `other ${account.id}`, apiSecret: 'secret', cell: engine.cell };
    const tenant = await engine.billing.tenants.create({ userName: 'test' }, keys);
    const other = engine.billing.as({ tenant: tenant.id, user: 'test' });
    const { id: accountId } = await other.createAccount({ currency: 'USD' });
    return (await other.paymentMethods.add({ accountId, pluginName: 'plain' })).id;
  }

  it('use the method id as the key if the gateway id is not a valid key (payments §10.1 rule 5)', async () => {
    for (const key of ['x'.repeat(300), 'nul \u0000', '\ud800', '', {}, ['tok'], true]) {
      others.key = key;
      const method = await add('other-vault');
      expect(method.externalKey, JSON.stringify(key)).to.equal(method.id);
    }
    others.key = Number.parseInt(account.id.slice(-10), 16);
    expect((await add('other-vault')).externalKey).to.equal(String(others.key));
    const again = await add('other-vault');
    expect(again.externalKey).to.equal(again.id);
    expect(await all(false)).to.have.length(9);
  });

  it('store nothing if a control plugin aborts an addition (payments §10.1 rule 3)', async () => {
    await expectCode(add(SANDBOX, { controlPlugins: ['aborts'] }), 7106);
    expect(await all()).to.eql([]);
    expect(heard).to.eql([]);
  });

  it('let a control plugin replace the gateway, and report the outcome to that plugin (payments §10.1 rule 3)', async () => {
    const method = await add('vault', { controlPlugins: ['unheard-of', 'redirects'] });
    expect(method.pluginName).to.equal('plain');
    expect(heard).to.eql([`redirects success ${method.id}`]);
    expect(contexts.at(-1)).to.deep.include({
      paymentApiType: 'PAYMENT_METHOD',
      accountId: account.id,
      paymentPluginName: 'vault',
      paymentMethodId: null,
      isApiPayment: true,
    });
  });

  it('reject an unknown gateway name, even from a control plugin (payments §10.1 rule 3)', async () => {
    await expectCode(add(SANDBOX, { controlPlugins: ['misleads'] }), 7028);
    expect(heard).to.eql(['misleads failure']);
    expect(await all()).to.eql([]);
  });

  it('store simultaneously added methods with separate tokens, and set one default method per account', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 12 }, () => engine.acme.createAccount({ currency: 'USD' })),
    );
    const shared = { details: { externalPaymentMethodId: `shared-${account.id}` }, isDefault: true };
    const addToAll = (to: readonly Account[]) =>
      Promise.all(
        to.map(({ id: accountId }) =>
          engine.acme.addPaymentMethod({ accountId, pluginName: SANDBOX, ...shared }),
        ),
      );
    const [first, second] = accounts;
    if (!first || !second) throw new Error('no accounts');
    const methods = [...(await addToAll(accounts)), ...(await addToAll([first, second, first]))];
    const keys = methods.map(({ externalKey }) => externalKey);
    expect(new Set(keys).size).to.equal(methods.length);
    expect(keys.filter((key) => key === `shared-${account.id}`)).to.have.length(1);
    const stored = await Promise.all(accounts.map(({ id }) => engine.acme.paymentMethods.ofAccount(id)));
    expect(new Set(idsOf(stored.flat()))).to.eql(new Set(idsOf(methods)));
    for (const list of stored) expect(list.filter(({ isDefault }) => isDefault)).to.have.length(1);
    const tokens = await Promise.all(
      methods.map(async ({ id }) => {
        const [made] = await engine.acme.audit.history({ type: 'PAYMENT_METHOD', id });
        return made?.userToken;
      }),
    );
    expect(new Set(tokens).size).to.equal(methods.length);
  });

  it('reject an invalid addition without failing simultaneous additions', async () => {
    const key = `once-${account.id}`;
    const codes = await Promise.all([
      codeOf(add(SANDBOX)),
      ...[1, 2, 3].map(() => codeOf(add(SANDBOX, { externalKey: key }))),
      codeOf(engine.acme.addPaymentMethod({ accountId: engine.tenant.id, pluginName: SANDBOX })),
      ...[1, 2].map(() => codeOf(add(EXTERNAL))),
    ]);
    expect([...codes].sort()).to.eql([3002, 7023, 7031, 7031, 'no error', 'no error', 'no error']);
    expect(await all(false)).to.have.length(3);
  });

  describe('in searches', () => {
    const search = async (key: string, request: object = {}) => {
      const page = await engine.acme.paymentMethods.search(key, { offset: 0, limit: 10, ...request });
      return { ids: idsOf(page.rows), total: page.total };
    };
    const none = { ids: [], total: 0 };

    it('find methods by a whole id or account id, or by part of the key or gateway name (payments §10.2)', async () => {
      const method = await add(SANDBOX, { externalKey: `Größe-${account.id}`, isDefault: true });
      const other = await add('plain');
      for (const key of [method.id, method.id.toUpperCase(), `GRÖSSE-${account.id}`.replace('SS', 'ß')])
        expect(await search(key), key).to.eql({ ids: [method.id], total: 1 });
      expect(await search(account.id)).to.eql({ ids: [method.id, other.id], total: 2 });
      expect((await search('PLAI')).ids).to.include(other.id);
      expect(await search(method.id.slice(1))).to.eql(none);
      expect(await search('100%')).to.eql(none);
      const [shown] = (await engine.acme.paymentMethods.search(method.id, { offset: 0, limit: 1 })).rows;
      expect(shown).to.eql(await engine.acme.paymentMethods.get(method.id));
      await remove(other.id);
      expect((await search(account.id)).ids).to.eql([method.id]);
    });

    it('accept search clauses that compare columns (payments §10.2)', async () => {
      const method = await add(SANDBOX);
      const other = await add('plain');
      const of = `_q=1&account_id=${account.id}`;
      expect((await search(`${of}&plugin_name=plain`)).ids).to.eql([other.id]);
      expect((await search(`${of}&pluginName[like]=SAND%`)).ids).to.eql([method.id]);
      const [audited] = await engine.acme.audit.history({ type: 'PAYMENT_METHOD', id: other.id });
      const written = `created_date[gte]=2012-05-01&updated_by=${audited?.changedBy}`;
      expect((await search(`${of}&${written}&created_by=${audited?.changedBy}`)).total).to.equal(2);
      expect(await search(`${of}&updated_by=nobody`)).to.eql(none);
      expect(await search(`${of}&updated_date[gt]=2012-05-02`)).to.eql(none);
      await expectCode(search('_q=1&is_active=true'), 60002);
      // Gateways do not know our columns.
      expect(await search(`${of}&id=${method.id}`, { pluginName: 'vault' })).to.eql(none);
      expect((await search(`${of}&id=${method.id}`, { withPluginInfo: true })).ids).to.eql([method.id]);
    });

    it('query the requested gateway, and omit methods that are not stored (payments §10.2)', async () => {
      const details = { properties: [{ key: 'last4', value: `4242-${account.id}` }] };
      const method = await add(SANDBOX, { details });
      expect(await search(`42-${account.id}`)).to.eql(none);
      expect(await search(`42-${account.id}`, { pluginName: SANDBOX })).to.eql({
        ids: [method.id],
        total: 1,
      });
      const [mine, deleted] = [await add('vault'), await add('vault')];
      await remove(deleted.id);
      vault.methods = [
        { paymentMethodId: engine.tenant.id },
        { paymentMethodId: method.id },
        { paymentMethodId: deleted.id },
        {},
        { paymentMethodId: mine.id },
      ];
      expect(await search('whatever', { pluginName: 'vault' })).to.eql({ ids: [mine.id], total: 5 });
    });

    it('query all gateways one by one if plugin information is requested without a gateway name (payments §10.2)', async () => {
      const sandboxed = await add(SANDBOX, {
        details: { properties: [{ key: 'k', value: `part ${account.id}` }] },
      });
      const mine = await add('vault');
      const kept = await add('plain', { externalKey: `plain ${account.id}` });
      vault.methods = [{ paymentMethodId: mine.id }];
      const listed = (request: object) => search(account.id, { withPluginInfo: true, ...request });
      expect(await listed({})).to.eql({ ids: [sandboxed.id, mine.id, kept.id], total: 3 });
      expect(await listed({ offset: 1, limit: 1 })).to.eql({ ids: [mine.id], total: 3 });
      expect(await listed({ offset: 2, limit: 5 })).to.eql({ ids: [kept.id], total: 3 });
      expect(await listed({ offset: 1, limit: -5 })).to.eql({ ids: [mine.id, sandboxed.id], total: 3 });
      expect(await listed({ offset: 3, limit: -1 })).to.eql({ ids: [], total: 3 });
      const page = await engine.acme.paymentMethods.search(account.id, {
        offset: 0,
        limit: 1,
        withPluginInfo: true,
      });
      expect(page.rows[0]?.pluginInfo?.properties[0]?.key).to.equal('k');
      vault.failure = new GatewayError('down');
      expect(await listed({})).to.eql({ ids: [sandboxed.id, kept.id], total: 2 });
    });

    it('fail if the requested gateway is unknown or fails (payments §10.2)', async () => {
      await expectCode(search('x', { pluginName: 'nobody' }), 7028);
      vault.failure = new GatewayError('down');
      await expectCode(search('x', { pluginName: 'vault' }), 7103);
      await expectCode(engine.acme.paymentMethods.page({ offset: 0, limit: 1, pluginName: 'nobody' }), 7028);
    });

    it('list active methods in creation order, optionally only the methods of one gateway (payments §10.2)', async () => {
      const [first, second] = [await add('plain'), await add('plain', { isDefault: true })];
      await remove(first.id);
      const page = await engine.acme.paymentMethods.page({ offset: 0, limit: -1, pluginName: 'plain' });
      expect(page.rows).to.eql([{ ...(await engine.acme.paymentMethods.get(second.id)), isDefault: true }]);
      expect(page.max).to.be.greaterThan(page.total);
    });
  });
});
