import { readFile } from 'node:fs/promises';
import { aliasHeaders, createdId, expectRefusal } from '../support/http/index.ts';
import { expectStatus, outcomeOf, type Serving, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, specCatalog } from '../support/index.ts';

const core = '/1.0/kb';

/** 19:30 on March 4 in the account's time zone, so that its date differs from the UTC date. */
const CREATED = '2024-03-05T03:30:00.000Z';
const REQUEST_ID = 'c0ffee00-0000-4000-8000-000000000002';

type Json = Readonly<Record<string, unknown>>;

const planOf = (phase: string) => ({
  plan: 'solo-monthly',
  product: 'Solo',
  priceList: 'DEFAULT',
  phase: `solo-monthly-${phase}`,
  billingPeriod: 'MONTHLY',
});

const itemFieldsOfOurs = {
  unitPrice: 19.95,
  usage: [],
  listRate: null,
  discounts: null,
  taxRate: null,
  taxCategory: null,
  taxExemption: null,
};

eachDatabaseByTurns.describe('subscription models over HTTP', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  let subscriptionId: string;
  let bundleId: string;

  before(async () => {
    serving.clock.set(CREATED);
    await send('POST', '/catalog', { body: await readFile(specCatalog), headers: xmlType });
    const account = { currency: 'USD', timeZone: 'America/Los_Angeles' };
    accountId = createdId(await send('POST', '/accounts', { body: account }));
    const body = { accountId, planName: 'solo-monthly', externalKey: 'S', bundleExternalKey: 'B' };
    subscriptionId = createdId(await send('POST', '/subscriptions', { body }));
    bundleId = String((await read(`/subscriptions/${subscriptionId}`)).bundleId);
    await serving.billing.settle();
    const cancelled = await send(
      'DELETE',
      `/subscriptions/${subscriptionId}?requestedDate=2024-04-20&useRequestedDateForBilling=true`,
      {
        headers: {
          'x-service-createdby': 'bo',
          'x-service-reason': 'moves',
          'x-service-comment': 'by phone',
          'x-request-id': REQUEST_ID,
        },
      },
    );
    expect(cancelled.status, cancelled.text).to.equal(204);
  });

  const send = (method: string, path: string, request: Parameters<Serving['call']>[2] = {}) =>
    serving.call(method, core + path, request);

  async function read<T = Json>(path: string, headers = {}): Promise<T> {
    return expectStatus(await send('GET', path, { headers }), 200).json as T;
  }

  /** Returns the expected events. Other tests check the ids of events and states in their history. */
  function eventsOf(shown: Json): readonly Json[] {
    const row = (at: readonly [eventType: string, date: string], serviceName: string, more: object) => ({
      effectiveDate: at[1],
      catalogEffectiveDate: '2010-01-01T00:00:00.000Z',
      eventType: at[0],
      isBlockedBilling: false,
      isBlockedEntitlement: false,
      serviceName,
      serviceStateName: at[0],
      auditLogs: [],
      ...more,
    });
    const ended = '2024-04-21T02:30:00.000Z';
    const rows = [
      row(['START_ENTITLEMENT', CREATED], 'entitlement-service', {
        ...planOf('trial'),
        serviceStateName: 'ENT_STARTED',
      }),
      row(['START_BILLING', CREATED], 'billing-service', planOf('trial')),
      row(['PHASE', '2024-04-04T02:30:00.000Z'], 'entitlement+billing-service', planOf('evergreen')),
      row(['STOP_ENTITLEMENT', ended], 'entitlement-service', {
        ...planOf('evergreen'),
        isBlockedEntitlement: true,
        serviceStateName: 'ENT_CANCELLED',
      }),
      row(['STOP_BILLING', ended], 'billing-service', planOf('evergreen')),
    ];
    const ids = (shown.events as readonly Json[]).map(({ eventId }) => eventId);
    expect(new Set(ids).size, 'every row has a fact of its own').to.equal(rows.length);
    return rows.map((each, index) => ({ eventId: ids[index], ...each }));
  }

  const price = (phaseType: string, fixedPrice: number | null, recurringPrice: number | null) => ({
    planName: 'solo-monthly',
    phaseName: `solo-monthly-${phaseType.toLowerCase()}`,
    phaseType,
    fixedPrice,
    recurringPrice,
    usagePrices: [],
  });

  const subscriptionOf = (shown: Json, [start, end]: readonly [string, string]) => ({
    accountId,
    bundleId,
    subscriptionId,
    externalKey: 'S',
    bundleExternalKey: 'B',
    startDate: start,
    productName: 'Solo',
    productCategory: 'BASE',
    billingPeriod: 'MONTHLY',
    phaseType: 'TRIAL',
    priceList: 'DEFAULT',
    planName: 'solo-monthly',
    state: 'ACTIVE',
    sourceType: 'NATIVE',
    cancelledDate: end,
    chargedThroughDate: '2024-04-03',
    billingStartDate: start,
    billingEndDate: end,
    billCycleDayLocal: 3,
    events: eventsOf(shown),
    prices: [price('TRIAL', 0, null), price('EVERGREEN', null, 29.95)],
    priceOverrides: null,
    quantity: 1,
    auditLogs: [],
  });

  const dialects = [
    ['D', {}, ['2024-03-04', '2024-04-20']],
    ['K', aliasHeaders, [CREATED, '2024-04-21T02:30:00.000Z']],
  ] as const;
  for (const [dialect, headers, days] of dialects) {
    it(`list the fields of Subscription and Bundle in table order in dialect ${dialect} (json-models §6)`, async () => {
      const subscription = await read(`/subscriptions/${subscriptionId}`, headers);
      const expected = subscriptionOf(subscription, days);
      const alone = dialect === 'D' ? { ...expected, redemptions: [] } : expected;
      expect(subscription).to.eql(alone);
      expect(Object.keys(subscription)).to.eql(Object.keys(alone));
      expect(Object.keys((subscription.events as readonly Json[])[0] ?? {})).to.eql([
        ...['eventId', 'billingPeriod', 'effectiveDate', 'catalogEffectiveDate', 'plan', 'product'],
        ...['priceList', 'phase', 'eventType', 'isBlockedBilling', 'isBlockedEntitlement'],
        ...['serviceName', 'serviceStateName', 'auditLogs'],
      ]);
      expect(await read('/subscriptions?externalKey=S', headers)).to.eql(expected);
      const bundle = {
        accountId,
        bundleId,
        externalKey: 'B',
        subscriptions: [expected],
        timeline: { accountId, bundleId, externalKey: 'B', events: expected.events, auditLogs: [] },
        auditLogs: [],
      };
      expect(await read(`/bundles/${bundleId}`, headers)).to.eql(bundle);
      expect(await read('/bundles?externalKey=B', headers)).to.eql([bundle]);
      expect(await read(`/accounts/${accountId}/bundles`, headers)).to.eql([bundle]);
    });

    it(`return every field of InvoiceDryRun and its Invoice in dialect ${dialect} (json-models §7)`, async () => {
      const body = {
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'START_BILLING',
        planName: 'solo-now',
        effectiveDate: '2024-03-10',
      };
      const path = `/invoices/dryRun?accountId=${accountId}&targetDate=2024-03-10`;
      const { status, json } = await send('POST', path, { body, headers });
      expect(status).to.equal(200);
      const shown = json as Json & { readonly items: readonly Json[] };
      const [item] = shown.items;
      const pretty = (name: string) => (dialect === 'K' ? null : name);
      const unknown = [shown.invoiceId, item?.invoiceItemId, item?.bundleId, item?.subscriptionId];
      for (const id of unknown) expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(unknown).to.not.include.members([bundleId, subscriptionId]);
      expect(shown).to.eql({
        invoiceId: shown.invoiceId,
        accountId,
        amount: 15.45,
        currency: 'USD',
        status: 'COMMITTED',
        creditAdj: 0,
        refundAdj: 0,
        invoiceDate: '2024-03-04',
        targetDate: '2024-03-10',
        invoiceNumber: null,
        balance: 15.45,
        bundleKeys: null,
        credits: null,
        items: [
          {
            invoiceItemId: item?.invoiceItemId,
            invoiceId: shown.invoiceId,
            linkedInvoiceItemId: null,
            accountId,
            childAccountId: null,
            bundleId: item?.bundleId,
            subscriptionId: item?.subscriptionId,
            productName: 'Solo',
            planName: 'solo-now',
            phaseName: 'solo-now-evergreen',
            usageName: null,
            prettyProductName: pretty('Solo'),
            prettyPlanName: pretty('solo-now'),
            prettyPhaseName: pretty('solo-now-evergreen'),
            prettyUsageName: null,
            itemType: 'RECURRING',
            description: 'solo-now-evergreen',
            startDate: '2024-03-10',
            endDate: '2024-04-03',
            amount: 15.45,
            rate: 19.95,
            currency: 'USD',
            quantity: dialect === 'K' ? null : 1,
            itemDetails: null,
            catalogEffectiveDate: '2010-01-01T00:00:00.000Z',
            ...(dialect === 'K' ? {} : itemFieldsOfOurs),
            childItems: null,
            auditLogs: [],
          },
        ],
        trackingIds: [],
        isParentInvoice: false,
        parentInvoiceId: null,
        parentAccountId: null,
        ...(dialect === 'K' ? {} : { issuedDate: '2024-03-04', note: null }),
        auditLogs: [],
      });
    });
  }

  it('take the type and date of a BlockingState from the call, not from the body (json-models §4)', async () => {
    const path = `/bundles/${bundleId}/block?requestedDate=2024-03-10`;
    const body = {
      service: 'fraud',
      stateName: 'held',
      isBlockChange: true,
      isBlockBilling: 'true',
      blockedId: accountId,
      type: 'ACCOUNT',
      effectiveDate: '2020-01-01T00:00:00.000Z',
    };
    const reply = await send('POST', path, { body });
    expect([reply.status, reply.text], reply.text).to.eql([201, '']);
    const location = new URL(reply.headers.get('location') ?? '');
    expect(location.pathname + location.search).to.equal(
      `${core}/accounts/${accountId}/block?blockingStateTypes=SUBSCRIPTION_BUNDLE`,
    );
    const held = {
      blockedId: bundleId,
      stateName: 'held',
      service: 'fraud',
      isBlockChange: true,
      isBlockEntitlement: false,
      isBlockBilling: true,
      effectiveDate: '2024-03-11T02:30:00.000Z',
      type: 'SUBSCRIPTION_BUNDLE',
      auditLogs: [],
    };
    for (const headers of [{}, aliasHeaders]) {
      expect((await serving.call('GET', location.pathname + location.search, { headers })).json).to.eql([
        held,
      ]);
    }
    const listed = async (query: string) =>
      (await read<readonly Json[]>(`/accounts/${accountId}/block?${query}`)).map(
        ({ stateName }) => stateName,
      );
    expect(await listed('')).to.eql(['ENT_STARTED', 'held', 'ENT_CANCELLED']);
    expect(await listed('blockingStateSvcs=fraud&blockingStateSvcs=late')).to.eql(['held']);
    const types = 'blockingStateTypes=ACCOUNT&blockingStateTypes=subscription';
    expect(await listed(types)).to.eql(['ENT_STARTED', 'ENT_CANCELLED']);
  });

  describe('with histories (accounts §14.1)', () => {
    interface Row {
      readonly changeType: string;
      readonly changedBy: string;
      readonly history: Json;
    }
    const historyOf = (path: string) => read<readonly (Row & Json)[]>(`${path}/auditLogsWithHistory`);

    /** Returns the object's own columns, and checks the columns that every history has. */
    function columnsOf(row: Row, tableName: string, historyTableName: string): Json {
      const { id, createdDate, updatedDate, recordId, accountRecordId, tenantRecordId, ...rest } =
        row.history;
      expect([id, createdDate, updatedDate]).to.eql([null, CREATED, CREATED]);
      for (const number of [recordId, accountRecordId, tenantRecordId]) expect(number).to.be.a('number');
      const { tableName: table, historyTableName: history, ...columns } = rest;
      expect([table, history]).to.eql([tableName, historyTableName]);
      return columns;
    }

    it('list the changes to a subscription in its history', async () => {
      const rows = await historyOf(`/subscriptions/${subscriptionId}`);
      const columns = {
        bundleId,
        externalKey: 'S',
        category: 'BASE',
        startDate: CREATED,
        bundleStartDate: CREATED,
        chargedThroughDate: null,
        migrated: false,
      };
      const shown = rows.map((row) => columnsOf(row, 'SUBSCRIPTIONS', 'SUBSCRIPTION_HISTORY'));
      // 19:30 on April 3, which is in daylight saving time.
      expect(shown).to.eql([columns, { ...columns, chargedThroughDate: '2024-04-04T02:30:00.000Z' }]);
      expect(rows.map(({ changeType, changedBy }) => `${changeType} ${changedBy}`)).to.eql([
        'INSERT demo',
        'UPDATE SubscriptionBaseTransition',
      ]);
      const recordIds = rows.map(({ history: { recordId } }) => recordId);
      expect(new Set(recordIds).size, 'of the subscription, not of the row').to.equal(1);
    });

    it('list the changes to an event and a state in their history, including the author and reason of the cancellation', async () => {
      const { events } = await read(`/subscriptions/${subscriptionId}?audit=FULL`);
      const rows = events as readonly (Json & { readonly auditLogs: readonly Json[] })[];
      const [stopped, ended] = rows.slice(-2);
      const log = (objectType: string, objectId: unknown, changeType = 'INSERT') => ({
        changeType,
        changeDate: CREATED,
        objectType,
        objectId,
        changedBy: 'bo',
        reasonCode: 'moves',
        comments: 'by phone',
        userToken: REQUEST_ID,
        history: null,
      });
      expect(ended?.auditLogs).to.eql([log('SUBSCRIPTION_EVENT', ended?.eventId)]);
      expect(stopped?.auditLogs).to.eql([log('BLOCKING_STATES', stopped?.eventId)]);

      const [event] = await historyOf(`/subscriptions/events/${ended?.eventId}`);
      if (event === undefined) throw new Error('the event has no history');
      expect({ ...event, history: null }).to.eql(log('SUBSCRIPTION_EVENT', ended?.eventId));
      expect(columnsOf(event, 'SUBSCRIPTION_EVENTS', 'SUBSCRIPTION_EVENT_HISTORY')).to.eql({
        totalOrdering: 3,
        eventType: 'API_USER',
        userType: 'CANCEL',
        effectiveDate: '2024-04-21T02:30:00.000Z',
        subscriptionId,
        planName: null,
        phaseName: null,
        priceListName: null,
        billingCycleDayLocal: null,
        quantity: null,
        isActive: true,
      });
      const next = rows.find(({ eventType }) => eventType === 'PHASE');
      const [phase] = await historyOf(`/subscriptions/events/${next?.eventId}`);
      expect(phase?.history).to.include({
        totalOrdering: 2,
        eventType: 'PHASE',
        userType: null,
        phaseName: 'solo-monthly-evergreen',
        isActive: true,
      });
      const [state] = await historyOf(`/accounts/block/${stopped?.eventId}`);
      if (state === undefined) throw new Error('the state has no history');
      expect(columnsOf(state, 'BLOCKING_STATES', 'BLOCKING_STATE_HISTORY')).to.eql({
        blockableId: subscriptionId,
        type: 'SUBSCRIPTION',
        state: 'ENT_CANCELLED',
        service: 'entitlement-service',
        blockChange: true,
        blockEntitlement: true,
        blockBilling: false,
        effectiveDate: '2024-04-21T02:30:00.000Z',
        isActive: true,
      });
    });

    it('record an undone change in the history as an inactive update that the audit level MINIMAL omits', async () => {
      const body = { accountId, planName: 'solo-now', externalKey: 'back' };
      const path = `/subscriptions/${createdId(await send('POST', '/subscriptions', { body }))}`;
      const end = 'requestedDate=2024-04-20&useRequestedDateForBilling=true';
      expect((await send('DELETE', `${path}?${end}`)).status).to.equal(204);
      const ids = ((await read(path)).events as readonly Json[]).slice(-2).map(({ eventId }) => eventId);
      expect((await send('PUT', `${path}/uncancel`)).status).to.equal(204);
      const [stopped, ended] = ids;
      const activity = async (of: string) =>
        (await historyOf(of)).map(({ changeType, history: { isActive } }) => [changeType, isActive]);
      const back = [
        ['INSERT', true],
        ['UPDATE', false],
      ];
      expect(await activity(`/subscriptions/events/${ended}`)).to.eql(back);
      expect(await activity(`/accounts/block/${stopped}`)).to.eql(back);
    });

    it('list the new key in the history of a renamed bundle', async () => {
      const body = { accountId, planName: 'kit-monthly', bundleExternalKey: 'K1' };
      const made = createdId(await send('POST', '/subscriptions', { body }));
      const path = `/bundles/${(await read(`/subscriptions/${made}`)).bundleId}`;
      expect((await send('PUT', `${path}/renameKey`, { body: { externalKey: 'K2' } })).status).to.equal(204);
      const dates = { lastSysUpdateDate: CREATED, originalCreatedDate: CREATED };
      const columns = { externalKey: 'K1', accountId, ...dates };
      const rows = await historyOf(path);
      expect(rows.map((row) => columnsOf(row, 'BUNDLES', 'BUNDLE_HISTORY'))).to.eql([
        columns,
        { ...columns, externalKey: 'K2' },
      ]);
      const levels = async (level: string) =>
        ((await read(`${path}?audit=${level}`)).auditLogs as readonly Json[]).map(
          ({ changeType }) => changeType,
        );
      expect(await levels('MINIMAL')).to.eql(['INSERT']);
      expect(await levels('FULL')).to.eql(['INSERT', 'UPDATE']);
    });
  });

  describe('models reused as input (json-models §16 rule 1)', () => {
    let path: string;
    let shown: Json;
    before(async () => {
      const body = { accountId, planName: 'solo-now', externalKey: 'sent', bundleExternalKey: 'sent too' };
      path = `/subscriptions/${createdId(await send('POST', '/subscriptions', { body }))}`;
      await serving.billing.settle();
    });
    beforeEach(async () => {
      shown = await read(path);
    });

    const writes = [
      ['', {}],
      ['/bcd', { billCycleDayLocal: 12 }],
      ['/quantity', { quantity: 2 }],
    ] as const;
    for (const [sub, change] of writes) {
      for (const [dialect, headers] of dialects)
        it(`are accepted by PUT /subscriptions/{id}${sub} unchanged in dialect ${dialect}`, async () => {
          const body = { ...(await read(`${path}?audit=FULL`, headers)), ...change };
          expectRefusal(await send('PUT', path + sub, { body, headers }), 204, undefined);
        });

      it(`are rejected by PUT /subscriptions/{id}${sub} if an immutable field differs`, async () => {
        const others = {
          accountId: bundleId,
          bundleId,
          externalKey: 'another',
          bundleExternalKey: 'B',
          productCategory: 'STANDALONE',
        };
        for (const [field, value] of Object.entries(others)) {
          const body = { planName: 'team-now', billCycleDayLocal: 9, quantity: 9, [field]: value };
          expect(outcomeOf(await send('PUT', path + sub, { body })), field).to.eql([400, 60003]);
        }
        expect(await read(path)).to.eql(shown);
      });
    }

    it('are accepted unchanged by PUT /bundles/{id}/renameKey', async () => {
      const of = `/bundles/${shown.bundleId}`;
      const body = { ...(await read(`${of}?audit=FULL`)), externalKey: 'renamed' };
      expectRefusal(await send('PUT', `${of}/renameKey`, { body }), 204, undefined);
      expect((await read(of)).externalKey).to.equal('renamed');
    });
  });
});
