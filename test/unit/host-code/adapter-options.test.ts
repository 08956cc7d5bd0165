import { listen } from '../../../adapters/koa/index.ts';
import { openTelemetryTracer } from '../../../adapters/opentelemetry/index.ts';
import { sandboxGateway } from '../../../adapters/payments/index.ts';
import { pdfRenderer } from '../../../adapters/pdf/index.ts';
import { stripeGateway } from '../../../adapters/stripe/index.ts';
import { BillingError } from '../../../lib/index.ts';
import { expect } from '../../support/index.ts';

type Call = (given: unknown) => unknown;

const apiKey = 'sk_test_1';

/** Functions of the adapters with valid options, and wrong values by the member that the error must name. */
const functions: Readonly<
  Record<
    string,
    { readonly call: Call; readonly valid: object; readonly wrong: Readonly<Record<string, unknown>> }
  >
> = {
  pdfRenderer: {
    call: (given) => pdfRenderer(given as never),
    valid: { fonts: [{ regular: 'font.ttf' }] },
    wrong: { fonts: 'font.ttf', 'fonts[0]': ['font.ttf'], 'fonts[0].regular': [{}] },
  },
  stripeGateway: {
    call: (given) => stripeGateway(given as never),
    valid: { credentials: { apiKey } },
    wrong: {
      credentials: undefined,
      apiKey: { apiKey: 1 },
      stripeAccount: { apiKey, stripeAccount: 1 },
      name: 1,
      customerOf: 'cus_1',
      returnUrl: 1,
      multicapture: 'yes',
      requestTimeoutMs: '12',
      client: 'agent',
    },
  },
  openTelemetryTracer: {
    call: (given) => openTelemetryTracer(given as never),
    valid: {},
    wrong: { tracer: 'billwright', 'tracer.startSpan': {} },
  },
  sandboxGateway: {
    call: (given) => sandboxGateway(given as never),
    valid: { name: 'test' },
    wrong: { name: 1, ledger: 'memory', 'ledger.find': {}, sleep: 10 },
  },
  listen: {
    call: (given) => listen({ callback: () => () => undefined } as never, given as never),
    valid: { port: 0 },
    wrong: {
      port: '8080',
      host: 1,
      maxHeaderBytes: 'many',
      maxHeadersMs: 1.5,
      requestTimeMs: -1,
      maxConnections: '2',
      prepare: true,
    },
  },
};

/** The option of a member in an error: `fonts` for `fonts[0].regular`, `credentials` for an API key. */
const optionOf: Readonly<Record<string, string>> = { apiKey: 'credentials', stripeAccount: 'credentials' };

describe('adapter options', () => {
  for (const [name, { call, valid, wrong }] of Object.entries(functions)) {
    it(`are rejected by ${name} with an error that names the option of the wrong type`, async () => {
      for (const [field, value] of Object.entries(wrong)) {
        const option = optionOf[field] ?? field.replace(/[[.].*/, '');
        const failure = await failureOf(() => call({ ...valid, [option]: value }));
        expect(failure, field).to.be.instanceOf(BillingError);
        expect(failure, field).to.have.nested.property('facts.field', field);
      }
    });

    it(`are rejected by ${name} if they are not an object`, async () => {
      for (const value of ['text', 1, null]) {
        const failure = await failureOf(() => call(value));
        expect(failure).to.be.instanceOf(BillingError);
        expect(failure).to.have.nested.property('facts.field', 'options');
      }
    });
  }

  it('are rejected by listen if the app is not a Koa app', async () => {
    const failure = await failureOf(() => listen({} as never, { port: 0 }));
    expect(failure).to.have.nested.property('facts.field', 'callback');
  });

  it('are accepted if they are valid', async () => {
    for (const name of ['pdfRenderer', 'stripeGateway', 'openTelemetryTracer', 'sandboxGateway']) {
      const { call, valid } = functions[name] ?? {};
      expect(await failureOf(() => call?.(valid)), name).to.equal(null);
    }
  });
});

async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return null;
  } catch (error) {
    return error;
  }
}
