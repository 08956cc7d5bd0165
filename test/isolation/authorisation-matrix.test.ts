import type { Dialect } from '../../adapters/koa/dialect.ts';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import type { Route } from '../../adapters/koa/routing/route.ts';
import { permissions } from '../../lib/security/index.ts';
import { authorizationOf } from '../support/http/callers.ts';
import { aliasHeaders, expectStatus, type Reply, type Serving, serve } from '../support/http/serving.ts';
import { type DatabaseKind, eachDatabase, expect, migrated, sampled } from '../support/index.ts';
import { SIGNING_GATEWAY } from '../support/payments/scripted-gateway.ts';

const unknownId = '11111111-1111-4111-8111-111111111111';
/** Errors of rejected callers. The result of an allowed call does not matter here. */
const refusals = new Set([40000, 60004, 60005]);

interface Role {
  readonly name: string;
  readonly permissions: readonly string[];
  /**
   * Whether the role has the permission of one route or group. These do not depend on the database, so one is enough.
   */
  readonly isOne: boolean;
  covers(permission: string): boolean;
}

/** One role for each permission, one for each group, one without permissions and two with all of them. */
const roles: readonly Role[] = [
  { name: 'nothing', permissions: [], isOne: false, covers: () => false },
  { name: 'all', permissions: ['*'], isOne: false, covers: () => true },
  { name: 'administrator', permissions: ['*:*'], isOne: false, covers: () => true },
  ...permissions.map((permission) => ({
    name: `only ${permission.replace(':', ' ')}`,
    permissions: [permission],
    isOne: true,
    covers: (needed: string) => needed === permission,
  })),
  ...[...new Set(permissions.map(groupOf))].map((group) => ({
    name: `${group} group`,
    permissions: [group],
    isOne: true,
    covers: (needed: string) => groupOf(needed) === group,
  })),
];

eachDatabase.describe('authorization matrix', (open, kind) => {
  let serving: Serving;
  const tokens = new Map<string, string>();

  before(async () => {
    serving = await serve(await open(migrated));
    for (const role of roles) {
      const { name } = role;
      const user = { username: name, password: 'password', roles: [name] };
      await serving.call('PUT', '/1.0/kb/security/roles', {
        body: { role: name, permissions: role.permissions },
      });
      expectStatus(await serving.call('POST', '/1.0/kb/security/users', { body: user }), 201);
      tokens.set(name, await authorizationOf(serving, 'PLUGIN', name));
    }
  });
  after(() => serving.close());

  const routes = routeTable({ testMode: true }).filter(isAuthenticated);
  for (const [turn, route] of sampled([...routes.entries()], kind === 'sqlite' ? 1 : 24)) {
    it(`checks the permission ${route.permission} on ${route.method} ${route.path}`, async () => {
      for (const role of rolesFor(route, kind, turn)) {
        // The response to a rejected caller depends on the dialect; who is rejected does not.
        for (const dialect of role.isOne ? (['D'] as const) : (['D', 'K'] as const)) {
          const reply = await probe(route, { role, dialect });
          const what = `${role.name} in dialect ${dialect}: ${reply.text}`;
          const mayCall = neededBy(route).every((needed) => role.covers(needed));
          expect(outcomeOf(reply), what).to.equal(mayCall ? 'let through' : refusalOf(route, dialect));
        }
      }
    });

    it(`rejects ${route.method} ${route.path} without credentials`, async () => {
      const reply = await serving.call(route.method, pathOf(route), {
        headers: { authorization: undefined },
      });
      expect(outcomeOf(reply)).to.equal('401 60004');
    });
  }

  for (const route of routeTable({ testMode: true }).filter(({ credentials }) => credentials === 'SIGNATURE'))
    it(`requires a signature for ${route.method} ${route.path}, regardless of the role`, async () => {
      for (const role of roles.filter(({ isOne }) => !isOne)) {
        const named = route.path.replace('{tenantApiKey}', 'bob').replace('{pluginName}', SIGNING_GATEWAY);
        const authorization = await authorizationOf(serving, 'TENANT', role.name);
        const reply = await serving.call(route.method, named, { body: 'paid', headers: { authorization } });
        expect(outcomeOf(reply), role.name).to.equal('401 60004');
      }
      expect(serving.signing.received).to.eql([]);
    });

  /** Calls the route without a body and with unknown ids: the permission is checked before both. */
  async function probe(route: Route, { role, dialect }: { readonly role: Role; readonly dialect: Dialect }) {
    const authorization =
      route.credentials === 'PLUGIN'
        ? (tokens.get(role.name) ?? '')
        : await authorizationOf(serving, route.credentials, role.name);
    const spelling = dialect === 'K' ? aliasHeaders : {};
    return serving.call(route.method, pathOf(route), { headers: { ...spelling, authorization } });
  }
});

function neededBy({ permission, alsoNeeds = [] }: Route): readonly string[] {
  return permission === 'NONE' ? [] : [permission, ...alsoNeeds];
}

/**
 * Returns the roles with all or no permissions and, on SQLite, the roles with one needed permission and a rotating
 * selection of the others.
 */
function rolesFor(route: Route, kind: DatabaseKind, turn: number): readonly Role[] {
  const ones = kind === 'sqlite' ? roles.filter(({ isOne }) => isOne) : [];
  const needed = ones.filter((role) => neededBy(route).some((each) => role.covers(each)));
  const others = ones.filter((role) => !needed.includes(role));
  return [...roles.filter(({ isOne }) => !isOne), ...needed, ...sampled(others, 16, turn)];
}

/**
 * Returns false for public routes and processor notifications, which are authenticated by their signature whatever
 * credentials are sent.
 */
function isAuthenticated({ credentials }: Route): boolean {
  return credentials !== 'NONE' && credentials !== 'SIGNATURE';
}

function groupOf(permission: string): string {
  return permission.split(':', 1)[0] ?? '';
}

function pathOf(route: Route): string {
  return route.path.replace(/\{(\w+)\}/g, unknownId);
}

/** R3: 403; on the core in dialect K 401. */
function refusalOf(route: Route, dialect: Dialect): string {
  return `${dialect === 'K' && route.credentials !== 'PLUGIN' ? 401 : 403} 40000`;
}

function outcomeOf({ status, json }: Reply): string {
  const code = (json as { readonly code?: number } | null | undefined)?.code ?? 0;
  return refusals.has(code) ? `${status} ${code}` : 'let through';
}
