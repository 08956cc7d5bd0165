import type {
  GatewayRequest,
  InvoiceFormatterContext,
  InvoiceForPlugins,
  InvoicePluginContext,
} from '../../lib/index.ts';
import { Decimal } from '../../lib/index.ts';
import { HOSTILE, HostileHost } from '../support/hostile-host.ts';
import {
  type HostOperation,
  type HostStage,
  hostOperations,
  openHostStage,
} from '../support/hosts/host-operations.ts';
import { anyDatabase, expect, openEngine } from '../support/index.ts';
import { MeteringSource } from '../support/usage/metering-source.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

/** Returns the dates in a value with their form, including numbers as large as the engine's dates. */
function datesIn(value: unknown, path: string): readonly string[] {
  if (value instanceof Date) return [`${path} Date`];
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d$/.test(value) ? [`${path} text`] : [];
  if (typeof value === 'number') return value > 10_000 ? [`${path} number`] : [];
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return [];
  if (value instanceof Uint8Array) return [];
  if (Array.isArray(value)) return value.flatMap((each) => datesIn(each, `${path}[]`));
  return Object.entries(value).flatMap(([name, each]) => datesIn(each, `${path}.${name}`));
}

const invoice = (path: string): readonly string[] =>
  [
    'commitDate text',
    'createdDate Date',
    'invoiceDate text',
    'targetDate text',
    'items[].catalogEffectiveDate Date',
    'items[].createdDate Date',
    'items[].endDate text',
    'items[].startDate text',
  ].map((each) => `${path}.${each}`);
const ofInvoicePlugin = (path: string) => [`${path}.now Date`, `${path}.targetDate text`];
const withInvoice = [...invoice('0'), ...ofInvoicePlugin('3'), ...invoice('3.invoice')];
const outcome = [...ofInvoicePlugin('0'), ...invoice('0.invoice')];
const ofOperation = ['0.terms.requestedDate.date text', '1.now Date'];

const gatewayCalls = [
  'purchase',
  'authorize',
  'capture',
  'void',
  'credit',
  'refund',
  'getPaymentInfo',
  'addPaymentMethod',
  'deletePaymentMethod',
  'setDefaultPaymentMethod',
  'getPaymentMethodDetail',
  'getPaymentMethods',
  'resetPaymentMethods',
  'searchPaymentMethods',
  'searchPayments',
  'buildFormDescriptor',
  'processNotification',
  'verifyNotification',
];

/** Dates that each member of the host's code receives. */
const expected: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(gatewayCalls.map((name) => [`gateway.${name}`, ['1.now Date']])),
  'control.priorCall': [],
  'control.onSuccessCall': [],
  'control.onFailureCall': [],
  'invoicePlugin.priorCall': ofInvoicePlugin('0'),
  'invoicePlugin.getAdditionalInvoiceItems': withInvoice,
  'invoicePlugin.getInvoiceGrouping': withInvoice,
  'invoicePlugin.onSuccessCall': outcome,
  'invoicePlugin.onFailureCall': outcome,
  'entitlementPlugin.before.CREATE': [
    '0.terms.billingDate.at Date',
    '0.terms.entitlementDate.date text',
    '1.now Date',
  ],
  'entitlementPlugin.before.CHANGE_PLAN': ofOperation,
  'entitlementPlugin.before.CANCEL': ofOperation,
  'entitlementPlugin.before.PAUSE': ofOperation,
  'entitlementPlugin.failed': ['0.terms.entitlementDate.date text', '2.now Date'],
  'catalogPlugin.latestVersion': ['0.now Date'],
  'catalogPlugin.catalog': ['0.now Date'],
  'sink.onEvent': ['0.createdDate Date'],
  subscriber: ['0.createdDate Date'],
  'formatter.date': ['0 text'],
  'renderer.pdf': ['0.createdDate Date'],
};

anyDatabase.describe('values exchanged with host code (lib/ports)', (open) => {
  const host = new HostileHost();
  const found = new Map<string, Set<string>>();
  let stage: HostStage;

  before(async () => {
    host.observe = (member, given) => {
      const dates = found.get(member) ?? new Set();
      found.set(member, dates);
      for (const date of given.flatMap((each, index) => datesIn(each, String(index)))) dates.add(date);
    };
    stage = await openHostStage(host, open);
  });
  after(() => stage.billing.close());

  const create: HostOperation = ({ acme, accountId }) =>
    acme.createSubscription(
      { accountId, planName: 'solo-now' },
      { entitlementDate: '2024-01-01', billingDate: new Date('2024-01-01T00:00:00Z') },
    );
  const newAccount = async ({ acme }: HostStage) => (await acme.createAccount({ currency: 'USD' })).id;
  const bill = async ({ acme, settle, ...others }: HostStage) => {
    const accountId = await newAccount({ acme, settle, ...others });
    await acme.createSubscription({ accountId, planName: 'solo-now' });
    await settle();
    return acme.invoices.ofAccount({ accountId, withItems: true });
  };
  const declined = ({ acme, accountId }: HostStage) =>
    acme.payments.purchase({
      accountId,
      amount: '10',
      controlPlugins: [HOSTILE],
      properties: [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true', isUpdatable: false }],
    });
  const edit: HostOperation = async ({ acme, accountId }) => {
    const { bundleId, subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
    const requestedDate = '2024-03-01';
    await acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now', requestedDate });
    await acme.blocking.pauseBundle(bundleId, { requestedDate });
    await acme.subscriptions.cancel(subscriptionId, { requestedDate });
  };
  const failing =
    (member: string, answer: unknown, operation: HostOperation): HostOperation =>
    (given) =>
      host.while(
        member,
        () => answer,
        () => operation(given).catch(() => undefined),
      );

  const operations: Readonly<Record<string, HostOperation>> = {
    ...hostOperations,
    'control.onFailureCall': declined,
    'invoicePlugin.onFailureCall': failing('invoicePlugin.getAdditionalInvoiceItems', 'no', bill),
    'entitlementPlugin.before.CREATE': create,
    'entitlementPlugin.before.CHANGE_PLAN': edit,
    'entitlementPlugin.before.CANCEL': edit,
    'entitlementPlugin.before.PAUSE': edit,
    'entitlementPlugin.failed': failing('entitlementPlugin.before.CREATE', { abort: 'no' }, create),
  };

  for (const [member, dates] of Object.entries(expected))
    it(`are plain data in ${member}`, async () => {
      for (let turn = 0; turn < 20 && !dates.every((date) => found.get(member)?.has(date)); turn += 1)
        await operations[member]?.(stage);
      expect([...(found.get(member) ?? ['not called'])].toSorted()).to.include.members([...dates]);
      expect([...(found.get(member) ?? [])].filter((date) => date.endsWith('number'))).to.eql([]);
    });

  it('are plain data in the invoices that a plugin reads on demand', async () => {
    await bill(stage);
    const seen: InvoiceForPlugins[] = [];
    const read = async (...[, , , context]: readonly [unknown, unknown, unknown, InvoicePluginContext]) => {
      for await (const each of context.existingInvoices()) seen.push(each);
    };
    const accountId = await newAccount(stage);
    const { acme, settle } = stage;
    await acme.createSubscription({ accountId, planName: 'solo-now' });
    await settle();
    await acme.createSubscription({ accountId, planName: 'team-now' });
    await host.while('invoicePlugin.getAdditionalInvoiceItems', read as never, settle);
    expect([...new Set(datesIn(seen, ''))]).to.include.members(invoice('[]'));
  });

  it('are plain data in a host formatter and in the built-in formatter that the host formatter uses', async () => {
    const { acme, invoiceId } = stage;
    const text = ({ builtIn }: InvoiceFormatterContext) => ({
      date: (date: string) => `${date} ${builtIn.date(date)}`,
      period: (start: string, end: string) => `${start} ${end} ${builtIn.period(start, end)}`,
    });
    await host.while('formatterFactory.formatter', text as never, async () => {
      const html = await acme.invoices.html(invoiceId);
      expect(html).to.contain('2024-01-01 Jan 1, 2024');
      expect(html).to.contain('2024-01-01 2024-01-31 Jan 1');
    });
    const wrong = ({ builtIn }: InvoiceFormatterContext) => ({ date: () => builtIn.date('soon') });
    await host.while('formatterFactory.formatter', wrong as never, async () =>
      expect(await messageOf(() => acme.invoices.html(invoiceId))).to.contain('"hostile" failed in date'),
    );
  });

  it('are plain data for a usage source, whose records may have instants as strings or Date objects', async () => {
    const source = new MeteringSource();
    const now = '2026-04-01T00:00:00Z';
    const engine = await openEngine(open, { now, catalog: usageCatalog, usageSources: [source] });
    const { id: accountId } = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'sms-payg' });
    source.addUp(() => null);
    const record = { subscriptionId, unitType: 'sms', amount: '100' };
    source.records = [
      { ...record, instant: '2026-04-03T00:00:00Z', trackingId: 'a' },
      { ...record, instant: new Date('2026-04-04'), trackingId: 'b' },
    ];
    await engine.runTo('2026-05-01T00:00:00Z');
    const period = { startDate: '2026-04-01', endDate: '2026-05-01' };
    const { rolledUpUnits } = await engine.acme.usage.rollUp(subscriptionId, period);
    expect(rolledUpUnits.map(({ amount }) => Number(amount))).to.eql([200]);
    const [invoice] = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoice && (await engine.acme.getInvoice(invoice.id)).trackingIds).to.eql(['a', 'b']);
    const sourceCalls = source.calls.map(({ member, range, context, requests }) => [
      member,
      ...new Set([
        ...datesIn(range, 'range'),
        ...datesIn(context, 'context'),
        ...datesIn(requests, 'requests'),
      ]),
    ]);
    const range = ['range.start Date', 'range.end Date'];
    const context = ['context.inputTargetDate text', 'context.now Date'];
    expect(sourceCalls).to.deep.include.members([
      ['getAggregatedUsage', ...context, 'requests[].start Date', 'requests[].end Date'],
      ['getUsageForAccount', ...range, ...context],
      ['getUsageForSubscription', ...range, 'context.now Date'],
    ]);
    source.records = [{ ...record, instant: 'soon' }];
    const wrong = () => engine.acme.invoices.generate({ accountId, targetDate: '2026-06-01' });
    expect(await messageOf(wrong)).to.contain('returned records[0].instant that is not an instant');
  });

  const messageOf = (operation: () => Promise<unknown>): Promise<string> =>
    operation().then(
      () => 'no error',
      (error: unknown) => String(error),
    );

  it('can be strings or Date objects in the result of a gateway', async () => {
    const result = ({ paymentId, transactionId }: GatewayRequest) => ({
      kbPaymentId: paymentId,
      kbTransactionPaymentId: transactionId,
      transactionType: 'PURCHASE',
      status: 'PROCESSED',
      amount: '9.50',
      createdDate: '2024-01-01',
      effectiveDate: new Date('2024-01-01'),
      properties: [],
    });
    const { acme, accountId } = stage;
    await host.while('gateway.purchase', result as never, async () => {
      const { transaction } = await acme.payments.purchase({ accountId, amount: '10' });
      expect(`${transaction.status} ${transaction.processedAmount}`).to.equal('SUCCESS 9.5');
    });
  });

  const retryDates: readonly (readonly [nextRetryDate: Date | string, scheduled: Date | null])[] = [
    ['2024-01-05T10:00:00Z', new Date('2024-01-05T10:00:00Z')],
    [new Date('2024-01-06T10:00:00Z'), new Date('2024-01-06T10:00:00Z')],
    ['soon', null],
  ];
  for (const [nextRetryDate, scheduled] of retryDates)
    it(`${scheduled === null ? 'cannot' : 'can'} be ${String(nextRetryDate)} as the retry date of a payment control`, async () => {
      await host.while(
        'control.onFailureCall',
        () => ({ nextRetryDate }),
        async () => {
          host.logger.lines.length = 0;
          const { payment } = await declined(stage);
          const { attempts } = await stage.acme.payments.get(payment.id, { withAttempts: true });
          const dates = attempts?.filter(({ stateName }) => stateName === 'SCHEDULED');
          expect(dates?.map(({ effectiveDate }) => effectiveDate)).to.eql(
            scheduled === null ? [] : [scheduled],
          );
          const logged = JSON.stringify(host.logger.lines.map(({ fields }) => fields));
          expect(logged.includes('nextRetryDate must be a Date or an instant as text')).to.equal(
            scheduled === null,
          );
        },
      );
    });

  it('can be strings or Date objects in the terms that an entitlement plugin replaces', async () => {
    const { acme, accountId } = stage;
    const replace = {
      entitlementDate: '2024-02-01',
      billingDate: new Date('2024-02-10T00:00:00Z'),
      subscriptions: [
        { planName: 'solo-now', priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '7.50' }] },
      ],
    };
    await host.while(
      'entitlementPlugin.before.CREATE',
      () => ({ replace }),
      async () => {
        const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'team-now' });
        const { start, billingStart, planName } = await acme.getSubscription(subscriptionId);
        expect([start?.date, billingStart?.date]).to.eql(['2024-02-01', '2024-02-10']);
        expect(planName).to.match(/^solo-now-/);
      },
    );
  });

  it('can be strings or Date objects in the results of an invoice plugin', async () => {
    const item = {
      itemType: 'TAX',
      amount: '1.10',
      startDate: '2024-01-15',
      catalogEffectiveDate: new Date(0),
    };
    await host.while(
      'invoicePlugin.getAdditionalInvoiceItems',
      () => ({ items: [item] }),
      async () => {
        const [first] = await bill(stage);
        const tax = first?.items.find(({ itemType }) => itemType === 'TAX');
        expect([tax?.startDate, tax?.catalogEffectiveDate]).to.eql(['2024-01-15', new Date(0)]);
      },
    );
    const parked = async () => (await stage.acme.invoices.parked({ offset: 0, limit: 10 })).rows;
    const before = await parked();
    for (const rescheduleDate of ['2024-02-01T00:00:00Z', new Date('2024-02-01')])
      await host.while(
        'invoicePlugin.priorCall',
        () => ({ rescheduleDate }),
        async () => {
          expect(await bill(stage)).to.eql([]);
          expect(await parked()).to.eql(before);
        },
      );
  });

  const generate: HostOperation = async (given) => {
    const accountId = await newAccount(given);
    await given.acme.createSubscription({ accountId, planName: 'solo-now' });
    return given.acme.invoices.generate({ accountId, targetDate: '2024-01-01' });
  };
  const refused: readonly (readonly [
    member: string,
    answer: object,
    operation: HostOperation,
    message: string,
  ])[] = [
    [
      'invoicePlugin.priorCall',
      { rescheduleDate: 'soon' },
      generate,
      'The invoice plugin "hostile" returned a "rescheduleDate" that is neither a valid Date nor ISO text (priorCall)',
    ],
    [
      'invoicePlugin.getAdditionalInvoiceItems',
      { items: [{ itemType: 'TAX', amount: '1', startDate: '2024-02-30' }] },
      generate,
      'The answer of invoice plugin "hostile" is invalid: items[0].startDate must be a date as text such as "2024-03-01", not "2024-02-30"',
    ],
    [
      'entitlementPlugin.before.CREATE',
      { replace: { billingDate: 'soon' } },
      create,
      'The entitlement plugin "hostile" replaced terms with an invalid value: billingDate must be a date as text',
    ],
  ];
  for (const [member, answer, operation, message] of refused)
    it(`are rejected in ${member} if they are not valid dates`, () =>
      host.while(
        member,
        () => answer,
        async () => expect(await messageOf(() => operation(stage))).to.contain(message),
      ));
});
