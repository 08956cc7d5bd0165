import { expect } from 'chai';
import { createClient } from '../../adapters/client/index.ts';
import {
  billingMiddleware,
  createFetchHandler,
  createKoaApp,
  createRequestListener,
} from '../../adapters/koa/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { BillingError } from '../../lib/index.ts';
import { wrongValues } from '../support/wrong-shapes.ts';

type Untyped = (options: unknown) => unknown;

const engine = { as: () => undefined, requests: { logger: () => undefined } };
const entryPoints = { billingMiddleware, createFetchHandler, createKoaApp, createRequestListener };

describe('options of the wrong type', () => {
  for (const [name, create] of Object.entries(entryPoints)) {
    it(`are rejected by ${name}`, () => {
      for (const value of wrongValues) expectRefusal(create as Untyped, value);
    });

    for (const [option, wrong] of [
      ['billing', wrongValues],
      ['basePath', [5, true, {}, []]],
      ['group', [5, 'x', true, {}, []]],
      ['trustedProxies', [5, 'x', true, {}, [null], [{}]]],
    ] as const)
      it(`are rejected by ${name} with an error that contains the option name ${option}`, () => {
        for (const value of wrong)
          expectRefusal(create as Untyped, { billing: engine, [option]: value }, option);
      });
  }

  it('are rejected by createClient', () => {
    for (const value of wrongValues) expectRefusal(createClient as Untyped, value, 'url');
    const options = { url: 'https://billing.example.com', apiKey: 'acme', apiSecret: 'secret' };
    for (const option of Object.keys(options))
      for (const value of wrongValues.filter((each) => typeof each !== 'string'))
        expectRefusal(createClient as Untyped, { ...options, [option]: value }, option);
    const { apiSecret: _, ...ofSession } = options;
    for (const login of [{ user: 'clerk' }, { token: 'token' }])
      expectRefusal(createClient as Untyped, { ...ofSession, ...login }, 'apiSecret');
    (createClient as Untyped)(ofSession);
  });

  for (const start of [undefined, null, true, {}, [], 'x'])
    it(`are rejected by fakeClock as the invalid date ${JSON.stringify(start)}`, () => {
      expect(() => (fakeClock as Untyped)(start)).to.throw('is neither a date nor a date-time');
    });
});

function expectRefusal(create: Untyped, options: unknown, name = ''): void {
  const shown = JSON.stringify(options);
  try {
    create(options);
  } catch (error) {
    expect(error, `${shown}: ${String(error)}`).to.be.instanceOf(BillingError);
    expect(String(error), shown).to.contain(name);
    return;
  }
  expect.fail(`${shown} was accepted`);
}
