import { auditHistoryRoutes } from '../../adapters/koa/routes/audit-history.ts';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { fieldedResources, taggedResources } from '../../adapters/koa/routing/objects.ts';
import { auditedResources } from '../support/audited-resources.ts';
import { eachDatabase, expect, list, populateOnce, textOf, type World } from '../support/http/index.ts';
import { pathOf, samples, withQuery } from '../support/http/route-samples.ts';
import { aliasHeaders, createAccount, createdId, expectStatus, type Reply } from '../support/http/serving.ts';

interface Log {
  readonly changeType: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly history: Readonly<Record<string, unknown>> | null;
}
type Shown = Readonly<Record<string, unknown>>;

interface Audited {
  readonly place: string;
  readonly object: Shown;
  readonly logs: readonly Log[];
}

/** Fields that identify each model, the types of its audit rows, and its id field. The first match counts. */
const kinds: readonly {
  readonly fields: readonly string[];
  readonly types: readonly string[];
  readonly id: string | null;
}[] = [
  { fields: ['referenceTime'], types: ['ACCOUNT'], id: 'accountId' },
  { fields: ['events', 'planName'], types: ['SUBSCRIPTION'], id: 'subscriptionId' },
  { fields: ['timeline'], types: ['BUNDLE'], id: 'bundleId' },
  { fields: ['events', 'bundleId'], types: ['BUNDLE'], id: 'bundleId' },
  // An entitlement event is a blocking state (subscriptions §18).
  { fields: ['eventId'], types: ['SUBSCRIPTION_EVENT', 'BLOCKING_STATES'], id: 'eventId' },
  { fields: ['blockedId'], types: ['BLOCKING_STATES'], id: null },
  { fields: ['invoiceNumber'], types: ['INVOICE'], id: 'invoiceId' },
  { fields: ['invoiceItemId'], types: ['INVOICE_ITEM'], id: 'invoiceItemId' },
  { fields: ['paymentNumber'], types: ['PAYMENT'], id: 'paymentId' },
  { fields: ['stateName', 'pluginProperties'], types: ['PAYMENT_ATTEMPT'], id: null },
  { fields: ['transactionType'], types: ['TRANSACTION'], id: 'transactionId' },
  { fields: ['isDefault'], types: ['PAYMENT_METHOD'], id: 'paymentMethodId' },
  { fields: ['tagId'], types: ['TAG'], id: 'tagId' },
  { fields: ['isControlTag'], types: ['TAG_DEFINITION'], id: 'id' },
  { fields: ['customFieldId'], types: ['CUSTOM_FIELD'], id: 'customFieldId' },
];

function auditedOf(value: unknown, place = ''): readonly Audited[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => auditedOf(each, `${place}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Shown;
  const below = Object.entries(object)
    .filter(([name]) => name !== 'auditLogs')
    .flatMap(([name, each]) => auditedOf(each, `${place}/${name}`));
  return 'auditLogs' in object
    ? [{ place, object, logs: object.auditLogs as readonly Log[] }, ...below]
    : below;
}

function kindOf({ place, object }: Audited) {
  const kind = kinds.find(({ fields }) => fields.every((name) => name in object));
  if (kind === undefined)
    throw new Error(`${place} is of no kind that the test knows: ${Object.keys(object)}`);
  return kind;
}

/**
 * Expects audit level FULL: nothing for system definitions, and for any other object at least its insertion and no rows
 * of others.
 */
function expectOwnRows(audited: Audited): void {
  const { types, id } = kindOf(audited);
  const { place, object, logs } = audited;
  const isOfSystem = 'isControlTag' in object && object.name === String(object.name).toUpperCase();
  expect(logs.length > 0, `${place} has audit rows`).to.equal(!isOfSystem);
  for (const log of logs) {
    expect(log.objectType, place).to.be.oneOf(types);
    expect(log.history, place).to.equal(null);
    if (id !== null) expect(log.objectId, place).to.equal(object[id]);
  }
  expect(logs[0]?.changeType ?? 'INSERT', place).to.equal('INSERT');
}

eachDatabase.describe('audit levels', (open) => {
  const world = populateOnce(open);
  let summaryId: string;
  before(async () => {
    const { accountId, serving } = world;
    await serving.post('/credits?autoCommit=true', [{ accountId, amount: 2 }]);
    await serving.post('/accounts', { parentAccountId: accountId });
    await tagAndLabel(world);
    summaryId = await summaryOfChild(world);
  });

  /** Compares the audit rows at each level with those at FULL. */
  async function expectLevels(path: string, query: string | undefined): Promise<readonly Audited[]> {
    const shownAt = async (audit: string): Promise<readonly Audited[]> => {
      const search = new URLSearchParams(query);
      search.set('audit', audit);
      const reply: Reply = await world.serving.call('GET', withQuery(path, String(search)));
      expect(reply.status, reply.text).to.equal(200);
      return auditedOf(reply.json);
    };
    const full = await shownAt('FULL');
    full.forEach(expectOwnRows);
    const withLogs = (only: (log: Log) => boolean) =>
      full.map(({ place, logs }) => ({ place, logs: logs.filter(only) }));
    const plain = (all: readonly Audited[]) => all.map(({ place, logs }) => ({ place, logs }));
    expect(plain(await shownAt('MINIMAL'))).to.eql(withLogs(({ changeType }) => changeType === 'INSERT'));
    expect(plain(await shownAt('NONE'))).to.eql(withLogs(() => false));
    return full;
  }

  // From the route table, so that new routes are tested automatically.
  for (const route of routeTable({ testMode: false }).filter(({ query }) => 'audit' in query))
    it(`select the audit rows of each object in ${route.path} (accounts §14 rule 4)`, async () => {
      const sample = await samples[route.operationId]?.(world);
      const shown = await expectLevels(pathOf(route.path, world, sample?.segments), sample?.query);
      expect(shown, 'the sample shows nothing').to.not.deep.equal([]);
    });

  it('apply to the child items in a summary invoice (accounts §14 rule 4)', async () => {
    const shown = await expectLevels(`/1.0/kb/invoices/${summaryId}`, 'withChildrenItems=true');
    expect(shown.map(({ place }) => place)).to.eql(['', '/items/0', '/items/0/childItems/0']);
  });

  for (const resource of auditedResources)
    it(`do not affect the history columns that the specification lists for ${resource.path} (accounts §14.1)`, async () => {
      const path = pathOf(`/1.0/kb${resource.path}/auditLogsWithHistory`, world);
      const rows = expectStatus(await world.serving.call('GET', path), 200).json as readonly Log[];
      expect(rows[0]?.changeType).to.equal('INSERT');
      const { objectType, tableName, historyTableName, columns, columnsOnlyInD } = resource;
      const asKillBill = await world.serving.call('GET', path, { headers: aliasHeaders });
      for (const { history } of expectStatus(asKillBill, 200).json as readonly Log[]) {
        expect(Object.keys(history ?? {})).to.include.members([...columns]);
        expect(history).to.not.have.any.keys('taxId', ...columnsOnlyInD);
      }
      const [, id] = /([^/]+)$/.exec(pathOf(resource.path, world)) ?? [];
      for (const { objectId, history, ...row } of rows) {
        expect([row.objectType, objectId]).to.eql([objectType, id]);
        expect(history).to.deep.include({ id: null, tableName, historyTableName });
        expect(history).to.have.all.keys(
          ...['id', 'createdDate', 'updatedDate', 'recordId', 'accountRecordId', 'tenantRecordId'],
          ...['tableName', 'historyTableName', ...columns, ...columnsOnlyInD],
        );
        expect([typeof history?.recordId, typeof history?.tenantRecordId]).to.eql(['number', 'number']);
        expect(history?.accountRecordId === null).to.equal(objectType === 'TAG_DEFINITION');
      }
    });
});

describe('routes with an audit history', () => {
  it('cover exactly the audited resources of the specification', () => {
    const paths = auditHistoryRoutes
      .filter(({ path }) => path.endsWith('/auditLogsWithHistory'))
      .map(({ path }) => path.slice('/1.0/kb'.length, -'/auditLogsWithHistory'.length));
    expect(paths.toSorted()).to.eql(auditedResources.map(({ path }) => path).toSorted());
  });
});

/** Adds a tag and a custom field to one object of each kind. */
async function tagAndLabel(world: World): Promise<void> {
  const { call, post } = world.serving;
  const applicableObjectTypes = taggedResources.map(({ type }) => type);
  const body = { name: 'everywhere', description: 'd', applicableObjectTypes };
  const definition = createdId(await post('/tagDefinitions', body));
  const carried = [
    ...taggedResources.map((resource) => [resource, 'tags', definition] as const),
    ...fieldedResources.map(
      (resource) => [resource, 'customFields', { name: resource.noun, value: 'v' }] as const,
    ),
  ];
  for (const [{ path, idName }, what, one] of carried) {
    const reply = await call('POST', pathOf(`/1.0/kb/${path}/{${idName}}/${what}`, world), { body: [one] });
    expect(reply.status, reply.text).to.equal(201);
  }
}

/** Creates a summary invoice of a parent, with an item for its child. Returns its id. */
async function summaryOfChild({ serving }: World): Promise<string> {
  const create = async (more: object) => createAccount(serving, { currency: 'USD', ...more });
  const parentAccountId = await create({});
  const child = await create({ parentAccountId, isPaymentDelegatedToParent: true });
  await serving.post(`/invoices/charges/${child}?autoCommit=true`, [{ amount: 5 }]);
  await serving.billing.settle();
  const [summary] = await list(serving, `/1.0/kb/accounts/${parentAccountId}/invoices`);
  return textOf(summary, 'invoiceId');
}
