import { aliasHeaders, basic, bearer, eachDatabaseByTurns, expect, textOf } from '../support/http/index.ts';
import { expectRefusal, expectStatus, type Reply, type Request, serveOnce } from '../support/http/serving.ts';

const security = '/1.0/kb/security';

eachDatabaseByTurns.describe('tenant user managers over HTTP (platform §8, R39)', (open) => {
  const serving = serveOnce(open);
  let ofBob: string;
  let ofEve: string;

  before(async () => {
    const { call, get } = serving;
    const tenantIdOf = async (apiKey: string) =>
      textOf((await get(`/tenants?apiKey=${apiKey}`)).json, 'tenantId');
    [ofBob, ofEve] = [await tenantIdOf('bob'), await tenantIdOf('eve')];
    const roles = {
      manager: ['user:create', 'tag:*', 'account:create'],
      tagger: ['tag:add'],
      uploader: ['catalog:config_upload'],
      'of both': ['tag:delete'],
      'of nobody': ['tag:delete'],
    };
    for (const [role, permissions] of Object.entries(roles))
      expect((await call('POST', `${security}/roles`, { body: { role, permissions } })).status).to.equal(201);
    const users = {
      mia: { roles: ['manager'], tenants: [ofBob] },
      ned: { roles: ['manager'], tenants: [ofBob, ofEve] },
      root: { roles: ['admin'], tenants: [ofBob] },
      uma: { roles: ['uploader'], tenants: [ofBob] },
      tom: { roles: ['tagger'], tenants: [ofBob] },
      eva: { roles: ['tagger', 'of both'], tenants: [ofEve] },
      both: { roles: ['of both'], tenants: [ofBob, ofEve] },
      none: { roles: [], tenants: [] },
      anywhere: { roles: [] },
      lara: { roles: ['manager'] },
    };
    for (const [username, user] of Object.entries(users)) {
      const body = { username, password: 'password', ...user };
      expect((await call('POST', `${security}/users`, { body })).status).to.equal(201);
    }
  });

  const as =
    (name: string, password = 'password', headers: Request['headers'] = {}) =>
    (method: string, path: string, body?: unknown): Promise<Reply> =>
      serving.call(method, `${security}${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: { authorization: basic(name, password), ...headers },
      });
  const mia = as('mia');
  const expectRefused = async (answer: Promise<Reply>, status = 403, code = 40000): Promise<Reply> => {
    const reply = await answer;
    expectRefusal(reply, status, code);
    return reply;
  };
  const done = async (answer: Promise<Reply>, status = 204): Promise<void> => {
    expectStatus(await answer, status);
  };
  const grantsOf = async (name: string) => (await as('admin')('GET', `/users/${name}/tenants`)).json;
  const newUser = (username: string, own: object) => ({ username, password: 'password', roles: [], ...own });

  it('cannot widen their own grant or the grant of another user', async () => {
    for (const name of ['mia', 'tom']) {
      const before = await grantsOf(name);
      for (const grant of [
        { allTenants: true, tenantIds: [] },
        { allTenants: true, tenantIds: [ofBob] },
        { allTenants: false, tenantIds: [ofBob, ofEve] },
        { allTenants: false, tenantIds: [ofEve] },
        { allTenants: false, tenantIds: ['11111111-1111-4111-8111-111111111111'] },
        { allTenants: false, tenantIds: [] },
      ])
        await expectRefused(mia('PUT', `/users/${name}/tenants`, grant));
      expect(await grantsOf(name)).to.eql(before);
    }
    await done(mia('PUT', '/users/tom/tenants', { allTenants: false, tenantIds: [ofBob] }));
    const inDialectK = as('mia', 'password', aliasHeaders);
    expectStatus(await inDialectK('PUT', '/users/tom/tenants', { allTenants: true }), 401);
  });

  it('can create users only for one or more of their own tenants and only with permissions that they have', async () => {
    await expectRefused(mia('POST', '/users', newUser('wide', {})));
    await expectRefused(mia('POST', '/users', newUser('wide', { tenants: [ofBob, ofEve] })));
    await expectRefused(mia('POST', '/users', newUser('wide', { tenants: [] })));
    for (const role of ['admin', 'uploader'])
      await expectRefused(mia('POST', '/users', newUser('wide', { tenants: [ofBob], roles: [role] })));
    await expectRefused(as('admin')('GET', '/users/wide/roles'), 400, 40001);
    await done(mia('POST', '/users', newUser('narrow', { tenants: [ofBob], roles: ['tagger'] })), 201);
    expect(await grantsOf('narrow')).to.eql({ allTenants: false, tenantIds: [ofBob] });
  });

  it('get the same response for users of other tenants as for missing users', async () => {
    const before = new Map<string, unknown>();
    for (const name of ['eva', 'both', 'none', 'anywhere', 'lara', 'admin'])
      before.set(name, await grantsOf(name));
    const answers = async (name: string) => {
      const replies = [
        await mia('GET', `/users/${name}/roles`),
        await mia('GET', `/users/${name}/tenants`),
        await mia('PUT', `/users/${name}/roles`, { roles: [] }),
        await mia('PUT', `/users/${name}/password`, { password: 'another one' }),
        await mia('PUT', `/users/${name}/tenants`, { allTenants: false, tenantIds: [ofBob] }),
        await mia('DELETE', `/users/${name}`),
      ];
      return replies.map(({ status, text }) => [status, text.replaceAll(`"${name}\\"`, '"<name>\\"')]);
    };
    const unknown = await answers('nobody');
    expect(unknown.map(([status]) => status)).to.eql([400, 400, 400, 400, 400, 400]);
    for (const [name, grants] of before) {
      expect(await answers(name.replace(' ', '%20')), name).to.eql(unknown);
      expect(await grantsOf(name)).to.eql(grants);
      if (name !== 'admin') expect((await as(name)('GET', '/subject')).status, 'still logs in').to.equal(200);
    }
  });

  it('can read users with more permissions but cannot change them or their passwords', async () => {
    for (const name of ['root', 'uma']) {
      await done(mia('GET', `/users/${name}/roles`), 200);
      await expectRefused(mia('PUT', `/users/${name}/password`, { password: 'another one' }));
      await expectRefused(mia('PUT', `/users/${name}/roles`, { roles: ['tagger'] }));
      await expectRefused(mia('PUT', `/users/${name}/tenants`, { allTenants: false, tenantIds: [ofBob] }));
      await expectRefused(mia('DELETE', `/users/${name}`));
      expect((await as(name)('GET', '/subject')).status).to.equal(200);
    }
  });

  it('can fully manage users who belong to their tenants and have no additional permissions', async () => {
    await done(mia('POST', '/users', newUser('sam', { tenants: [ofBob], roles: ['tagger'] })), 201);
    await done(mia('PUT', '/users/sam/roles', { roles: ['manager'] }));
    await expectRefused(mia('PUT', '/users/sam/roles', { roles: ['manager', 'uploader'] }));
    await done(mia('PUT', '/users/sam/password', { password: 'another one' }));
    await done(as('sam', 'another one')('GET', '/subject'), 200);
    await done(mia('DELETE', '/users/sam'));
    await expectRefused(as('sam', 'another one')('GET', '/subject'), 401, 60004);
  });

  it('can narrow their own rights and change their own password but cannot assign themselves a stronger role', async () => {
    await done(mia('POST', '/users', newUser('ned2', { tenants: [ofBob], roles: ['manager'] })), 201);
    const ned2 = as('ned2');
    await expectRefused(ned2('PUT', '/users/ned2/roles', { roles: ['manager', 'admin'] }));
    await done(ned2('PUT', '/users/ned2/password', { password: 'another one' }));
    await done(as('ned2', 'another one')('PUT', '/users/ned2/roles', { roles: ['tagger'] }));
    await done(as('ned')('PUT', '/users/ned/tenants', { allTenants: false, tenantIds: [ofEve] }));
    await expectRefused(as('ned')('PUT', '/users/ned/tenants', { allTenants: false, tenantIds: [ofBob] }));
  });

  it('can create roles from their own permissions and change roles that only users of their tenants have', async () => {
    const put = (role: string, permissions: readonly string[]) => mia('PUT', '/roles', { role, permissions });
    for (const permissions of [['*'], ['catalog:*'], ['account'], ['tag:add', 'catalog:config_upload']]) {
      await expectRefused(mia('POST', '/roles', { role: 'more', permissions }));
      await expectRefused(put('more', permissions));
    }
    expect((await mia('GET', '/roles/more')).json).to.eql({ role: 'more', permissions: [] });
    await done(mia('POST', '/roles', { role: 'own', permissions: ['tag:add'] }), 201);
    await done(mia('POST', '/users', newUser('olaf', { tenants: [ofBob], roles: ['own'] })), 201);
    await done(put('own', ['tag', 'account:create']));
    await expectRefused(put('own', ['tag', 'account:update']));
    // Roles that are also held in another tenant, by nobody, by a user with more permissions, and by the caller.
    for (const role of ['of both', 'tagger', 'of nobody', 'uploader'])
      await expectRefused(put(role, ['tag:add']));
    await expectRefused(put('manager', ['user:create', 'tag:*', 'account:*']));
    expect((await mia('GET', '/roles/of%20both')).json).to.eql({
      role: 'of both',
      permissions: ['tag:delete'],
    });
  });

  it('can create and delete clients under the same rules as users', async () => {
    const client = (clientId: string, more: object) => ({ clientId, clientSecret: 'a long secret', ...more });
    await expectRefused(mia('POST', '/clients', client('bot', {})));
    await expectRefused(mia('POST', '/clients', client('bot', { tenants: [ofEve] })));
    await expectRefused(mia('POST', '/clients', client('bot', { tenants: [ofBob], roles: ['uploader'] })));
    await done(mia('POST', '/clients', client('bot', { tenants: [ofBob], roles: ['tagger'] })), 201);
    await done(mia('GET', '/clients/bot'), 200);
    const admin = as('admin');
    await done(admin('POST', '/clients', client('of eve', { tenants: [ofEve] })), 201);
    await done(admin('POST', '/clients', client('uploads', { tenants: [ofBob], roles: ['uploader'] })), 201);
    await expectRefused(mia('GET', '/clients/of%20eve'), 400, 40001);
    await expectRefused(mia('DELETE', '/clients/of%20eve'), 400, 40001);
    await expectRefused(mia('DELETE', '/clients/uploads'));
    await done(mia('DELETE', '/clients/bot'));
    await done(admin('DELETE', '/clients/of%20eve'));
    await done(admin('DELETE', '/clients/uploads'));
  });

  it('have the same rights with a bearer token', async () => {
    const authorization = await bearer(serving, 'mia');
    const byToken = as('mia', 'password', { authorization });
    await expectRefused(byToken('PUT', '/users/mia/tenants', { allTenants: true, tenantIds: [] }));
    await expectRefused(byToken('POST', '/roles', { role: 'more', permissions: ['*'] }));
  });

  it('manage users of every tenant if they have access to all tenants, but cannot grant permissions that they lack', async () => {
    const lara = as('lara');
    await done(lara('POST', '/users', newUser('lea', { roles: ['tagger'] })), 201);
    await done(lara('PUT', '/users/lea/tenants', { allTenants: false, tenantIds: [ofEve] }));
    await done(lara('PUT', '/users/eva/roles', { roles: ['tagger', 'of both'] }));
    await done(lara('PUT', '/roles', { role: 'of nobody', permissions: ['tag:add'] }));
    await expectRefused(lara('PUT', '/users/lara/roles', { roles: ['admin'] }));
    await expectRefused(lara('PUT', '/roles', { role: 'manager', permissions: ['*'] }));
    await expectRefused(lara('PUT', '/roles', { role: 'uploader', permissions: [] }));
    await expectRefused(lara('PUT', '/users/root/password', { password: 'another one' }));
    await expectRefused(lara('POST', '/users', newUser('more', { roles: ['uploader'] })));
  });

  describe('with roles that are not defined yet (R63, dialect K)', () => {
    const inK = (name: string) => as(name, 'password', aliasHeaders);
    const permissionsOf = async (name: string) => (await as(name)('GET', '/permissions')).json;
    const rolesOf = async (name: string) => textsOf((await as('admin')('GET', `/users/${name}/roles`)).json);
    const textsOf = (json: unknown) => (json as { readonly roles: readonly string[] }).roles;

    it('can assign and read roles that grant nothing until they are defined', async () => {
      const kim = newUser('kim', { roles: ['tenant_admin', 'admin of all', 'tagger', 'tagger'] });
      await done(inK('admin')('POST', '/users', { ...kim, tenants: [ofBob] }), 201);
      expect(await rolesOf('kim')).to.eql(['admin of all', 'tagger', 'tenant_admin']);
      expect(await permissionsOf('kim')).to.eql(['tag:add']);
      await done(inK('admin')('PUT', '/users/kim/roles', { roles: ['tenant_admin'] }));
      expect(await rolesOf('kim')).to.eql(['tenant_admin']);
      expect(await permissionsOf('kim')).to.eql([]);
      await done(as('admin')('POST', '/roles', { role: 'tenant_admin', permissions: ['tag:delete'] }), 201);
      expect(await permissionsOf('kim')).to.eql(['tag:delete']);
    });

    it('cannot use undefined roles in dialect D, or for clients in either dialect', async () => {
      const roles = ['not defined'];
      await expectRefused(as('admin')('POST', '/users', newUser('dee', { roles })), 400, 40003);
      await done(as('admin')('POST', '/users', newUser('dee', { tenants: [ofBob] })), 201);
      await expectRefused(as('admin')('PUT', '/users/dee/roles', { roles }), 400, 40003);
      const client = { clientId: 'app', clientSecret: 'long enough', roles };
      for (const caller of [as('admin'), inK('admin')])
        await expectRefused(caller('POST', '/clients', client), 400, 40003);
    });

    it('must use a valid role name', async () => {
      for (const role of ['', '..', 'x'.repeat(129)]) {
        await expectRefused(inK('admin')('POST', '/users', newUser('kit', { roles: [role] })), 400, 60003);
        await expectRefused(inK('admin')('PUT', '/users/tom/roles', { roles: [role] }), 400, 60003);
      }
      expect(await rolesOf('tom')).to.eql(['tagger']);
    });

    it('cannot assign an undefined role unless they have every permission, because the role may get any permission later', async () => {
      // In dialect K a missing permission answers 401 (http-api §4 line 12).
      const refused = (answer: Promise<Reply>) => expectRefused(answer, 401);
      for (const name of ['mia', 'lara']) {
        const roles = ['future admin'];
        await refused(inK(name)('POST', '/users', newUser('plant', { roles, tenants: [ofBob] })));
        await refused(inK(name)('PUT', '/users/tom/roles', { roles: ['tagger', ...roles] }));
        await refused(inK(name)('PUT', `/users/${name}/roles`, { roles: ['manager', ...roles] }));
      }
      expect(await rolesOf('tom')).to.eql(['tagger']);
      await done(inK('root')('PUT', '/users/tom/roles', { roles: ['tagger', 'of bob'] }));
      expect(await rolesOf('tom'), 'with all permissions in the tenant').to.eql(['of bob', 'tagger']);
      await done(inK('root')('PUT', '/users/tom/roles', { roles: ['tagger'] }));
    });

    it('cannot change users with an undefined role unless the managers have every permission', async () => {
      await done(inK('admin')('POST', '/users', newUser('kay', { roles: ['later'], tenants: [ofBob] })), 201);
      await expectRefused(mia('PUT', '/users/kay/password', { password: 'another one' }));
      await expectRefused(mia('PUT', '/users/kay/roles', { roles: [] }));
      await expectRefused(mia('DELETE', '/users/kay'));
      await done(as('admin')('PUT', '/roles', { role: 'later', permissions: ['tag:add'] }));
      await done(mia('PUT', '/users/kay/password', { password: 'another one' }));
    });

    it('cannot define a role that users of other tenants have', async () => {
      const held = async (role: string, tenants: readonly string[]) =>
        done(inK('admin')('POST', '/users', newUser(`holder of ${role}`, { roles: [role], tenants })), 201);
      await held('of eve alone', [ofEve]);
      await held('of both tenants', [ofBob, ofEve]);
      await held('of bob alone', [ofBob]);
      for (const role of ['of eve alone', 'of both tenants']) {
        await expectRefused(mia('POST', '/roles', { role, permissions: ['tag:add'] }));
        await expectRefused(mia('PUT', '/roles', { role, permissions: ['tag:add'] }));
        expect(await permissionsOf(`holder of ${role}`)).to.eql([]);
      }
      await expectRefused(mia('POST', '/roles', { role: 'of bob alone', permissions: ['invoice:credit'] }));
      await done(mia('POST', '/roles', { role: 'of bob alone', permissions: ['tag:add'] }), 201);
      expect(await permissionsOf('holder of of bob alone')).to.eql(['tag:add']);
    });
  });
});
