import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openApi } from '../../../adapters/koa/index.ts';
import { areaTexts } from '../../../adapters/koa/openapi/descriptions/areas.ts';
import { modelTexts } from '../../../adapters/koa/openapi/descriptions/model-texts.ts';
import { pathSegments } from '../../../adapters/koa/openapi/descriptions/path-segments.ts';
import { queryParameters } from '../../../adapters/koa/openapi/descriptions/query-parameters.ts';
import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import { parameterNamesOf } from '../../../adapters/koa/routing/path.ts';
import { modelsByName } from '../../../adapters/koa/wire/model.ts';

type Described = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly (Described & { readonly name: string })[];
}

const routes = routeTable({ testMode: true });
const document = await openApi();

/**
 * Returns whether the text is a sentence or phrase: it starts with a capital letter, digit or name, and does not end
 * with a period.
 */
function isText(text: unknown): boolean {
  return typeof text === 'string' && /^[A-Z`\d]/.test(text) && !/[.\s]$/.test(text);
}

/** Yields every object in a schema at any depth, with the place of each property. */
function* propertiesOf(value: unknown, place = ''): Generator<readonly [place: string, schema: Described]> {
  if (typeof value !== 'object' || value === null) return;
  const { type, properties } = value as Described;
  if (type === 'object' && typeof properties === 'object' && properties !== null) {
    for (const [name, schema] of Object.entries(properties)) yield [`${place}.${name}`, schema as Described];
  }
  for (const [key, member] of Object.entries(value)) yield* propertiesOf(member, `${place}/${key}`);
}

describe('OpenAPI document', () => {
  const operations = Object.values(
    document.paths as Readonly<Record<string, Record<string, Operation>>>,
  ).flatMap((methods) => Object.values(methods));

  it('describes every operation', () =>
    expect(operations.filter(({ summary }) => !isText(summary))).to.eql([]));

  it('describes the operations of every area', () => {
    const tags = document.tags as readonly { readonly name: string; readonly description?: string }[];
    expect(tags.filter(({ description }) => !isText(description))).to.eql([]);
    expect(tags.map(({ name }) => name).sort()).to.eql(Object.keys(areaTexts).sort());
  });

  it('describes every parameter', () => {
    const silent = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ description }) => !isText(description))
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(silent).to.eql([]);
  });

  it('avoids unions of any value and null, because generators produce invalid code for such unions', () => {
    const empty = [...propertiesOf(document)].filter(([, { anyOf }]) =>
      (anyOf as readonly object[] | undefined)?.some((each) => Object.keys(each).length === 0),
    );
    expect(empty.map(([place]) => place)).to.eql([]);
  });

  it('avoids unions in query parameters, because generated clients cannot omit such parameters', () => {
    const choices = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ schema }) => schema !== undefined && Object.hasOwn(schema as object, 'anyOf'))
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(choices).to.eql([]);
  });

  it('avoids model names that clash with generated code', () => {
    const { schemas } = document.components as { readonly schemas: object };
    const taken = [
      'ApiClient',
      'ApiException',
      'ApiResponse',
      'Configuration',
      'JSON',
      'Pair',
      'ServerConfiguration',
    ];
    expect(Object.keys(schemas)).to.not.include.oneOf(taken);
  });

  it('describes every model and every property', () => {
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Described>> };
    const models = Object.entries(schemas).filter(([, { description }]) => !isText(description));
    expect(models.map(([name]) => name)).to.eql([]);
    const silent = [...propertiesOf(document)].filter(([, { description }]) => !isText(description));
    expect(silent.map(([place]) => place)).to.eql([]);
  });

  it('excludes response-only fields from requests', () => {
    type Component = {
      readonly required?: string[];
      readonly properties: Readonly<Record<string, Described>>;
    };
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Component>> };
    const open = routes.map(({ body }): unknown => body?.json);
    const sent = new Set<string>();
    for (const schema of open) {
      for (const [, name = ''] of JSON.stringify(schema ?? {}).matchAll(/schemas\/(\w+)/g)) {
        if (!sent.has(name)) open.push(schemas[name]);
        sent.add(name);
      }
    }
    expect([...sent]).to.include.members(['Account', 'Subscription', 'PriceData']);
    const asked = [...sent].flatMap((name) =>
      (schemas[name]?.required ?? [])
        .filter((property) => schemas[name]?.properties[property]?.readOnly === true)
        .map((property) => `${name}.${property}`),
    );
    expect(asked).to.eql([]);
    expect(schemas.Invoice?.required).to.include('invoiceId');
  });

  it('lists the required fields of each operation', () => {
    type Body = {
      readonly content: Readonly<Record<string, { readonly schema: Described & { items?: Described } }>>;
    };
    const paths = document.paths as Readonly<Record<string, Readonly<Record<string, { requestBody: Body }>>>>;
    const asked = (method: string, path: string) => {
      const schema = paths[`/1.0/kb${path}`]?.[method]?.requestBody.content['application/json']?.schema;
      return (schema?.items ?? schema)?.required ?? [];
    };
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Described>> };
    expect(schemas.Subscription?.required).to.equal(undefined);
    expect(asked('post', '/subscriptions')).to.eql(['accountId']);
    expect(asked('put', '/subscriptions/{subscriptionId}/bcd')).to.eql([]);
    expect(schemas.CustomField?.required).to.eql(['value']);
    expect(asked('post', '/accounts/{accountId}/customFields')).to.eql(['name']);
    expect(asked('put', '/accounts/{accountId}/customFields')).to.eql(['customFieldId']);
    expect(asked('put', '/bundles/{bundleId}/renameKey')).to.eql(['externalKey']);
    expect(asked('post', '/invoices/{invoiceId}')).to.eql(['accountId', 'invoiceItemId']);
    expect(asked('post', '/credits')).to.eql(['accountId']);
    expect(asked('post', '/invoices/charges/{accountId}')).to.eql([]);
  });

  it('describes a variable default in the text of its parameter', () => {
    const told = (operationId: string, name: string) => {
      const { parameters = [] } = operations.find((each) => each.operationId === operationId) ?? {};
      return parameters.find((each) => each.name === name)?.description;
    };
    expect(told('createSubscription', 'callTimeoutSec')).to.match(/by default .*120.*in dialect K 3$/);
    expect(told('cancelSubscriptionPlan', 'callTimeoutSec')).to.match(/by default .*120.*in dialect K 5$/);
    expect(told('closeAccount', 'removeFutureNotifications')).to.match(
      /by default false, in dialect K true$/,
    );
    expect(told('recordUsage', 'onDuplicate')).to.contain('by default as `usage.duplicatePolicy`');
  });

  it('omits the policy ILLEGAL, which is always rejected', () => {
    const policies = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ name }) => name === 'billingPolicy')
        .map(({ schema }) => [operationId, (schema as { readonly enum: readonly string[] }).enum]),
    );
    expect(Object.fromEntries(policies)).to.eql({
      changeSubscriptionPlan: ['IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'],
      cancelSubscriptionPlan: ['IMMEDIATE', 'END_OF_TERM', 'START_OF_TERM'],
      transferBundle: ['IMMEDIATE', 'END_OF_TERM'],
    });
  });

  it('states that Location may contain only a path', () => {
    const formats = [...JSON.stringify(document).matchAll(/"Location":\{.*?"format":"([\w-]+)"/g)];
    expect(new Set(formats.map(([, format]) => format))).to.eql(new Set(['uri-reference']));
  });

  it('lists the permissions of each operation, including conditional permissions', () => {
    const told = new Map(operations.map(({ operationId, description }) => [operationId, description]));
    expect(told.get('createAccount')).to.equal('Needs the permission `account:create`.');
    expect(told.get('closeAccount')).to.equal(
      'Needs the permissions `tag:add`, `entitlement:pause_resume`; with `cancelAllSubscriptions` also `entitlement:cancel`; with `writeOffUnpaidInvoices` also `invoice:write_off`; with `itemAdjustUnpaidInvoices` also `invoice:item_adjust`.',
    );
    expect(told.get('getUserRoles')).to.equal(
      'Needs the permission `user:create`, except for users who request their own data.',
    );
    expect(told.get('buildComboFormDescriptor')).to.equal(
      'Needs the permissions `account:create` if the account is created; `payment_method:create` if the payment method is created.',
    );
    expect(told.get('getAccount')).to.equal(undefined);
  });

  it('describes the statuses and headers that are specific to an operation', () => {
    type Answer = { readonly headers?: Described; readonly content?: Described };
    type Answered = { readonly responses: Readonly<Record<string, Answer>> };
    const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Answered>>>>;
    const answers = (method: string, path: string) => paths[path]?.[method]?.responses ?? {};
    const payment = answers('post', '/1.0/kb/accounts/{accountId}/payments');
    expect(payment).to.include.all.keys('201', '402', '502', '503', '504', 'default');
    expect(payment['201']?.headers).to.have.all.keys('Location', 'Idempotency-Replayed');
    expect(payment.default?.headers).to.have.all.keys('Retry-After');
    const reversal = answers('post', '/1.0/kb/payments/{paymentId}/chargebackReversals');
    expect(reversal).to.include.all.keys('201').and.not.include.any.keys('402');
    expect(answers('post', '/1.0/kb/usages')).to.include.all.keys('200', '201', '409');
    expect(answers('get', '/1.0/healthcheck')['503']?.content).to.have.all.keys('application/json');
    const tokenError = answers('post', '/oauth2/token').default?.content?.['application/json'];
    expect(tokenError)
      .to.have.nested.property('schema.properties')
      .with.all.keys('error', 'error_description');
    const ownJson = answers('get', '/openapi.json')['200']?.content?.['application/json'];
    expect(ownJson).to.eql({ schema: { type: 'object' } });
    const account = answers('get', '/1.0/kb/accounts/{accountId}');
    expect(account).to.include.all.keys('200', '304');
    expect(account['200']?.headers).to.have.all.keys('ETag');
    expect(answers('get', '/1.0/kb/accounts/{accountId}/bundles')).to.not.include.any.keys('304');
  });

  it('marks a field as read-only only when no operation accepts it', () => {
    const { schemas } = document.components as {
      readonly schemas: Readonly<
        Record<string, { readonly properties: Readonly<Record<string, Described>> }>
      >;
    };
    const isReadOnly = (model: string, property: string) =>
      schemas[model]?.properties[property]?.readOnly === true;
    expect(isReadOnly('InvoiceItem', 'invoiceItemId')).to.equal(false);
    expect(isReadOnly('PaymentTransaction', 'status')).to.equal(false);
    expect(isReadOnly('InvoicePayment', 'accountId')).to.equal(false);
    expect(isReadOnly('Bundle', 'subscriptions')).to.equal(false);
    expect(isReadOnly('Bundle', 'timeline')).to.equal(true);
  });

  it('contains one example per request body, and no other examples', () => {
    const sending = routes.filter(({ body }) => body !== undefined).map(({ operationId }) => operationId);
    expect(Object.keys(requestExamples).sort()).to.eql(sending.sort());
  });

  it('takes the description of each property from only one file, so that no description replaces another', async () => {
    const folder = join(import.meta.dirname, '../../../adapters/koa/openapi/descriptions');
    const files = globSync('{*-models,shared-properties}.ts', { cwd: folder });
    const exported = await Promise.all(files.map((file) => import(join(folder, file))));
    const keys = exported
      .flatMap((module) => Object.values<object>(module))
      .flatMap((texts) => Object.keys(texts));
    expect(keys.length).to.be.above(500);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).to.eql([]);
  });

  it('uses every written description', () => {
    const models = modelsByName();
    const fields = [...models].flatMap(([model, each]) =>
      Object.keys(each.fields).map((property) => ({ model, property, place: `${model}.${property}` })),
    );
    const shown = fields.map(({ property, place }) => (place in modelTexts ? place : property));
    const known = new Set([...models.keys(), ...shown]);
    expect(Object.keys(modelTexts).filter((key) => !known.has(key))).to.eql([]);
    const repeated = fields.filter(
      ({ property, place }) => place in modelTexts && modelTexts[place] === modelTexts[property],
    );
    expect(repeated).to.eql([]);

    const asked = routes.flatMap(({ operationId, query }) =>
      Object.keys(query).map((name) =>
        `${operationId}.${name}` in queryParameters ? `${operationId}.${name}` : name,
      ),
    );
    expect(Object.keys(queryParameters).filter((name) => !asked.includes(name))).to.eql([]);
    const segments = routes.flatMap(({ path }) => parameterNamesOf(path));
    expect(Object.keys(pathSegments).filter((name) => !segments.includes(name))).to.eql([]);
  });
});
