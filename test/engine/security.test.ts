import sinon from 'sinon';
import { scryptHasher, secretCipher } from '../../adapters/node/index.ts';
import { SIGNING_KEY_RETENTION_MS } from '../../lib/security/token-keys.ts';
import { type SigningSecretService, signingSecretService } from '../../lib/tenants/index.ts';
import { BillingError } from '../../lib/values/errors/index.ts';
import { SIGNING_KEY_LIFETIME_MS } from '../../lib/values/limits.ts';
import { eachDatabaseByTurns, itOnPostgresql } from '../support/databases.ts';
import {
  engineBefore,
  engineBeforeEach,
  expect,
  expectCode,
  openBilling,
  openEngine,
  type TestEngine,
} from '../support/index.ts';
import { author as authorship } from '../support/storage/stored-records.ts';

const author = { userName: 'root' };
const strict = { allowShort: false };
const minuteMs = 60_000;
/** Hash of `password` with N = 2^4. */
const weak = '$scrypt$ln=4,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$jU+wVnnRO8xMJ6kk2pn2W1IFgOT9r8PK+dHZ+HH3bt4';

eachDatabaseByTurns.describe('server security', (open) => {
  const engine = engineBefore(open, { now: '2025-03-10T09:15:30Z' });

  const permissionsOf = async (name: string) =>
    (await engine.billing.security.principal('USER', name))?.permissions;

  it('applies changes to permissions, roles, users and grants immediately', async () => {
    const { users, roles, principal } = at(engine);
    await roles.create(author, { name: 'clerk', permissions: ['tag:add', 'account'] });
    await users.create(author, { name: 'ann', password: 'long enough', roles: ['clerk'] }, strict);
    expect(await permissionsOf('ann')).to.eql(['account:*', 'tag:add']);
    await roles.put(author, { name: 'clerk', permissions: ['usage:record'] });
    expect(await permissionsOf('ann')).to.eql(['usage:record']);
    await users.setRoles(author, { name: 'ann', roles: ['clerk', 'admin', 'clerk'] });
    expect(await permissionsOf('ann')).to.eql(['*:*', 'usage:record']);
    expect(await principal('ann')).to.include({ allTenants: true, credentialVersion: 2 });
    const tenantIds = [engine.tenant.id];
    await users.setGrants(author, { name: 'ann', allTenants: false, tenantIds });
    // The user's tenants are not part of the credential, so sessions and tokens stay valid.
    expect(await principal('ann')).to.deep.include({ allTenants: false, tenantIds, credentialVersion: 2 });
    await users.deactivate(author, 'ann');
    expect(await principal('ann')).to.equal(null);
    await expectCode(users.get('ann'), 40001);
    await expectCode(users.deactivate(author, 'ann'), 40001);
  });

  it('lists the active users by name, and shows a limited viewer only the users of the same tenants', async () => {
    const { users, principal } = at(engine);
    const tenantIds = [engine.tenant.id];
    const password = 'long enough';
    for (const name of ['zoe', 'yan'])
      await users.create(author, { name, password, roles: [], tenantIds }, strict);
    await users.create(author, { name: 'xia', password, roles: ['admin'] }, strict);
    await users.create(author, { name: 'wim', password, roles: [] }, strict);
    await users.deactivate(author, 'wim');
    const page = { offset: 0, limit: 100 };
    const namesOf = async (...given: Parameters<typeof users.page>) =>
      (await users.page(...given)).rows.map(({ name }) => name);
    const all = await namesOf(page);
    expect(all).to.include.members(['xia', 'yan', 'zoe']).and.not.include('wim');
    expect(all).to.eql(all.toSorted());
    expect(await namesOf({ offset: 0, limit: -1 })).to.eql(['zoe']);
    expect(await users.page({ offset: 1, limit: 1 })).to.deep.include({ total: all.length, max: all.length });
    const limited = await principal('yan');
    expect(await namesOf(page, limited)).to.eql(['yan', 'zoe']);
  });

  it("allows the name of an inactive user to be reused without the former user's rights", async () => {
    const { users, principal } = at(engine);
    const first = { name: 'bea', password: 'first secret', roles: ['admin'] };
    await users.create(author, first, strict);
    await expectCode(users.create(author, first, strict), 40002);
    await users.deactivate(author, 'bea');
    await users.create(author, { name: 'bea', password: 'second secret', roles: [], tenantIds: [] }, strict);
    expect(await engine.billing.security.authenticate('bea', 'first secret')).to.equal(null);
    expect(await principal('bea')).to.deep.include({
      permissions: [],
      allTenants: false,
      credentialVersion: 3,
    });
  });

  it('creates one user if many calls request the same name at the same time', async () => {
    const { users, roles, clients } = at(engine);
    const many = Array.from({ length: 8 }, (_, index) => `secret number ${index}`);
    const creations: Readonly<Record<string, (secret: string) => Promise<unknown>>> = {
      user: (password) => users.create(author, { name: 'twin', password, roles: [] }, strict),
      role: (secret) => roles.create(author, { name: 'twin', permissions: [`sign:${secret}`] }),
      client: (secret) => clients.create(author, { name: 'twin', secret, roles: [] }, strict),
    };
    for (const [what, create] of Object.entries(creations)) {
      const ends = await Promise.allSettled(many.map(create));
      expect(ends.filter(({ status }) => status === 'fulfilled').length, what).to.equal(1);
    }
  });

  it('rejects invalid input and stores nothing', async () => {
    const { users, roles, clients } = at(engine);
    const user = { name: 'cy', password: 'long enough', roles: [] };
    const tenantIds = ['11111111-1111-4111-8111-111111111111' as never];
    const refusals: readonly (readonly [() => Promise<unknown>, number])[] = [
      [() => users.create(author, { ...user, name: '' }, strict), 60003],
      [() => users.create(author, { ...user, name: 'x'.repeat(129) }, strict), 60003],
      [() => users.create(author, { ...user, name: 'a\u0000b' }, strict), 60003],
      [() => users.create(author, { ...user, name: 'a:b' }, strict), 60003],
      // Clients would normalize a path with these names to another path.
      [() => users.create(author, { ...user, name: '..' }, strict), 60003],
      [() => roles.create(author, { name: '.', permissions: [] }), 60003],
      [() => clients.create(author, { name: '..', secret: 'long enough', roles: [] }, strict), 60003],
      [() => users.create(author, { ...user, password: '' }, { allowShort: true }), 60003],
      [() => users.create(author, { ...user, password: 'short' }, strict), 60003],
      [() => users.create(author, { ...user, password: 'x'.repeat(1_025) }, strict), 60003],
      [() => users.create(author, { ...user, roles: ['no such role'] }, strict), 40003],
      [() => users.create(author, { ...user, tenantIds }, strict), 20001],
      [() => users.create({ userName: 'a\u0000b' }, user, strict), 60003],
      [() => users.setRoles(author, { name: 'cy', roles: [] }), 40001],
      [() => users.changePassword(author, { name: 'cy', password: 'long enough' }, strict), 40001],
      [() => users.setGrants(author, { name: 'cy', allTenants: true, tenantIds: [] }), 40001],
      [() => roles.create(author, { name: '', permissions: [] }), 60003],
      [() => roles.create(author, { name: 'admin', permissions: [] }), 40004],
      [() => roles.put(author, { name: 'admin', permissions: [] }), 40004],
      [() => roles.create(author, { name: 'bad', permissions: ['a:b:c'] }), 40005],
      [() => clients.create(author, { name: 'cy', secret: 'short', roles: [] }, strict), 60003],
      [() => clients.create(author, { name: 'cy', secret: 'long enough', roles: ['none'] }, strict), 40003],
      [() => clients.deactivate(author, 'cy'), 40001],
    ];
    for (const [index, [refused, code]] of refusals.entries())
      await expectCode(refused(), code, `refusal ${index}`);
    await expectCode(users.get('cy'), 40001);
    await expectCode(clients.get('cy'), 40001);
    expect((await roles.list()).map(({ name }) => name)).to.not.include('bad');
    expect(await roles.get('admin')).to.eql({ name: 'admin', permissions: ['*:*'] });
  });

  it('stores a role without permissions', async () => {
    const { roles } = at(engine);
    await roles.create(author, { name: 'nothing', permissions: [''] });
    await expectCode(roles.create(author, { name: 'nothing', permissions: [] }), 40004);
    expect((await roles.list()).find(({ name }) => name === 'nothing')?.permissions).to.eql([]);
  });

  it('rejects changes to the administrator that the configuration defines', async () => {
    const { security } = engine.billing;
    await security.ensureAdministrator('root', 'long enough');
    const { users } = security;
    for (const refused of [
      () => users.deactivate(author, 'root'),
      () => users.setRoles(author, { name: 'root', roles: [] }),
      () => users.changePassword(author, { name: 'root', password: 'another one' }, strict),
      () => users.setGrants(author, { name: 'root', allTenants: false, tenantIds: [] }),
    ])
      await expectCode(refused(), 40001);
    expect(await security.authenticate('root', 'long enough')).to.include({ isActive: true });
  });

  it('hashes a password again at the next login if the stored hash is weak', async () => {
    const renewing = await openEngine(open, { now: '2025-03-10T09:15:30Z', hasher: scryptHasher() });
    const { storage, billing } = renewing;
    await at(renewing).users.create(author, { name: 'dora', password: 'to be replaced', roles: [] }, strict);
    const values = { passwordHash: weak };
    await storage.security.updateUser('dora', { values, isCredential: false }, authorship());
    expect(await billing.security.authenticate('dora', 'wrong')).to.equal(null);
    expect((await billing.security.find('dora'))?.passwordHash).to.equal(weak);
    expect(await billing.security.authenticate('dora', 'password')).to.include({ name: 'dora' });
    const renewed = await billing.security.find('dora');
    expect(renewed?.passwordHash).to.match(/^\$scrypt\$ln=15,r=8,p=1\$/);
    expect(renewed?.credentialVersion).to.equal(1);
    expect(await billing.security.authenticate('dora', 'password')).to.include({ name: 'dora' });
    await renewing.close();
  });

  it('caches access rights and, with several nodes, shares each revision check among all waiting calls of a node', async () => {
    const { storage, billing } = engine;
    await billing.security.principal('USER', 'root');
    const reads = {
      user: sinon.spy(storage.system, 'findUserByName'),
      revision: sinon.spy(storage.security, 'revision'),
    };
    const creations = Array.from({ length: 50 }, () => billing.security.principal('USER', 'root'));
    const found = await Promise.all(creations);
    sinon.restore();
    expect(found.every((each) => each?.name === 'root')).to.equal(true);
    expect(reads.user.callCount).to.equal(0);
    expect(reads.revision.callCount).to.be.at.most(storage.singleNode ? 0 : 2);
  });

  itOnPostgresql('applies changes immediately on every node', async () => {
    const other = await openBilling(engine.database);
    const { roles, users } = at(engine);
    await roles.create(author, { name: 'shared', permissions: ['tag:add'] });
    await users.create(author, { name: 'ian', password: 'long enough', roles: ['shared'] }, strict);
    const there = async () => (await other.security.principal('USER', 'ian'))?.permissions ?? null;
    expect(await there()).to.eql(['tag:add']);
    await roles.put(author, { name: 'shared', permissions: ['usage:record'] });
    expect(await there()).to.eql(['usage:record']);
    await users.deactivate(author, 'ian');
    expect(await there()).to.equal(null);
  });

  it('ends a session one hour after its last use', async () => {
    const { security } = engine.billing;
    const { systemClock } = engine;
    await security.ensureAdministrator('ina', 'long enough');
    const ina = await security.principal('USER', 'ina');
    if (ina === null) throw new Error('the user is missing');
    await security.sessions.start(ina, { tokenHash: 'idle', host: null });
    for (let uses = 0; uses < 3; uses += 1) {
      systemClock.push(59 * minuteMs);
      expect((await security.sessions.find('idle'))?.user.name).to.equal('ina');
    }
    systemClock.push(60 * minuteMs);
    expect(await security.sessions.find('idle')).to.equal(null);
    await security.sessions.start(ina, { tokenHash: 'short', host: null, idleMs: 10 * minuteMs });
    systemClock.push(9 * minuteMs);
    expect(await security.sessions.find('short', 10 * minuteMs)).to.not.equal(null);
    systemClock.push(10 * minuteMs);
    expect(await security.sessions.find('short', 10 * minuteMs)).to.equal(null);
  });

  it('ends a session on request, and does nothing for a session that has ended', async () => {
    const { security } = engine.billing;
    await security.ensureAdministrator('ida', 'long enough');
    const ida = await security.principal('USER', 'ida');
    if (ida === null) throw new Error('the user is missing');
    for (const tokenHash of ['first', 'second'])
      await security.sessions.start(ida, { tokenHash, host: null });
    await security.sessions.end('first');
    await security.sessions.end('first');
    expect(await security.sessions.find('first')).to.equal(null);
    expect((await security.sessions.find('second'))?.user.name).to.equal('ida');
  });

  it('locks a name for 15 minutes after ten failures within 15 minutes', async () => {
    const { guard } = engine.billing.security;
    const { systemClock } = engine;
    const attempt = (isRight: boolean) =>
      guard.attempt({ kind: 'user', name: 'eve', address: null }, async () => (isRight ? true : null));
    for (let failures = 0; failures < 9; failures += 1) expect(await attempt(false)).to.equal(null);
    // The first nine failures are outside the window and no longer count.
    systemClock.push(15 * minuteMs);
    for (let failures = 0; failures < 9; failures += 1) expect(await attempt(false)).to.equal(null);
    expect(await attempt(true)).to.equal(true);
    // A success resets the failures of the name.
    for (let failures = 0; failures < 10; failures += 1) expect(await attempt(false)).to.equal(null);
    const locked = await attempt(true).catch((error: unknown) => error);
    expect(locked).to.be.instanceOf(BillingError).and.to.include({ code: 40006 });
    expect(Number((locked as BillingError).facts.retryAfterSeconds)).to.be.within(890, 900);
    systemClock.push(14 * minuteMs);
    await expectCode(attempt(true), 40006);
    systemClock.push(minuteMs);
    expect(await attempt(true)).to.equal(true);
  });

  it('hides the results of pending login attempts once other attempts have locked the name', async () => {
    const { guard } = engine.billing.security;
    const attempt = async (checked: Promise<true | null>): Promise<string> => {
      try {
        const result = await guard.attempt({ kind: 'user', name: 'hal', address: null }, () => checked);
        return result === null ? 'wrong' : 'right';
      } catch (error) {
        return String((error as BillingError).code);
      }
    };
    const [guessing, lucky] = [Promise.withResolvers<null>(), Promise.withResolvers<true>()];
    const guesses = Array.from({ length: 30 }, () => attempt(guessing.promise));
    const last = attempt(lucky.promise);
    guessing.resolve(null);
    const outcomes = Object.groupBy(await Promise.all(guesses), (outcome) => outcome);
    expect([outcomes.wrong?.length, outcomes['40006']?.length]).to.eql([10, 20]);
    lucky.resolve(true);
    expect(await last).to.equal('40006');
  });

  it('locks only the address after fifty failures with different names', async () => {
    const { guard } = engine.billing.security;
    const attempt = (address: string, name: string) =>
      guard.attempt({ kind: 'tenant', name, address }, async () => null);
    for (let failures = 0; failures < 50; failures += 1) await attempt('192.0.2.1', `name ${failures}`);
    await expectCode(attempt('192.0.2.1', 'another'), 40006);
    expect(await attempt('192.0.2.2', 'another')).to.equal(null);
  });

  it('counts every simultaneous login failure', async () => {
    const { guard } = engine.billing.security;
    const attempt = () =>
      guard.attempt({ kind: 'client', name: 'fay', address: '192.0.2.9' }, async () => null);
    await Promise.all(Array.from({ length: 10 }, attempt));
    await expectCode(attempt(), 40006);
  });

  it('audits each change of users, roles and clients, without secrets', async () => {
    const { users, clients } = at(engine);
    const secret = 'a secret that nobody sees';
    await users.create(author, { name: 'gil', password: secret, roles: [] }, strict);
    await users.changePassword(author, { name: 'gil', password: `${secret} again` }, strict);
    await clients.create(author, { name: 'sync', secret, roles: ['admin'] }, strict);
    await clients.deactivate(author, 'sync');
    const client = await engine.storage.security.findClientByName('sync');
    const ids = [(await users.get('gil')).id, client?.id ?? engine.tenant.id];
    const rows = await engine.storage.read({ id: engine.tenant.id, recordId: 0 }, ({ audit }) =>
      audit.findHistories(ids),
    );
    expect(rows.map((row) => `${row.tableName} ${row.changeType} by ${row.changedBy}`)).to.eql([
      'USER INSERT by root',
      'USER UPDATE by root',
      'API_CLIENT INSERT by root',
      'API_CLIENT UPDATE by root',
    ]);
    expect(rows[1]?.snapshot).to.deep.include({ name: 'gil', credentialVersion: 2, isActive: true });
    expect(JSON.stringify(rows)).to.not.match(/secret|scrypt|hash/i);
  });
});

function at(engine: TestEngine) {
  const { security } = engine.billing;
  const { users, roles, clients } = security;
  return { users, roles, clients, principal: (name: string) => security.principal('USER', name) };
}

eachDatabaseByTurns.describe('user access', (open) => {
  const engine = engineBefore(open, { now: '2025-03-10T09:15:30Z' });

  it('accepts a new password, and invalidates the old password and its cached result', async () => {
    const { security } = engine.billing;
    await security.ensureAdministrator('admin', 'first secret');
    await security.ensureAdministrator('other', 'first secret');
    const before = await security.find('admin');
    await security.setPassword('admin', 'second secret');
    expect(await security.authenticate('admin', 'first secret')).to.equal(null);
    const after = await security.authenticate('admin', 'second secret');
    expect(after?.credentialVersion).to.equal((before?.credentialVersion ?? 0) + 1);
    expect(await security.authenticate('other', 'first secret')).to.include({ credentialVersion: 1 });
  });

  it('accepts no password for a missing user', async () => {
    const { security } = engine.billing;
    for (const name of ['nobody', 'a\u0000b']) await expectCode(security.setPassword(name, 'secret'), 40001);
  });
});

eachDatabaseByTurns.describe('access by token', (open) => {
  let engine: TestEngine;

  it('removes a signing key once all tokens signed with it have expired (platform §7.1)', async () => {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: null });
    const { tokenKeys } = engine.billing.security;
    let made = 0;
    const sign = async () => {
      const kid = `key ${made + 1}`;
      const { kid: used } = await tokenKeys.signer(async () => {
        made += 1;
        return { kid, publicKey: { kty: 'RSA' }, privateKey: kid };
      });
      return used;
    };
    const kids = async () => (await engine.storage.security.listSigningKeys()).map(({ kid }) => kid);
    await tokenKeys.purge();
    await sign();
    engine.systemClock.push(SIGNING_KEY_LIFETIME_MS);
    expect(await sign()).to.equal('key 2');
    engine.systemClock.push(SIGNING_KEY_RETENTION_MS - 60_000);
    await tokenKeys.purge();
    expect(await kids()).to.eql(['key 1', 'key 2']);
    engine.systemClock.push(120_000);
    await tokenKeys.purge();
    expect(await kids()).to.eql(['key 2']);
    expect(await sign()).to.equal('key 2');
  });
});

const HOUR_MS = 3_600_000;

eachDatabaseByTurns.describe('push signing for a tenant (platform §10.3)', (open) => {
  let secrets: SigningSecretService;

  const engine = engineBeforeEach(open, { now: '2025-03-10T09:00:00Z' });
  beforeEach(async () => {
    secrets = serviceWith('the key of this server, which has 32 characters');
  });

  function serviceWith(serverKey: string): SigningSecretService {
    const { storage, systemClock } = engine;
    const ids = { next: () => crypto.randomUUID() as never };
    return signingSecretService({ storage, systemClock, ids, cipher: secretCipher(serverKey) });
  }
  const context = () => engine.billing.context({ tenant: engine.tenant, user: 'test' });
  const current = (service = secrets) =>
    engine.storage.read(engine.tenant, (session) => service.current(session));
  const create = async () => secrets.create(await context());

  it('shows a signing secret once, stores it encrypted, and uses it until it is deleted', async () => {
    expect(await current()).to.eql([]);
    const secret = await create();
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await current()).to.eql([secret]);
    const [stored] = await engine.storage.read(engine.tenant, (session) => session.signingSecrets.active());
    expect(stored?.secret).to.not.contain(secret.slice('whsec_'.length));
    await secrets.delete(await context());
    await secrets.delete(await context());
    expect(await current()).to.eql([]);
  });

  it('uses the old and the new secret for 24 hours after a rotation, and never more than two secrets', async () => {
    const [first, second] = [await create(), await create()];
    expect(await current()).to.eql([second, first]);
    const third = await create();
    expect(await current()).to.eql([third, second]);
    engine.systemClock.push(24 * HOUR_MS - 60_000);
    expect(await current()).to.eql([third, second]);
    engine.systemClock.push(60_000);
    expect(await current()).to.eql([third]);
  });

  it('keeps signing secrets within their tenant', async () => {
    await create();
    const other = await engine.billing.tenants.create(
      { userName: 'test' },
      { apiKey: 'other', apiSecret: 'x' },
    );
    expect(await engine.storage.read(other, (session) => secrets.current(session))).to.eql([]);
  });

  it('does not treat a signing secret as missing if it was encrypted with another server key', async () => {
    await create();
    let thrown: unknown;
    await current(serviceWith('another key, which has 32 characters as well')).catch((error: unknown) => {
      thrown = error;
    });
    expect((thrown as Error).message).to.contain('another server key');
  });
});
