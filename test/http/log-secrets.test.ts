import { inspect } from 'node:util';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { authorizationOf, expect, populateOnce } from '../support/http/index.ts';
import { pathOf, samples, withQuery } from '../support/http/route-samples.ts';
import { documentHeaders, freshSqlite, type Reply } from '../support/http/serving.ts';

/** Names of members, headers and form fields whose values are secret, in requests and responses. */
const secretNames = /password|secret|token/i;
const secretPattern = /^[^\s{}]{5,}$/;

describe('server log', () => {
  const world = populateOnce(freshSqlite);

  for (const route of routeTable({ testMode: true }))
    it(`contains no secret of ${route.method} ${route.path} on success or failure`, async () => {
      const make = samples[route.operationId];
      if (make === undefined) throw new Error(`${route.operationId} has no sample`);
      const { query, segments, tenant: _, ...sample } = await make(world);
      const authorization = await authorizationOf(world.serving, route.credentials, 'admin');
      const headers = { authorization, cookie: 'JSESSIONID=cookie-of-the-caller', ...sample.headers };
      const path = withQuery(pathOf(route.path, world, segments), query);
      const { call, log } = world.serving;
      const from = log.lines.length;
      const secrets = new Set([
        authorization,
        documentHeaders['x-service-apisecret'],
        'cookie-of-the-caller',
      ]);
      const replies: Reply[] = [await call(route.method, path, { ...sample, headers })];
      const broken = '{"password":"secret-in-a-broken-body","apiSecret":"secret-in-a-broken-body"';
      secrets.add('secret-in-a-broken-body');
      if (route.body !== undefined) replies.push(await call(route.method, path, { body: broken, headers }));
      secrets.add('d3JvbmctcGFzc3dvcmQ=');
      const wrong = {
        ...headers,
        authorization: 'Basic d3JvbmctcGFzc3dvcmQ=',
        'x-service-apisecret': 'wrong-one',
      };
      secrets.add('wrong-one');
      replies.push(await call(route.method, path, { ...sample, headers: wrong }));
      for (const each of [sample.body, ...replies.map(({ json }) => json)])
        for (const secret of secretsIn(each)) secrets.add(secret);
      const logged = inspect(log.lines.slice(from), { depth: null, maxStringLength: null });
      expect(logged).to.contain(route.operationId);
      for (const secret of secrets) expect(logged, route.operationId).to.not.contain(secret);
    });
});

function secretsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' && value.includes('='))
    return secretsIn(Object.fromEntries(new URLSearchParams(value)));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && secretNames.test(name) && secretPattern.test(member)
      ? [member]
      : secretsIn(member),
  );
}
