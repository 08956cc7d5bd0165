import { spawn } from 'node:child_process';
import { build } from 'esbuild';
import { type ClientOptions, createClient, eachRow } from '../../adapters/client/index.ts';
import { queries } from '../../adapters/client/operation-calls.ts';
import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import { operationAccess } from '../../adapters/koa/routes/operations/access.ts';
import { lantern } from '../../examples/catalogs/lantern.ts';
import { BillingError, Decimal, ErrorCode, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode } from '../support/index.ts';
import { SHOP_KEYS } from '../support/shop.ts';
import { png, seller } from '../support/tenants/sellers.ts';

type Operation = (...input: readonly unknown[]) => Promise<unknown>;

eachDatabase.describe('typed client', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-31T08:00:00Z' });
  let acme: TenantBilling;
  let options: ClientOptions;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const { billing, logger } = engine;
    await billing.security.ensureAdministrator('admin', 'password');
    const server = await listen(createKoaApp({ billing, logger }), { port: 0 });
    const url = `http://${server.host}:${server.port}`;
    options = { url, ...SHOP_KEYS, user: 'admin', password: 'password' };
    acme = createClient(options);
    close = () => server.close();
  });
  afterEach(() => close());

  it('returns the same results as the library', async () => {
    const { id } = await acme.createAccount({ name: 'Ada', currency: 'USD', timeZone: 'Europe/Berlin' });
    await acme.addPaymentMethod({ accountId: id, pluginName: 'killbill-payment-test', isDefault: true });
    const [entry] = await engine.acme.catalogs.availableBasePlans();
    await acme.createSubscription({ accountId: id, planName: entry?.plan.name ?? '' });
    await engine.runTo('2024-06-01');
    for (const read of [
      (one: TenantBilling) => one.getAccount(id),
      (one: TenantBilling) => one.accounts.balances([id]),
      (one: TenantBilling) => one.accounts.timeline(id),
      (one: TenantBilling) => one.invoices.ofAccount({ accountId: id, withItems: true }),
      (one: TenantBilling) => one.payments.page({ offset: 0, limit: 2 }),
      (one: TenantBilling) => one.subscriptions.bundlesOfAccount(id),
      (one: TenantBilling) => one.configuration.settings(),
      (one: TenantBilling) => one.accounts.findExactly('nobody'),
    ]) {
      expect(await read(acme)).to.eql(await read(engine.acme));
    }
    const { toXml, ...catalog } = await acme.catalogs.current();
    const { toXml: toLocalXml, ...local } = await engine.acme.catalogs.current();
    expect(toXml()).to.equal(toLocalXml());
    expect(catalog).to.eql(JSON.parse(JSON.stringify(local)) && catalog);
  });

  it('authenticates with a session cookie instead of a secret and a password', async () => {
    const { url, apiKey } = options;
    const security = `${url}/1.0/kb/security/sessions`;
    const signIn = await globalThis.fetch(security, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Requested-With': 'test' },
      body: JSON.stringify({ username: 'admin', password: 'password' }),
    });
    const cookie = signIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const sent: Headers[] = [];
    // A browser adds the cookie itself.
    const fetch: typeof globalThis.fetch = (target, init) => {
      const headers = new Headers(init?.headers);
      sent.push(new Headers(headers));
      headers.set('Cookie', cookie);
      return globalThis.fetch(target, { ...init, headers });
    };
    const client = createClient({ url, apiKey, createdBy: 'admin', fetch });
    const { id } = await client.createAccount({ name: 'Ada', currency: 'USD' });
    expect((await client.getAccount(id)).name).to.equal('Ada');
    for (const headers of sent)
      expect([headers.get('x-service-apisecret'), headers.get('authorization')]).to.eql([null, null]);
    const [entry] = (await engine.acme.audit.logs([id], 'FULL')).get(id) ?? [];
    expect(entry?.changedBy).to.equal('admin');
    const withoutSession = createClient({ url, apiKey, retries: 0 });
    await expectCode(withoutSession.getAccount(id), 60004);
  });

  it('uploads seller data with a logo and reads it back', async () => {
    const logo = { mediaType: 'image/png', bytes: png } as const;
    const stored = await acme.sellers.upload({ ...seller, logo });
    expect(stored).to.deep.include({ ...seller, logo });
    for (const read of [
      (one: TenantBilling) => one.sellers.get(),
      (one: TenantBilling) => one.sellers.at('2024-01-31T08:00:00Z'),
      (one: TenantBilling) => one.sellers.list(),
      (one: TenantBilling) => one.sellers.logo(stored.id),
    ])
      expect(await read(acme)).to.eql(await read(engine.acme));
    expect(await acme.sellers.logo(stored.id)).to.eql(logo);
  });

  it('previews a change with the same result as the library', async () => {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    const [entry] = await engine.acme.catalogs.availableBasePlans();
    const request = { change: 'CREATE', accountId: id, planName: entry?.plan.name ?? '' } as const;
    const [remote, local] = [acme, engine.acme].map((one) => one.subscriptions.preview(request));
    const shown = async (preview: typeof remote) => {
      const { effective, dueNow, next, credit } = (await preview) ?? {};
      const items = [dueNow, next].map((invoice) =>
        invoice?.items.map(({ amount, explanation }) => [amount, explanation.steps, explanation.text]),
      );
      return { effective, items, credit, dates: [dueNow?.invoiceDate, next?.targetDate] };
    };
    expect(await shown(remote)).to.eql(await shown(local));
  });

  it('keeps amounts exact, and returns instants, maps and bytes', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const amount = '999999999999.99';
    const [charge] = await acme.invoices.addCharges({
      accountId: id,
      items: [{ amount, currency: 'USD', description: 'Works' }],
      autoCommit: true,
    } as never);
    expect(charge?.amount).to.be.an.instanceOf(Decimal);
    expect(charge?.amount.toFixed()).to.equal(amount);
    expect(charge?.createdDate).to.eql(new Date(engine.clock.now()));
    expect((await acme.accounts.balances([id])).get(id as Uuid)?.accountBalance.toFixed()).to.equal(amount);
    const pdf = await acme.invoices.pdf(charge?.invoiceId ?? '');
    expect(new TextDecoder().decode(pdf.subarray(0, 5))).to.equal('%PDF-');
  });

  it('streams exports and iterates pages', async () => {
    const names = ['Ada', 'Bruno', 'Chiyo'];
    for (const name of names) await acme.createAccount({ name, currency: 'USD' });
    const found: (string | null)[] = [];
    for await (const account of eachRow((page) => acme.accounts.page(page), 2)) found.push(account.name);
    expect(found.toSorted()).to.eql(names);
    const [{ id } = { id: '' }] = (await acme.accounts.page({ offset: 0, limit: 1 })).rows;
    let text = '';
    for await (const piece of await acme.accounts.export(id)) text += piece;
    let local = '';
    for await (const piece of await engine.acme.accounts.export(id)) local += piece;
    expect(text).to.equal(local);
  });

  it('uploads catalogs defined in code', async () => {
    await acme.catalogs.delete();
    await acme.uploadCatalog(lantern);
    expect(await acme.catalogs.sync(lantern)).to.eql({ status: 'UNCHANGED', added: [] });
  });

  it('throws the errors of the library with their details', async () => {
    const missing = '01234567-89ab-7def-8123-456789abcdef';
    const work = acme.getAccount(missing);
    await expectCode(work, 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
    await work.catch((error: unknown) => {
      expect(error).to.be.an.instanceOf(BillingError);
      expect((error as BillingError).facts).to.eql({ accountId: missing });
    });
    await acme.catalogs.upload('<catalog/>').catch((error: BillingError) => {
      expect(error.problems).to.have.length.above(0);
    });
  });

  it('sends the author, reason and comment of changes', async () => {
    const author = createClient({ ...options, createdBy: 'Zoë', reason: 'sale', comment: 'by phone' });
    const { id } = await author.createAccount({ currency: 'USD' });
    const [entry] = await engine.acme.audit.ofAccount(id);
    expect(entry).to.deep.include({ changedBy: 'Zoë', reasonCode: 'sale', comments: 'by phone' });
  });

  describe('of an unprivileged user', () => {
    let reader: TenantBilling;

    beforeEach(async () => {
      await engine.storage.system.insertUserIfAbsent({
        id: crypto.randomUUID() as Uuid,
        name: 'reader',
        passwordHash: 'plain:reading',
        credentialVersion: 1,
        isActive: true,
        permissions: [],
        roles: [],
        tenantIds: [],
        allTenants: true,
      });
      reader = createClient({ ...options, user: 'reader', password: 'reading', retries: 0 });
    });

    it('is denied each operation for which it has no permission', async () => {
      for (const [group, operations] of Object.entries(operationAccess)) {
        for (const [name, access] of Object.entries(operations)) {
          if (access.needs([]).length === 0) continue;
          const call = Reflect.get(Reflect.get(reader, group), name) as Operation;
          await expectCode(call([{}]), 'SECURITY_NOT_ENOUGH_PERMISSIONS', `${group}.${name}`);
        }
      }
    });

    it('needs an additional permission for each option that requires one', async () => {
      const { needs } = operationAccess.accounts.close;
      expect(needs(['id', { cancelAllSubscriptions: true }])).to.include('entitlement:cancel');
      expect(operationAccess.keyValues.add.needs(['CATALOG'])).to.include('catalog:config_upload');
    });

    it('receives tenant settings with masked secrets', async () => {
      const key = 'PLUGIN_CONFIG_acme';
      await acme.keyValues.add(key, 'password=swordfish');
      expect((await acme.keyValues.get(key)).values).to.eql(['password=swordfish']);
      expect((await reader.keyValues.get(key)).values.join()).not.to.include('swordfish');
    });
  });

  it('rejects unknown operations, and operations under the wrong path', async () => {
    const { url, apiKey, apiSecret } = options;
    const headers = {
      authorization: `Basic ${btoa('admin:password')}`,
      'content-type': 'application/json',
      'x-service-apikey': apiKey,
      'x-service-apisecret': apiSecret,
      'x-service-createdby': 'test',
    };
    for (const path of [
      'queries/accounts/create',
      'operations/accounts/get',
      'queries/accounts/constructor',
      'queries/__proto__/toString',
      'queries/outlines/page',
    ]) {
      const body = JSON.stringify({ arguments: [] });
      const answer = await fetch(`${url}/1.0/kb/${path}`, { method: 'POST', headers, body });
      expect(answer.status, path).to.equal(404);
    }
  });
});

describe('typed client transport', () => {
  const options = {
    url: 'https://billing.test/',
    apiKey: 'acme',
    apiSecret: 'secret',
    user: 'me',
    password: 'x',
  };

  /** Returns a client whose attempts have these outcomes, in order. The last one repeats. */
  function against(...outcomes: readonly ((() => Response) | Error)[]) {
    const requests: { readonly url: string; readonly headers: Headers }[] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      const outcome = outcomes[Math.min(requests.length, outcomes.length - 1)];
      requests.push({ url: String(url), headers: new Headers(init?.headers) });
      if (typeof outcome === 'function') return outcome();
      throw outcome;
    };
    return { requests, client: createClient({ ...options, fetch }) };
  }

  const done = () => Response.json({ value: null, types: {} });
  const busy = (status: number) => () => new Response('{}', { status, headers: { 'Retry-After': '0' } });

  for (const status of [409, 429, 503]) {
    it(`repeats a change with the same key after ${status} with Retry-After`, async () => {
      const { requests, client } = against(busy(status), busy(status), done);
      await client.accounts.anonymize('id');
      expect(requests.map(({ url }) => url)).to.eql(
        Array(3).fill('https://billing.test/1.0/kb/operations/accounts/anonymize'),
      );
      const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')));
      expect([...keys]).to.have.length(1);
      expect([...keys][0]).to.match(/^[0-9a-f-]{36}$/);
    });
  }

  it('repeats a call that gets no response', async () => {
    const { requests, client } = against(new TypeError('fetch failed'), done);
    await client.accounts.anonymize('id');
    expect(requests).to.have.length(2);
  });

  it('throws the last error after the final attempt', async () => {
    const { requests, client } = against(busy(503));
    const error = await client.getAccount('id').catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message', 'The server answered 503: {}');
    expect(requests).to.have.length(5);
  });

  it('does not repeat a change after a conflict without Retry-After', async () => {
    const body = JSON.stringify({ code: ErrorCode.ACCOUNT_ALREADY_EXISTS, message: 'exists' });
    const { requests, client } = against(() => new Response(body, { status: 409 }));
    await expectCode(client.createAccount({}), 'ACCOUNT_ALREADY_EXISTS');
    expect(requests).to.have.length(1);
  });

  it('sends queries to their own path without an idempotency key', async () => {
    const { requests, client } = against(done);
    await client.invoices.explain('id');
    expect(requests[0]?.url).to.equal('https://billing.test/1.0/kb/queries/invoices/explain');
    expect(requests[0]?.headers.has('idempotency-key')).to.equal(false);
  });

  it('sends the current bearer token', async () => {
    let turn = 0;
    const requests: Headers[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      requests.push(new Headers(init?.headers));
      return done();
    };
    const client = createClient({
      url: 'https://b.test',
      apiKey: 'a',
      apiSecret: 's',
      token: () => `t${++turn}`,
      fetch,
    });
    await client.getAccount('id');
    await client.getAccount('id');
    expect(requests.map((headers) => headers.get('authorization'))).to.eql(['Bearer t1', 'Bearer t2']);
  });
});

describe('typed client module', () => {
  it('runs in a browser and imports no engine module', async () => {
    const { outputFiles } = await build({
      entryPoints: ['adapters/client/index.ts'],
      bundle: true,
      minify: true,
      write: false,
      platform: 'browser',
      format: 'esm',
    });
    expect(outputFiles[0]?.contents.length).to.be.below(80_000);
  });

  it('contains only existing operations', () => {
    for (const [group, names] of Object.entries(queries)) {
      const known = Object.keys(Reflect.get(operationAccess, group));
      expect(known, group).to.include.members([...names]);
    }
  });
});

describe("typed client in the engine's test stories", function () {
  this.timeout(180_000);

  it('gets the same results over HTTP as an engine in the same process', async () => {
    const files = ['account-credit', 'price-changes', 'quantities'].map(
      (name) => `test/engine/${name}.test.ts`,
    );
    const env = { ...process.env, BILLWRIGHT_TEST_CALLS: 'http', BILLWRIGHT_TEST_DATABASE: 'sqlite' };
    const run = spawn('npx', ['mocha', '--reporter', 'dot', ...files], { env });
    let output = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (piece) => (output += piece));
    const code = await new Promise((resolve) => run.on('close', resolve));
    expect(code, output).to.equal(0);
    expect(output).to.match(/[1-9]\d passing/);
  });
});
