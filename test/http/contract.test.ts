import type { Dialect } from '../../adapters/koa/dialect.ts';
import { openApi } from '../../adapters/koa/index.ts';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { ANY_TYPE, bodyLimit, defaultRequestLimits } from '../../adapters/koa/routing/body.ts';
import { isIdParameter, parameterNamesOf } from '../../adapters/koa/routing/path.ts';
import { producedTypes, type Route } from '../../adapters/koa/routing/route.ts';
import { ErrorCode } from '../../lib/values/errors/index.ts';
import { addUser, authorizationOf, populateOnce, type World } from '../support/http/index.ts';
import { pathOf, samples, statusForUnknownId, withQuery } from '../support/http/route-samples.ts';
import type { Sample, TenantKeys } from '../support/http/samples.ts';
import { aliasHeaders, basic, expectStatus, type Reply, type Request } from '../support/http/serving.ts';
import { asShown, firstToShow, leftOutOf } from '../support/http/shown-parameters.ts';
import {
  eachDatabaseByTurns,
  expect,
  isSampled,
  type OpenDatabase,
  onTwoCells,
  sampled,
} from '../support/index.ts';

const spellings: Readonly<Record<Dialect, Readonly<Record<string, string | undefined>>>> = {
  D: {},
  K: aliasHeaders,
};

const document = await openApi();

/** Status codes that the document must list for each operation that can return them. */
const documentedErrors: readonly number[] = [400, 401, 403, 404];

function expectDocumented({ method, path }: Route, { status }: Reply): void {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>;
  const { responses = {} } = paths[path]?.[method.toLowerCase()] ?? {};
  if (documentedErrors.includes(status))
    expect(responses, 'documented status codes').to.have.any.keys(`${status}`);
}

// Calls every route of the table, so that new routes are tested automatically.
eachDatabaseByTurns.describe('HTTP route', (open) => defineContract(open, false));
onTwoCells((_kind, open) => describe('HTTP route', () => defineContract(open, true)), { byTurns: true });

function defineContract(open: OpenDatabase, areCells: boolean) {
  const world = populateOnce(open, { areCells });

  before(async () => {
    await addUser(world.serving, 'reader');
    await addUser(world.serving, 'stranger', { allTenants: false });
  });

  for (const [turn, route] of routeTable({ testMode: true }).entries())
    describe(`${route.method} ${route.path}`, () => {
      const newSample = async () => {
        const make = samples[route.operationId];
        if (make === undefined) throw new Error(`${route.operationId} has no sample`);
        return make(world);
      };
      const keptSample = once(newSample);
      const callerOf: CallerOf = (name) => authorizationOf(world.serving, route.credentials, name);
      const admin = once(() => callerOf('admin'));
      const callWith =
        (sampleOf: () => Promise<Sample>): CallSample =>
        async (request = {}, replaced = {}) => {
          const replacedIn = (ids: Readonly<Record<string, string>>) =>
            typeof replaced === 'function' ? replaced({ ...textsOf(world), ...ids }) : replaced;
          const { query, segments, tenant, ...sample } = await sampleOf();
          const path = withQuery(
            pathOf(route.path, world, { ...segments, ...replacedIn(segments ?? {}) }),
            query,
          );
          const authorization = await admin();
          const given = { authorization, ...sample.headers, ...request.headers };
          const headers = tenant === undefined ? given : ofTenant(given, tenant);
          const reply = await world.serving.call(request.method ?? route.method, path, {
            ...sample,
            ...request,
            headers,
          });
          expectDocumented(route, reply);
          return reply;
        };
      const ownSample = route.method === 'GET' ? keptSample : newSample;
      const callExamples = (leftOut: readonly string[]) =>
        callWith(async () => asShown(route, await ownSample(), { world, leftOut }))();
      const calls = { callSample: callWith(ownSample), callRefused: callWith(keptSample) };
      const callQuery: CallQuery = async (changes) => {
        const { query, segments, tenant: _, ...sample } = await keptSample();
        const search = new URLSearchParams(query);
        for (const [name, value] of Object.entries(changes)) search.set(name, value);
        const headers = { authorization: await admin(), ...sample.headers };
        const path = `${pathOf(route.path, world, segments)}?${search}`;
        const reply = await world.serving.call(route.method, path, { ...sample, headers });
        expectDocumented(route, reply);
        return reply;
      };

      // Puts the node back into rotation for the routes after this one.
      if (route.operationId === 'putOutOfRotation') after(() => calls.callSample({ method: 'PUT' }));
      describeSuccess(route, calls, turn);
      describeAccess(route, { ...calls, callerOf, turn });
      describeIds(route, { ...calls, callQuery, turn }, () => world);
      describeQuery(route, callQuery);
      describeBody(route, calls.callRefused, turn);
      if (firstToShow.has(route.operationId) || isSampled(turn, 4)) describeExamples(route, callExamples);
      if (route.success.paged && route.success.body?.json.type === 'array') describePages(callQuery);
    });
}

/** Returns a function that calls `make` once and returns the same promise from then on. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Returns the headers with the keys of another tenant, in the same spelling. */
function ofTenant(headers: Headers, [apiKey, apiSecret]: TenantKeys): Headers {
  return 'x-killbill-apikey' in headers
    ? { ...headers, 'x-killbill-apikey': apiKey, 'x-killbill-apisecret': apiSecret }
    : { 'x-service-apikey': apiKey, 'x-service-apisecret': apiSecret, ...headers };
}

type Headers = Readonly<Record<string, string | undefined>>;
type CallSample = (
  request?: Request & { readonly method?: string },
  replaced?: Ids | ((ids: Ids) => Ids),
) => Promise<Reply>;

interface Calls {
  /** Sends a sample that no earlier call has used up. */
  readonly callSample: CallSample;
  /** Sends a request that changes nothing, so that the next call can use the same sample. */
  readonly callRefused: CallSample;
}
type CallerOf = (name: string) => Promise<string>;
type Ids = Readonly<Record<string, string>>;
type CallQuery = (changes: Readonly<Record<string, string>>) => Promise<Reply>;

function textsOf(world: World): Ids {
  return Object.fromEntries(
    Object.entries(world).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function describeSuccess(route: Route, { callSample, callRefused }: Calls, turn: number): void {
  const { success } = route;
  for (const dialect of ['D', 'K'] as const)
    it(`returns ${success.status} with its schema in dialect ${dialect}`, async () => {
      const reply = await callSample({ headers: spellings[dialect] });
      const expected = dialect === 'K' ? (success.statusInK ?? success.status) : success.status;
      expect(reply.status, reply.text).to.equal(expected);
      const [type = 'application/json'] = producedTypes(success);
      expect(reply.headers.get('content-type')).to.match(new RegExp(`^${type.replace('/', '\\/')}`));
      expect(reply.headers.has('location')).to.equal(success.location !== undefined);
      expect(reply.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      if (success.body === undefined) return;
      const result = success.body.answer[dialect].safeParse(reply.json);
      expect(result.success ? [] : result.error.issues).to.eql([]);
    });

  if (!isSampled(turn, 3)) return;
  it('accepts any Accept header for an empty response, but rejects a header that excludes the type of a response body', async () => {
    const isRefused = producedTypes(success).length > 0;
    const reply = await (isRefused ? callRefused : callSample)({ headers: { accept: 'image/png' } });
    expect(reply.status).to.equal(isRefused ? 406 : success.status);
    if (reply.status === 406 && route.errorBody === undefined) expect(reply.json).to.include({ code: 60011 });
  });

  if (route.method !== 'GET') return;
  it('returns the headers of GET for HEAD, without a body', async () => {
    const [get, head] = [await callSample(), await callSample({ method: 'HEAD' })];
    expect(head.status).to.equal(get.status);
    expect(head.text).to.equal('');
    expect(head.headers.get('content-type')).to.equal(get.headers.get('content-type'));
  });
}

/** Each route rejects one kind of unauthenticated caller in rotation, because authentication runs before routing. */
function describeAccess(
  route: Route,
  { callSample, callRefused, callerOf, turn }: Calls & { readonly callerOf: CallerOf; readonly turn: number },
): void {
  if (route.credentials === 'NONE' || route.credentials === 'SIGNATURE') {
    it('needs no credentials if the route is public', async () => {
      const reply = await callSample({
        headers: { authorization: undefined, 'x-service-apikey': undefined },
      });
      expect(reply.status).to.equal(route.success.status);
    });
    return;
  }

  const isPlugin = route.credentials === 'PLUGIN';
  const wrong = isPlugin
    ? ([
        ['no token', undefined],
        ['an invalid token', 'Bearer nonsense'],
        ['a name and password', basic('admin', 'password')],
      ] as const)
    : ([
        ['no user', undefined],
        ['an unknown user', basic('nobody', 'password')],
        ['a wrong password', basic('admin', 'Password')],
      ] as const);
  for (const [who, authorization] of sampled<(typeof wrong)[number]>(wrong, wrong.length, turn))
    it(`returns 401 for ${who}`, async () => {
      const reply = await callRefused({ headers: { authorization } });
      expectRefusal(reply, 60004);
      const challenge = reply.headers.get('www-authenticate');
      if (route.withoutChallenge) expect(challenge).to.equal(null);
      else expect(challenge).to.match(isPlugin ? /^Bearer / : /^Basic /);
    });

  if (route.credentials === 'TENANT' || isPlugin) {
    const wrongTenants: readonly (readonly [which: string, headers: Headers])[] = [
      ['no tenant', { 'x-service-apikey': undefined }],
      ['an unknown tenant', { 'x-service-apikey': 'nobody' }],
      ['a wrong tenant secret', { 'x-service-apisecret': 'Lazar' }],
    ];
    for (const [which, headers] of sampled(wrongTenants, wrongTenants.length, turn))
      it(`returns 401 for ${which}`, async () => expectRefusal(await callRefused({ headers }), 60005));
    it('returns 401 for a tenant to which the user has no access', async () => {
      const authorization = await callerOf('stranger');
      expectRefusal(await callRefused({ headers: { authorization } }), 60005);
    });
  }

  if (route.permission !== 'NONE') {
    it('returns 403 without the permission, or 401 in dialect K outside plugin routes', async () => {
      const authorization = await callerOf('reader');
      const headers = { ...aliasHeaders, authorization };
      const [inD, inK] = [await callRefused({ headers: { authorization } }), await callRefused({ headers })];
      expect([inD.status, inK.status]).to.eql([403, isPlugin ? 403 : 401]);
      for (const { json } of [inD, inK]) expect(json).to.include({ code: 40000 });
    });
  }

  if (!route.author) return;
  it('requires an author for a change', async () => {
    const reply = expectStatus(await callRefused({ headers: { 'x-service-createdby': '' } }), 400);
    expect(reply.json).to.include({ code: 60003, message: 'Header X-Service-CreatedBy needs to be set' });
  });
}

function expectRefusal(reply: Reply, code: number): void {
  expect(reply.status).to.equal(401);
  expect(reply.json).to.include({ code });
  expect(reply.headers.get('content-type')).to.equal('application/json');
}

function describeIds(
  route: Route,
  {
    callSample,
    callRefused,
    callQuery,
    turn,
  }: Calls & { readonly callQuery: CallQuery; readonly turn: number },
  worldOf: () => World,
): void {
  const callWith = (replaced: Readonly<Record<string, string>>): Promise<Reply> => callRefused({}, replaced);
  const statusForUnknown = statusForUnknownId[route.operationId] ?? 404;
  for (const name of parameterNamesOf(route.path).filter(isIdParameter)) {
    it(`returns 404 if ${name} is not a UUID`, async () => {
      expect(expectStatus(await callWith({ [name]: 'nonsense' }), 404).json).to.include({ code: 60008 });
    });

    it(`returns ${statusForUnknown} if ${name} is unknown`, async () => {
      const { unknownId } = worldOf();
      const reply = expectStatus(await callWith({ [name]: unknownId }), statusForUnknown);
      if (statusForUnknown < 400) return;
      expect((reply.json as { code: number }).code).to.be.oneOf([...route.fails]);
    });

    if (!isSampled(turn, 3)) continue;
    it(`accepts ${name} in upper case`, async () => {
      const reply = await callSample({}, (ids) => ({ [name]: String(ids[name]).toUpperCase() }));
      expect(reply.status, reply.text).to.equal(route.success.status);
    });
  }

  if ('accountId' in route.query) {
    it('returns 404 if accountId in the query is unknown or belongs to another tenant', async () => {
      const { unknownId, foreignAccountId } = worldOf();
      for (const accountId of [unknownId, foreignAccountId]) {
        expect(expectStatus(await callQuery({ accountId }), 404).json).to.include({ code: 3002 });
      }
    });
  }

  if (!parameterNamesOf(route.path).includes('accountId')) return;
  it('treats an account of another tenant as unknown', async () => {
    const { foreignAccountId, unknownId } = worldOf();
    const [foreign, unknown] = [
      await callWith({ accountId: foreignAccountId }),
      await callWith({ accountId: unknownId }),
    ];
    expect(foreign.status).to.equal(statusForUnknown);
    expect(foreign.text.replaceAll(foreignAccountId, unknownId)).to.equal(unknown.text);
  });
}

function describeQuery(route: Route, callQuery: CallQuery): void {
  for (const [name, parameter] of Object.entries(route.query)) {
    if (parameter.required) {
      it(`requires ${name}`, async () => {
        const reply = expectStatus(await callQuery({ [name]: '' }), 400);
        expect((reply.json as { code: number }).code).to.be.oneOf([60003, 3004, 61003]);
      });
    }
    const { type } = parameter.json;
    const isFreeText =
      (type === 'string' && !('enum' in parameter.json) && !('format' in parameter.json)) || type === 'array';
    if (isFreeText && name !== 'timeZone' && name !== 'bundlesFilter' && name !== 'invoicesFilter') continue;
    it(`rejects an invalid ${name}`, async () => {
      const reply = expectStatus(await callQuery({ [name]: '!nonsense' }), 400);
      expect(reply.json).to.include({ code: 60002 });
      expect((reply.json as { message: string }).message).to.include(name);
    });
  }
}

function describeBody(route: Route, callRefused: CallSample, turn: number): void {
  const { body } = route;
  if (body === undefined) return;
  const [type] = body.mediaTypes;
  const expectCode = (reply: Reply, code: number): void => {
    if (route.errorBody === undefined) expect(reply.json).to.include({ code });
    else expect(reply.json).to.include({ error: 'invalid_request' });
  };

  const isOfAnyType = type === ANY_TYPE;
  it(`rejects types other than ${type}`, async () => {
    for (const headers of [
      ...(isOfAnyType ? [] : [{ 'content-type': 'multipart/form-data' }]),
      { 'content-encoding': 'gzip', 'content-type': type },
    ]) {
      expectCode(expectStatus(await callRefused({ body: 'x', headers }), 415), 60010);
    }
  });

  if (isSampled(turn, 3)) {
    it('rejects an oversized body', async () => {
      const large = new Uint8Array(bodyLimit(body, defaultRequestLimits) + 1).fill(0x20);
      const reply = await callRefused({ body: large, headers: { 'content-type': type } });
      expect(reply.status).to.equal(413);
      expectCode(reply, 60012);
    });
  }

  if (body.required) {
    it('requires a body', async () => {
      const reply = expectStatus(await callRefused({ body: '', headers: { 'content-type': type } }), 400);
      expectCode(reply, 60003);
    });
  }

  if (type !== 'application/json') return;
  const isList = body.json.type === 'array';
  const malformedBodies = ['{', isList ? '{}' : '[]', '"x"', '1', '1.5', 'true', '{"a":1}}', '\u0000'];
  for (const malformed of sampled(malformedBodies, malformedBodies.length, turn))
    it(`rejects the body ${JSON.stringify(malformed)}`, async () => {
      const reply = await callRefused({ body: malformed, headers: { 'content-type': type } });
      expect(reply.status).to.equal(400);
      // All errors in an overdue configuration have the same code (overdue §1.3).
      const isConfig = route.fails.includes(ErrorCode.OVERDUE_INVALID_FOR_TENANT);
      expect(reply.json).to.include({ code: isConfig ? 5010 : 60001 });
    });
}

/** Ids are those of the world. Other names may not exist here. */
function describeExamples(
  { operationId, path, query, success }: Route,
  callExamples: (leftOut: readonly string[]) => Promise<Reply>,
): void {
  if (Object.keys(query).length === 0 && parameterNamesOf(path).every(isIdParameter)) return;
  it('accepts the documented parameters', async () => {
    for (const leftOut of leftOutOf[operationId] ?? [[]]) {
      // Nothing runs that the call would wait for, and other samples send this parameter.
      const { status, json, text } = await callExamples([...leftOut, 'callCompletion']);
      const { code } = (json ?? {}) as { readonly code?: number };
      if (code === ErrorCode.SECURITY_INVALID_USER) continue;
      expect(status, text).to.be.oneOf([success.status, success.emptyStatus, 404]);
      expect(code).to.not.equal(ErrorCode.ROUTE_NOT_FOUND);
    }
  });
}

function describePages(callQuery: CallQuery): void {
  it('returns only the counts with limit 0, in the headers of both dialects', async () => {
    const reply = await callQuery({ limit: '0' });
    expect(reply.json).to.eql([]);
    for (const family of ['x-service', 'x-killbill']) {
      expect(reply.headers.get(`${family}-pagination-currentoffset`)).to.equal('0');
      expect(Number(reply.headers.get(`${family}-pagination-totalnbrecords`))).to.be.greaterThan(0);
      expect(reply.headers.has(`${family}-pagination-nextoffset`)).to.equal(false);
    }
  });

  it('lists records in reverse order with a negative limit', async () => {
    const [all, backwards] = [await callQuery({ limit: '1000' }), await callQuery({ limit: '-1000' })];
    expect(backwards.json).to.eql((all.json as unknown[]).toReversed());
  });

  it('rejects a negative offset', async () =>
    expect((await callQuery({ offset: '-1' })).status).to.equal(400));

  it('caps the limit of a list', async () => {
    const all = await callQuery({ limit: '10000' });
    expect((await callQuery({ limit: '9'.repeat(30) })).text).to.equal(all.text);
    const refused = await callQuery({ limit: '1e5' });
    expect([refused.status, refused.json]).to.deep.include(400);
  });
}
