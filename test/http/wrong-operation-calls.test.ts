import { queries } from '../../adapters/client/operation-calls.ts';
import { operationAccess } from '../../adapters/koa/routes/operations/access.ts';
import { inputs } from '../../lib/engine/inputs/inputs.ts';
import type { AnyInput } from '../../lib/values/host-values/index.ts';
import { anyDatabase, createAccount, createdId, exampleCatalog, expect } from '../support/http/index.ts';
import { jsonType, type Reply, type Request, serveOnce, xmlType } from '../support/http/serving.ts';
import { sampled } from '../support/long-run.ts';
import { type KnownIds, sampleOf, wrongCalls } from '../support/wrong-shapes.ts';

type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

const parametersOf: Readonly<Record<string, Readonly<Record<string, Parameters>>>> = inputs;
const queriesOf: Readonly<Record<string, readonly string[]>> = queries;

interface Operation {
  readonly group: string;
  readonly name: string;
  readonly isQuery: boolean;
  readonly path: string;
}

const operations: readonly Operation[] = Object.entries(operationAccess).flatMap(([group, access]) =>
  Object.keys(access).map((name) => {
    const isQuery = queriesOf[group]?.includes(name) ?? false;
    return { group, name, isQuery, path: pathOf(group, name, isQuery) };
  }),
);

function pathOf(group: string, name: string, isQuery: boolean): string {
  return `/1.0/kb/${isQuery ? 'queries' : 'operations'}/${group}/${name}`;
}

/** Requests whose body has an invalid shape for every operation. */
const wrongBodies: readonly (readonly [title: string, request: Request])[] = [
  ['no body', {}],
  ['the body null', { body: null }],
  ['an array', { body: [] }],
  ['an array of arguments', { body: [{ arguments: [] }] }],
  ['a number', { body: '5', headers: jsonType }],
  ['a JSON text', { body: '"x"', headers: jsonType }],
  ['plain text', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['invalid JSON', { body: '{"arguments":', headers: jsonType }],
  ['no arguments', { body: {} }],
  ['arguments that are null', { body: { arguments: null } }],
  ['arguments that are a text', { body: { arguments: 'x' } }],
  ['arguments that are an object', { body: { arguments: {} } }],
  ['arguments that are a number', { body: { arguments: 5 } }],
  ['bytes that are a text', { body: { arguments: [], bytes: 'x' } }],
  ['a negative place of bytes', { body: { arguments: [], bytes: [-1] } }],
  ['a place of bytes without an argument', { body: { arguments: [], bytes: [0] } }],
  ['bytes that are an object', { body: { arguments: [{}], bytes: [0] } }],
];

anyDatabase.describe('invalid operation calls over HTTP', (open) => {
  const serving = serveOnce(open);
  const { call, post } = serving;
  let ids: KnownIds;

  before(async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    const accountId = await createAccount(serving);
    const body = { accountId, planName: 'canopy-monthly' };
    const subscriptionId = createdId(await post('/subscriptions', body));
    ids = { accountId, subscriptionId };
  });

  for (const { group, name, path } of operations)
    it(`are rejected by ${group}.${name} if the body has the wrong shape`, async () => {
      for (const [title, request] of wrongBodies) {
        const reply = await call('POST', path, request);
        expectRefusal(reply, `${title}: ${reply.status} ${reply.text}`);
      }
    });

  for (const [place, { group, name, path }] of operations.entries()) {
    const parameters = parametersOf[group]?.[name] ?? [];

    it(`cause no server error in ${group}.${name} when arguments have the wrong type`, async () => {
      const calls = [...wrongCalls(parameters, ids)];
      for (const given of sampled(calls, 40, place)) {
        const reply = await call('POST', path, { body: { arguments: given } });
        if (reply.status !== 200)
          expectRefusal(reply, `${JSON.stringify(given)}: ${reply.status} ${reply.text}`);
      }
    });

    for (const [index, [parameter, shape]] of parameters.entries())
      it(`are rejected by ${group}.${name} if ${parameter.replace('?', '')} is invalid`, async () => {
        const valid = parameters.map(([own, each]) => sampleOf(each, own.replace('?', ''), ids));
        for (const wrong of wrongFor(shape)) {
          const given = valid.with(index, wrong);
          const reply = await call('POST', path, { body: { arguments: given } });
          expectRefusal(reply, `${JSON.stringify(given)}: ${reply.status} ${reply.text}`);
        }
      });
  }

  const unknown = [
    'nothing',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    '%00',
    'x'.repeat(500),
  ];
  for (const name of unknown)
    it(`are rejected if they use the unknown name "${name.slice(0, 20)}"`, async () => {
      const body = { arguments: [] };
      for (const path of [
        `queries/${name}/get`,
        `operations/${name}/create`,
        `queries/accounts/${name}`,
        `operations/accounts/${name}`,
      ]) {
        const reply = await post(`/${path}`, body);
        expectRefusal(reply, `${path}: ${reply.status} ${reply.text}`);
      }
    });

  it('are rejected with the correct path in the error if they send a query as a change or a change as a query', async () => {
    for (const { group, name, isQuery } of operations) {
      const reply = await call('POST', pathOf(group, name, !isQuery), { body: { arguments: [] } });
      expect(reply.status, `${group}.${name}`).to.equal(404);
      const { message } = reply.json as { readonly message: string };
      expect(message).to.contain(`it belongs to /${isQuery ? 'queries' : 'operations'}`);
    }
  });
});

/** Returns values that no parameter of the shape accepts. */
function wrongFor(shape: AnyInput): readonly unknown[] {
  if (shape === 'any' || shape === 'iterable') return [5, true];
  if (shape === 'flag') return [5, 'x', [], {}];
  if (typeof shape === 'string' || shape instanceof Set) return [true, [], {}, [[]]];
  return [5, true, 'x'];
}

/** Expects a client error status, and an error that names the problem. */
function expectRefusal({ status, json }: Reply, about: string): void {
  expect(status, about).to.be.within(400, 499);
  const { code, message } = json as { readonly code: unknown; readonly message: unknown };
  expect(code, about).to.be.a('number');
  expect(message, about)
    .to.be.a('string')
    .and.match(/\w+ \w+/);
  expect(message, about).to.not.match(/\bundefined\b|\[object|TypeError|is not a function|Cannot read/);
}
