import { openApi } from '../../../adapters/koa/index.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import {
  areaSegment,
  byLiteralsFirst,
  CORE,
  PLUGIN,
  parameterNamesOf,
  pathParameters,
} from '../../../adapters/koa/routing/path.ts';
import type { Credentials, Route } from '../../../adapters/koa/routing/route.ts';
import { permissions } from '../../../lib/security/permissions.ts';
import { BillingError, expect } from '../../support/unit.ts';

interface Operation {
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const routes = routeTable({ testMode: true });
const document = await openApi();

/** Returns the credentials that each route requires (http-api §5 rules 1 and 2). */
function credentialsOf({ path, operationId }: Route): Credentials {
  if (operationId === 'issuePluginToken') return 'LOGIN';
  if (path.startsWith(`${PLUGIN}/`)) return 'PLUGIN';
  if (path.startsWith('/plugins/')) return 'TENANT';
  if (path.startsWith('/gateways/')) return 'SIGNATURE';
  if (!path.startsWith(`${CORE}/`)) return 'NONE';
  if (['killbillSwaggerJson', 'createSession'].includes(operationId)) return 'NONE';
  const isTenantless =
    ['createTenant', 'getTenantByApiKey'].includes(operationId) ||
    path.startsWith(`${CORE}/security/`) ||
    path === `${CORE}/nodesInfo`;
  return isTenantless ? 'USER' : 'TENANT';
}

/**
 * Writes without a permission: http-api §13 defines none for calls that store nothing themselves; §16 checks the
 * permission of the called operation.
 */
const unguarded = [
  'validateCatalogXml',
  'buildFormDescriptor',
  'buildComboFormDescriptor',
  'queryOperation',
  'callOperation',
  'createSession',
  'endCurrentSession',
];

/**
 * Calls without an author: a notification comes from its gateway, a sign-in from its user, and a library query changes
 * nothing.
 */
const authorless = ['processNotification', 'queryOperation', 'createSession', 'endCurrentSession'];

describe('route table with its OpenAPI document', () => {
  for (const route of routes)
    describe(`${route.method} ${route.path}`, () => {
      it('states whether a permission is required', () =>
        expect(route.permission === 'NONE' || permissions.includes(route.permission)).to.equal(true));

      it('requires a permission and an author for a write', () => {
        const isWrite =
          route.method !== 'GET' && route.path.startsWith(CORE) && !route.path.startsWith(`${CORE}/test/`);
        // Node operations are not changes (http-api §2).
        const isOfNode = [`${CORE}/admin/cache`, `${CORE}/admin/healthcheck`].some((path) =>
          route.path.startsWith(path),
        );
        expect(route.author).to.equal(isWrite && !isOfNode && !authorless.includes(route.operationId));
        if (isWrite && !unguarded.includes(route.operationId)) expect(route.permission).to.not.equal('NONE');
      });

      it('requires a user and a tenant, except for the documented routes', () =>
        expect(route.credentials).to.equal(credentialsOf(route)));
    });

  it('contains each operation once', () => {
    const ids = routes.map((route) => route.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    const places = routes.map((route) => `${route.method} ${route.path}`);
    expect(new Set(places).size).to.equal(places.length);
  });

  it('contains the test endpoints only in test mode', () => {
    const inTest = routes.filter((route) => route.testMode).map((route) => route.path);
    expect(inTest).to.include(`${CORE}/test/clock`);
    const others = routeTable({ testMode: false });
    expect(others.filter((route) => route.path.startsWith(`${CORE}/test/`))).to.eql([]);
    expect(others.length).to.equal(routes.length - inTest.length);
  });
});

describe('route path lookup', () => {
  it('gives literal segments priority over parameters', () => {
    const paths = [
      '/invoices/{invoiceId}',
      '/{a}/pagination',
      '/invoices/dryRun',
      '/invoices/{invoiceId}/payments',
    ];
    expect(paths.toSorted(byLiteralsFirst)).to.eql([
      '/invoices/dryRun',
      '/invoices/{invoiceId}',
      '/invoices/{invoiceId}/payments',
      '/{a}/pagination',
    ]);
  });

  it('tries only the paths of the area that a literal segment identifies', () => {
    const areas = routes.map((route) => areaSegment(route.path));
    expect(areas).to.include.members(['accounts', 'invoices', 'live', '']);
    expect(areas.filter((area) => area.includes('{'))).to.eql([]);
    expect(areaSegment('/1.0/kb/accounts/search/a/b')).to.equal('accounts');
    expect(areaSegment('/1.0/healthcheck/')).to.equal('');
  });

  it('accepts ids in any letter case, and rejects invalid ids', () => {
    const id = '01a1fcfe-e8ec-717e-8cdb-6282f0f9f546';
    const read = pathParameters('/a/{accountId}/{name}');
    expect(read({ accountId: id.toUpperCase(), name: 'X y' })).to.eql({ accountId: id, name: 'X y' });
    expect(() => read({ accountId: 'nope', name: '' }))
      .to.throw(BillingError, 'accountId "nope" is not a UUID')
      .with.property('code', 60008);
  });
});

describe('OpenAPI document', () => {
  const text = JSON.stringify(document);
  const schemas = (document.components as { schemas: Record<string, unknown> }).schemas;

  it('has one operation for each route, with every path parameter', () => {
    const paths = document.paths as Record<
      string,
      Record<string, { parameters?: { in: string; name: string }[] }>
    >;
    for (const route of routes.filter(
      (each) => !['/openapi', '/swagger'].some((start) => each.path.startsWith(start)),
    )) {
      const operation = paths[route.path]?.[route.method.toLowerCase()];
      expect(operation, route.path).to.include({ operationId: route.operationId });
      const inPath = (operation?.parameters ?? [])
        .filter((each) => each.in === 'path')
        .map((each) => each.name);
      expect(inPath).to.eql(parameterNamesOf(route.path));
    }
  });

  it('defines exactly the schemas that it references', () => {
    const used = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]));
    expect([...used].sort()).to.eql(Object.keys(schemas).sort());
  });

  it('has an audit parameter for every operation whose model contains audit logs, except for three operations that return no logs', () => {
    /** Returns all schemas that a schema refers to, directly or indirectly. */
    const reachable = (schema: unknown, known = new Set<string>()): ReadonlySet<string> => {
      for (const [, name = ''] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) {
        if (known.has(name)) continue;
        known.add(name);
        reachable(schemas[name], known);
      }
      return known;
    };
    const shows = ({ method, success }: Route) =>
      method === 'GET' && success.body !== undefined && reachable(success.body.json).has('AuditLog');
    const without = routes.filter((route) => shows(route) && !('audit' in route.query));
    const others = without.filter(({ path, area }) => area !== 'tenants' && !path.includes('/auditLogs'));
    expect(others.map(({ operationId }) => operationId)).to.eql(['getEmails', 'getRatedUsage', 'getCredit']);
  });

  it('describes the errors, the two header families and the two login methods', () => {
    expect(schemas).to.have.property('Error');
    expect(Object.keys((document.components as { securitySchemes: object }).securitySchemes)).to.have.members(
      ['basicAuth', 'bearerAuth', 'serviceApiKey', 'serviceApiSecret', 'killbillApiKey', 'killbillApiSecret'],
    );
  });

  it('lists the author as required only for calls that need an author', () => {
    type Parameter = { readonly name: string; readonly required: boolean };
    const paths = document.paths as Record<string, Record<string, { readonly parameters?: Parameter[] }>>;
    for (const route of routes) {
      const parameters = paths[route.path]?.[route.method.toLowerCase()]?.parameters ?? [];
      const author = parameters.find(({ name }) => name === 'X-Service-CreatedBy');
      expect(author?.required, route.operationId).to.equal(route.author ? true : undefined);
    }
  });

  const operationAt = (method: string, path: string): Operation | undefined =>
    (document.paths as Record<string, Record<string, Operation>>)[path]?.[method];

  it('groups the errors of an operation by status', () => {
    const { responses } = operationAt('post', '/1.0/kb/accounts') ?? {};
    expect(responses).to.have.all.keys('201', '400', '401', '403', '409', 'default');
    expect(responses?.[400]?.description).to.match(
      /^Error codes 5, .*60001, 60002, 60003, and general error codes$/,
    );
    expect(responses?.[401]?.description).to.equal('Error codes 60004, 60005');
  });

  it('describes Basic authentication and the error responses of token requests', () => {
    const { security, responses } = operationAt('post', '/oauth2/token') ?? {};
    expect(security).to.eql([{}, { basicAuth: [] }]);
    for (const status of [400, 401])
      expect(JSON.stringify(responses?.[status]), String(status)).to.contain('error_description');
  });
});
