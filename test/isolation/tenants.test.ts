import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import type { Route } from '../../adapters/koa/routing/route.ts';
import { authorizationOf } from '../support/http/callers.ts';
import { pathOf, samples, withQuery } from '../support/http/route-samples.ts';
import type { Sample } from '../support/http/samples.ts';
import { eve, exampleCatalog, type Reply, serve, xmlType } from '../support/http/serving.ts';
import { populate, textOf, type World } from '../support/http/world.ts';
import {
  type DatabaseKind,
  eachDatabaseAndSuperuser,
  expect,
  isLongRun,
  migrated,
  type OpenDatabase,
  onTwoCells,
  sampled,
} from '../support/index.ts';

const keys = ['customer', 'bundle', 'sub', 'Ada', 'other@example.com', 'second@example.com'];
const uuidForm = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const everything = [
  '/1.0/kb/accounts/pagination?accountWithBalanceAndCBA=true&audit=FULL',
  '/1.0/kb/invoices/pagination?audit=FULL',
  '/1.0/kb/catalog?requestedDate=2100-01-01',
  '/1.0/kb/overdue',
  '/1.0/kb/accounts/{accountId}/overdue',
  '/1.0/kb/accounts/{accountId}/bundles?audit=FULL',
  '/1.0/kb/accounts/{accountId}/paymentMethods?audit=FULL',
  '/1.0/kb/accounts/{accountId}/payments?audit=FULL',
  '/1.0/kb/accounts/{accountId}/auditLogs',
];

interface Sent extends Sample {
  readonly path: string;
}

// Tests every tenant route of the table, so that new routes are tested automatically. What a superuser cannot see of
// another tenant, a role under row-level security cannot see either, but its writes might fail differently.
let timesDefined = 0;
eachDatabaseAndSuperuser((kind, open) => defineProbes(kind, open, false));
// The other tenant is in the other cell.
onTwoCells((kind, open) => defineProbes(kind, open, true));

function defineProbes(kind: DatabaseKind, open: OpenDatabase, areCells: boolean) {
  // A different twelfth of the routes for each PostgreSQL role; all of them on SQLite and in the long run.
  const turn = timesDefined++;
  const routes = sampled(routeTable({ testMode: true }).filter(isOfTenant), kind === 'sqlite' ? 1 : 12, turn);
  describe('tenant isolation over HTTP', () => {
    let world: World;
    /** Calls as the other tenant. Unlike the samples, these calls must not change tenant `bob`. */
    let callAsEve: World['serving']['call'];
    /** Reset to null after each call that may have changed the tenant. */
    let lastShown: string | null = null;

    before(async () => {
      const serving = await serve(await open(migrated), { areCells });
      const callOfBob: World['serving']['call'] = (...request) => {
        lastShown = null;
        return serving.call(...request);
      };
      world = await populate({ ...serving, call: callOfBob });
      callAsEve = serving.call;
      const { call } = world.serving;
      // The other tenant has the same catalog, so that its calls fail because of the ids.
      await call('POST', '/1.0/kb/catalog', {
        body: await exampleCatalog(),
        headers: { ...xmlType, ...eve },
      });
      const tenantId = textOf((await call('GET', '/1.0/kb/tenants?apiKey=eve')).json, 'tenantId');
      const user = { username: 'eve', password: 'password', roles: ['admin'], tenants: [tenantId] };
      expect((await call('POST', '/1.0/kb/security/users', { body: user })).status).to.equal(201);
    });
    after(() => world.serving.close());

    for (const route of routes) {
      const isWrite = route.method !== 'GET';
      const test = async () => {
        const [foreign, unknown] = [await sentOf(route), renamed(await sentOf(route))];
        const before = isWrite || isLongRun ? await known() : null;
        const answered = await asEve(route, foreign);
        if (before !== null) expect(await shown(), 'the other tenant has not changed').to.equal(before);
        expectNothingOf(world, foreign, answered);
        if (!isAimed(foreign)) return;
        const expected = await asEve(route, unknown);
        expect(masked(answered)).to.eql(masked(expected));
      };
      it(`treats ids and keys of another tenant as unknown in ${route.method} ${route.path}`, test);
    }

    for (const route of routeTable({ testMode: true }).filter(
      ({ credentials }) => credentials === 'SIGNATURE',
    ))
      it(`rejects signatures of another tenant in ${route.method} ${route.path}`, async () => {
        world.serving.signing.received.length = 0;
        const sent = await sentOf(route);
        const before = await shown();
        const elsewhere = { ...sent, path: sent.path.replace('/bob/', '/eve/') };
        expect(elsewhere.path).to.not.equal(sent.path);
        for (const each of [elsewhere, { ...elsewhere, path: sent.path.replace('/bob/', '/nobody/') }]) {
          const answered = await asEve(route, each);
          expect(answered.status, answered.text).to.be.oneOf([401, 404]);
          expectNothingOf(world, each, answered);
        }
        expect(await shown(), 'no tenant has changed').to.equal(before);
        expect(world.serving.signing.received).to.eql([]);
        expect((await asEve(route, sent)).status, 'the tenant of the signature').to.equal(
          route.success.status,
        );
        expect(world.serving.signing.received.splice(0).map(({ tenantId }) => tenantId)).to.eql([
          world.tenantId,
        ]);
      });

    async function sentOf(route: Route): Promise<Sent> {
      const make = samples[route.operationId];
      if (make === undefined) throw new Error(`${route.operationId} has no sample`);
      const sample = await make(world);
      return { ...sample, path: withQuery(pathOf(route.path, world, sample.segments), sample.query) };
    }

    async function asEve(route: Route, { path, headers, body }: Sent): Promise<Reply> {
      const authorization = await authorizationOf(world.serving, route.credentials, 'eve');
      return callAsEve(route.method, path, { body, headers: { ...headers, ...eve, authorization } });
    }

    async function known(): Promise<string> {
      return lastShown ?? shown();
    }

    async function shown(): Promise<string> {
      const replies: string[] = [];
      for (const path of everything)
        replies.push((await world.serving.call('GET', pathOf(path, world))).text);
      lastShown = replies.join('\n');
      return lastShown;
    }
  });
}

/**
 * Returns true if the route concerns a tenant. The clock and the queues of test mode belong to the deployment, and a
 * node out of rotation would reject the other calls.
 */
function isOfTenant({ credentials, testMode, operationId }: Route): boolean {
  if (testMode || operationId === 'putOutOfRotation') return false;
  return credentials === 'TENANT' || credentials === 'PLUGIN';
}

/** Returns the same request with unknown ids and keys. */
function renamed(sent: Sent): Sent {
  const { body } = sent;
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
  return {
    ...sent,
    path: withoutNames(sent.path),
    ...(isJson ? { body: JSON.parse(withoutNames(JSON.stringify(body))) } : {}),
  };
}

function withoutNames(text: string): string {
  const withoutIds = text.replace(uuidForm, (id) => `${id.slice(0, -12)}0badc0ffee00`);
  return keys.reduce(
    (current, key) =>
      current.replace(
        new RegExp(`(?<=[="/])${encodedForm(key)}(?=["&/]|$)`, 'g'),
        `no-${key.replace('@', '%40')}`,
      ),
    withoutIds,
  );
}

function encodedForm(key: string): string {
  return key.replace('@', '(?:@|%40)').replaceAll('.', '\\.');
}

/** Returns whether the request contains any id or key of the tenant. */
function isAimed(sent: Sent): boolean {
  const { path, body } = renamed(sent);
  return path !== sent.path || JSON.stringify(body) !== JSON.stringify(sent.body);
}

/** Expects the response to contain no name that the caller did not send. */
function expectNothingOf(world: World, sent: Sent, { text }: Reply): void {
  const sentText = sent.path + (sent.body === undefined ? '' : JSON.stringify(sent.body));
  const names = [...Object.values(world).filter((value) => typeof value === 'string'), ...keys];
  const { searchKey, foreignAccountId, unknownId } = world;
  const own = new Set([searchKey, foreignAccountId, unknownId]);
  for (const name of names.filter((each) => !own.has(each) && !sentText.includes(each)))
    expect(text, name).to.not.match(new RegExp(`"${name.replaceAll('.', '\\.')}"`));
}

/** Returns the response without ids, the caller's keys, sample numbers and instants, which always differ. */
function masked({ status, text }: Reply) {
  const plain = keys.reduce(
    (current, key) => current.replace(new RegExp(`no-${encodedForm(key)}`, 'g'), key),
    text.replace(uuidForm, '<id>'),
  );
  return { status, text: plain.replace(/-\d+"/g, '-<n>"') };
}
