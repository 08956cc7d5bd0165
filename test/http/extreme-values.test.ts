import { Dialect } from '../../adapters/koa/dialect.ts';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { parameterNamesOf } from '../../adapters/koa/routing/path.ts';
import type { Route } from '../../adapters/koa/routing/route.ts';
import { DATE_OR_DATE_TIME } from '../../adapters/koa/wire/wire-type.ts';
import { authorizationOf, populate, type World } from '../support/http/index.ts';
import { pathOf, samples, withQuery } from '../support/http/route-samples.ts';
import type { Sample } from '../support/http/samples.ts';
import { aliasHeaders, type Served, START, serve } from '../support/http/serving.ts';
import { anyDatabase, expect, migrated, sampled } from '../support/index.ts';

const extremes = {
  date: ['0001-01-01', '0001-01-02', '1582-10-15', '1969-12-31', '9999-12-30', '9999-12-31'],
  'date-time': ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999Z'],
  number: ['0', '-1', '2147483647', '2147483648', '-2147483649', '9007199254740991', '-9007199254740991'],
  decimal: ['0.000000001', '-0.01', '999999999999999', '999999999999999.999999999', '-999999999999999'],
} as const;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const dateForm = /^\d{4}-\d{2}-\d{2}/;

interface Case {
  readonly at: string;
  readonly value: string;
  put(sample: Sample): Sample;
}

/** Parameters that make a call wait. */
const waits = new Set(['callCompletion', 'timeoutSec', 'callTimeoutSec']);

anyDatabase.describe('extreme values (http-api §6, §9)', (open) => {
  let world: World;
  let serving: Served;

  const begin = async () => {
    serving = await serve(await open(migrated));
    world = await populate(serving);
  };
  before(begin);
  after(() => serving.close());

  /** Makes a sample. If an earlier call ended or blocked its objects, a new world provides them. */
  async function sampleOf(route: Route): Promise<Sample> {
    try {
      return await sampleIn(route, world);
    } catch {
      await serving.close();
      await begin();
      return sampleIn(route, world);
    }
  }

  /** Returns the server's response if it is a failure of the server itself. */
  async function failureOf(route: Route, each: Case, dialect: Dialect): Promise<string | null> {
    const { query, segments, tenant: _, ...rest } = each.put(await sampleOf(route));
    const path = withQuery(pathOf(route.path, world, segments), query);
    const authorization = await authorizationOf(serving, route.credentials, 'admin');
    const headers = { authorization, ...rest.headers, ...(dialect === Dialect.K ? aliasHeaders : {}) };
    const { status, text } = await serving.call(route.method, path, { ...rest, headers });
    if (route.area === 'test') serving.clock.set(START);
    serving.billing.setInRotation(true);
    return status < 500 || status === 501 ? null : `${dialect} ${each.at}=${each.value}: ${status} ${text}`;
  }

  for (const [turn, route] of routeTable({ testMode: true }).entries())
    it(`cause no server failure in ${route.method} ${route.path}`, async () => {
      const cases = sampled(casesOf(route, await sampleOf(route), world), 61, turn);
      const failures: unknown[] = [];
      for (const [place, each] of cases.entries())
        for (const dialect of sampled([Dialect.D, Dialect.K], 2, place + turn))
          failures.push(await failureOf(route, each, dialect));
      expect(failures.filter((failure) => failure !== null)).to.eql([]);
    });
});

/** @throws Error if the object of the sample no longer exists in the world. */
async function sampleIn(route: Route, world: World): Promise<Sample> {
  const make = samples[route.operationId];
  if (make === undefined) throw new Error(`${route.operationId} has no sample`);
  const sample = await make(world);
  pathOf(route.path, world, sample.segments);
  return sample;
}

function casesOf(route: Route, sample: Sample, world: World): readonly Case[] {
  const ids = [
    world.foreignAccountId,
    world.unknownId,
    '00000000-0000-0000-0000-000000000000',
    ...idsOf(world),
  ];
  const inQuery = Object.entries(route.query)
    .filter(([name]) => !waits.has(name))
    .flatMap(([name, { json }]) =>
      valuesOf(json as Schema, ids).map((value) => ({
        at: `?${name}`,
        value,
        put: (given: Sample): Sample => {
          const search = new URLSearchParams(given.query);
          search.set(name, value);
          return { ...given, query: search.toString() };
        },
      })),
    );
  const inPath = parameterNamesOf(route.path).flatMap((name) =>
    [...extremes.number, ...ids].map((value) => ({
      at: `{${name}}`,
      value,
      put: (given: Sample): Sample => ({ ...given, segments: { ...given.segments, [name]: value } }),
    })),
  );
  return [...inQuery, ...inPath, ...leavesOf(sample.body).flatMap((leaf) => leafCases(leaf, ids))];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

function valuesOf({ type, format, items, anyOf = [] }: Schema, ids: readonly string[]): readonly string[] {
  const types = [type ?? []].flat();
  const dates = [...extremes.date, ...extremes['date-time']];
  if (format === 'uuid') return ids;
  if (format === 'date') return extremes.date;
  if (format === DATE_OR_DATE_TIME || format === 'date-time') return dates;
  if (types.includes('integer')) return extremes.number;
  if (types.includes('number')) return [...extremes.number, ...extremes.decimal];
  return [...anyOf, ...(items === undefined ? [] : [items])].flatMap((each) => valuesOf(each, ids));
}

type Path = readonly (string | number)[];
type Leaf = readonly [path: Path, value: unknown];

function leavesOf(body: unknown, path: Path = []): readonly Leaf[] {
  if (body instanceof Uint8Array) return [];
  if (typeof body !== 'object' || body === null) return path.length === 0 ? [] : [[path, body]];
  const isList = Array.isArray(body);
  return Object.entries(body).flatMap(([name, member]) =>
    leavesOf(member, [...path, isList ? Number(name) : name]),
  );
}

function leafCases([path, value]: Leaf, ids: readonly string[]): readonly Case[] {
  return likesOf(value, ids).map((like) => ({
    at: path.join('.'),
    value: String(like),
    put: (given: Sample): Sample => ({ ...given, body: replaced(given.body, path, like) as Sample['body'] }),
  }));
}

function likesOf(value: unknown, ids: readonly string[]): readonly unknown[] {
  if (typeof value === 'number') return [...extremes.number, ...extremes.decimal].map(Number);
  if (typeof value !== 'string') return [];
  if (uuidForm.test(value)) return ids;
  if (dateForm.test(value)) return [...extremes.date, ...extremes['date-time']];
  return [];
}

function replaced(body: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body))
    return body.map((each, index) => (index === name ? replaced(each, rest, value) : each));
  const object = body as Readonly<Record<string, unknown>>;
  return { ...object, [name]: replaced(object[name], rest, value) };
}

function idsOf(world: World): readonly string[] {
  return [world.accountId, world.invoiceId, world.paymentId, world.bundleId];
}
