import type {
  EntitlementCall,
  EntitlementPlugin,
  EntitlementPluginContext,
  EntitlementRules,
  EntitlementSuccess,
  TenantBilling,
  Uuid,
} from '../../lib/index.ts';
import { BillingError, decimal, EntitlementOperation, localDate } from '../../lib/index.ts';
import { ENTITLEMENT_PLUGIN_TIMEOUT_MS } from '../../lib/subscriptions/operations/entitlement-control.ts';
import type { TestEngine } from '../support/index.ts';
import { busEvents, codeOf, eachDatabaseByTurns, expect, expectCode, openEngine } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { openShop } from '../support/shop.ts';

type Rules = { -readonly [Name in keyof EntitlementRules]: EntitlementRules[Name] };

/** A plugin whose rules a test sets, and which records its calls. */
class Scripted implements EntitlementPlugin {
  readonly name: string;
  readonly before: Rules = {};
  readonly successes: EntitlementSuccess[] = [];
  readonly failures: (readonly [call: EntitlementCall, error: unknown])[] = [];
  readonly contexts: EntitlementPluginContext[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async succeeded(done: EntitlementSuccess, context: EntitlementPluginContext): Promise<void> {
    this.successes.push(done);
    this.contexts.push(context);
  }

  async failed(call: EntitlementCall, error: unknown): Promise<void> {
    this.failures.push([call, error]);
  }

  outcomes(): readonly string[] {
    return [
      ...this.successes.map(({ operation }) => `${operation} done`),
      ...this.failures.map(([call, error]) => `${call.operation} ${Reflect.get(error as object, 'code')}`),
    ];
  }

  forget(): void {
    for (const operation of Object.values(EntitlementOperation)) delete this.before[operation];
    this.successes.length = 0;
    this.failures.length = 0;
    this.contexts.length = 0;
  }
}

const day = (month: number, dayOfMonth: number) => ({ date: localDate(2024, month, dayOfMonth) });
const farAway = { date: localDate(9000, 1, 1) };

eachDatabaseByTurns.describe('entitlement plugins (subscriptions §22)', (open) => {
  let engine: TestEngine;
  let acme: TenantBilling;
  let first: Scripted;
  let second: Scripted;
  let account: Account;
  let target: Account;
  let bundleId: Uuid;
  let subscriptionId: Uuid;

  before(async () => {
    first = new Scripted('first');
    second = new Scripted('second');
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', entitlementPlugins: [first, second] });
    acme = engine.acme;
  });

  const forget = () => {
    for (const plugin of [first, second]) plugin.forget();
  };

  beforeEach(async () => {
    forget();
    account = await acme.createAccount({ currency: 'USD' });
    target = await acme.createAccount({ currency: 'USD' });
    const request = { accountId: account.id, planName: 'solo-now' };
    const order = { entitlementDate: day(1, 1), billingDate: day(1, 1) };
    ({ bundleId, subscriptionId } = await acme.createSubscription(request, order));
    await engine.settle();
    forget();
  });

  async function stored(): Promise<unknown> {
    return [
      await acme.subscriptions.bundlesOfAccount(account.id),
      await acme.subscriptions.bundlesOfAccount(target.id),
      await acme.blocking.ofAccount(account.id),
      await acme.audit.ofAccount(account.id),
      (await busEvents(engine.database)).length,
    ];
  }

  async function timeline(of = account): Promise<readonly string[]> {
    const bundles = await acme.subscriptions.bundlesOfAccount(of.id);
    return bundles.flatMap(({ subscriptions }) =>
      subscriptions.flatMap(({ events }) =>
        events.map(({ eventType, effective, plan }) =>
          [eventType, effective.date, plan].filter(Boolean).join(' '),
        ),
      ),
    );
  }

  interface Case {
    /** Creates the preconditions. */
    prepare?(): Promise<unknown>;
    run(): Promise<unknown>;
    /** Makes the same call, rejected by the rules of the operation. */
    refused(): Promise<unknown>;
    readonly refusal: number;
    readonly subject?: 'bundle' | 'account';
  }

  const twice = async (call: () => Promise<unknown>) => {
    await call();
    forget();
    await call();
  };
  const hold = (more: object) =>
    acme.blocking.add(
      { type: 'SUBSCRIPTION', id: subscriptionId },
      { service: 'fraud', stateName: 'HELD', ...more },
    );
  const cases: Readonly<Record<EntitlementOperation, Case>> = {
    CREATE: {
      run: () => acme.createSubscription({ accountId: account.id, planName: 'solo-now' }),
      refused: () => acme.createSubscription({ accountId: account.id, planName: 'none' }),
      refusal: 2021,
      subject: 'account',
    },
    CHANGE_PLAN: {
      run: () => acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now' }),
      refused: () => acme.subscriptions.changePlan(subscriptionId, { planName: 'none' }),
      refusal: 2021,
    },
    UNDO_CHANGE_PLAN: {
      prepare: () =>
        acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now', requestedDate: day(3, 1) }),
      run: () => acme.subscriptions.undoChangePlan(subscriptionId),
      refused: () => twice(() => acme.subscriptions.undoChangePlan(subscriptionId)),
      refusal: 1071,
    },
    CANCEL: {
      run: () => acme.subscriptions.cancel(subscriptionId),
      refused: () => acme.subscriptions.cancel(subscriptionId, { requestedDate: farAway }),
      refusal: 60_002,
    },
    UNCANCEL: {
      prepare: () => {
        const options = { requestedDate: day(3, 1), useRequestedDateForBilling: true };
        return acme.subscriptions.cancel(subscriptionId, options);
      },
      run: () => acme.subscriptions.uncancel(subscriptionId),
      refused: () => twice(() => acme.subscriptions.uncancel(subscriptionId)),
      refusal: 8004,
    },
    PAUSE: {
      run: () => acme.blocking.pauseBundle(bundleId),
      refused: () => acme.blocking.pauseBundle(bundleId, { requestedDate: farAway }),
      refusal: 60_002,
      subject: 'bundle',
    },
    RESUME: {
      prepare: () => acme.blocking.pauseBundle(bundleId),
      run: () => acme.blocking.resumeBundle(bundleId, { requestedDate: day(2, 1) }),
      refused: () => acme.blocking.resumeBundle(bundleId, { requestedDate: farAway }),
      refusal: 60_002,
      subject: 'bundle',
    },
    TRANSFER: {
      run: () => acme.bundles.transfer(bundleId, { accountId: target.id }),
      refused: () => acme.bundles.transfer(bundleId, { accountId: account.id }),
      refusal: 60_003,
      subject: 'bundle',
    },
    RENAME_KEY: {
      run: () => acme.bundles.renameKey(bundleId, `renamed ${bundleId}`),
      refused: async () => {
        const other = await acme.createSubscription({ accountId: account.id, planName: 'solo-now' });
        forget();
        await acme.bundles.renameKey(bundleId, other.bundleId);
      },
      refusal: 1014,
      subject: 'bundle',
    },
    ADD_BLOCKING_STATE: {
      run: () => hold({ isBlockBilling: true }),
      refused: () => hold({ requestedDate: farAway }),
      refusal: 60_002,
    },
  };

  for (const operation of Object.values(EntitlementOperation)) {
    const { prepare, run, refused, refusal, subject } = cases[operation];
    const start = async (): Promise<void> => {
      await engine.settle(prepare?.());
      forget();
    };

    it(`are all informed if one of them aborts ${operation}, and nothing is stored`, async () => {
      await start();
      const before = await stored();
      second.before[operation] = async () => ({ abort: 'not today' });
      const error: unknown = await run().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(BillingError).and.to.include({ code: 8003 });
      expect(String(error)).to.contain('"second" aborted the operation: not today');
      expect(await stored()).to.eql(before);
      expect(first.outcomes()).to.eql([`${operation} 8003`]);
      expect(second.outcomes()).to.eql([`${operation} 8003`]);
    });

    it(`are called for ${operation} up to the plugin that aborts it`, async () => {
      await start();
      first.before[operation] = async () => ({ abort: 'no' });
      await expectCode(run(), 8003);
      expect(first.outcomes()).to.eql([`${operation} 8003`]);
      expect(second.outcomes()).to.eql([]);
    });

    it(`are informed of the success of ${operation}, including its objects`, async () => {
      await start();
      await run();
      expect(first.outcomes()).to.eql([`${operation} done`]);
      expect(second.outcomes()).to.eql([`${operation} done`]);
      expect(first.successes[0]).to.include({
        accountId: account.id,
        bundleId: subject === 'account' ? null : bundleId,
        subscriptionId: subject === undefined ? subscriptionId : null,
      });
    });

    it(`are informed if the engine itself rejects ${operation}`, async () => {
      await start();
      await expectCode(refused(), refusal);
      expect(first.outcomes()).to.eql([`${operation} ${refusal}`]);
      expect(second.outcomes()).to.eql([`${operation} ${refusal}`]);
    });
  }

  describe('with replaced terms', () => {
    it('can set the plan, dates and prices of CREATE, each starting from the result of the previous plugin', async () => {
      first.before.CREATE = async ({ terms }) => {
        expect(terms.subscriptions).to.eql([{ planName: 'solo-now' }]);
        return { replace: { subscriptions: [{ planName: 'team-now' }] } };
      };
      second.before.CREATE = async ({ terms, given }) => {
        expect(terms.subscriptions).to.eql([{ planName: 'team-now' }]);
        expect(given).to.eql([{ bundleId: undefined, bundleExternalKey: undefined, externalKey: 'mine' }]);
        const [only] = terms.subscriptions;
        const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: decimal('11') }];
        return {
          replace: {
            subscriptions: [{ ...only, priceOverrides }],
            entitlementDate: day(2, 1),
            billingDate: day(2, 2),
          },
        };
      };
      const request = { accountId: account.id, planName: 'solo-now', externalKey: 'mine' };
      const created = await acme.createSubscription(request);
      const view = await acme.getSubscription(created.subscriptionId);
      expect(view.externalKey).to.equal('mine');
      expect(view.planName).to.match(/^team-now-\d+$/);
      expect(view.prices.map(({ recurringPrice }) => String(recurringPrice))).to.eql(['11']);
      expect(view.events.map(({ eventType, effective }) => `${eventType} ${effective.date}`)).to.eql([
        'START_ENTITLEMENT 2024-02-01',
        'START_BILLING 2024-02-02',
      ]);
      expect(first.successes[0]).to.deep.include({
        result: [{ bundleId: created.bundleId, subscriptionIds: [created.subscriptionId] }],
      });
    });

    it('can set the terms of each subscription separately if CREATE covers several bundles', async () => {
      first.before.CREATE = async ({ terms }) => ({
        replace: {
          subscriptions: terms.subscriptions.map((each) =>
            each.planName === 'solo-now' ? { planName: 'pro-monthly' } : each,
          ),
        },
      });
      const of = { accountId: account.id };
      const bundles = await acme.subscriptions.createBundles([
        [{ ...of, planName: 'solo-now', bundleExternalKey: `A ${bundleId}` }],
        [{ ...of, planName: 'team-now', bundleExternalKey: `B ${bundleId}` }],
      ]);
      const plans = await Promise.all(
        bundles.map(async ({ subscriptionIds: [id] }) => id && (await acme.getSubscription(id)).planName),
      );
      expect(plans).to.eql(['pro-monthly', 'team-now']);
      const base = await acme.subscriptions.createWithAddOns([{ ...of, planName: 'solo-now' }]);
      expect((await acme.bundles.get(base.bundleId)).subscriptions[0]?.planName).to.equal('pro-monthly');
      expect(first.outcomes()).to.eql(['CREATE done', 'CREATE done']);
    });

    it('can set the plan of CHANGE_PLAN, and a date instead of a policy', async () => {
      first.before.CHANGE_PLAN = async () => ({
        replace: { planName: 'pro-monthly', billingPolicy: null, requestedDate: day(2, 10) },
      });
      const change = { planName: 'team-now', billingPolicy: 'IMMEDIATE' } as const;
      const { effective } = await acme.subscriptions.changePlan(subscriptionId, change);
      expect(effective.date).to.equal('2024-02-10');
      expect(await timeline()).to.include('CHANGE 2024-02-10 pro-monthly');
    });

    it('can set the date and policy of CANCEL', async () => {
      first.before.CANCEL = async () => ({
        replace: { billingPolicy: 'END_OF_TERM', requestedDate: day(1, 20) },
      });
      const ends = await acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      expect(ends.entitlementEnd.date).to.equal('2024-01-20');
      expect(ends.billingEnd.date).to.equal('2024-02-01');
    });

    it('can set the date of PAUSE, RESUME and ADD_BLOCKING_STATE', async () => {
      first.before.PAUSE = async () => ({ replace: { requestedDate: day(2, 3) } });
      first.before.RESUME = async () => ({ replace: { requestedDate: day(2, 5) } });
      first.before.ADD_BLOCKING_STATE = async ({ given }) => {
        expect(given).to.include({ service: 'fraud', stateName: 'HELD', type: 'ACCOUNT', id: account.id });
        return { replace: { requestedDate: day(2, 7) } };
      };
      await acme.blocking.pauseBundle(bundleId);
      await acme.blocking.resumeBundle(bundleId);
      await acme.blocking.add({ type: 'ACCOUNT', id: account.id }, { service: 'fraud', stateName: 'HELD' });
      expect(await timeline()).to.include.members([
        'PAUSE_BILLING 2024-02-03 solo-now',
        'RESUME_BILLING 2024-02-05 solo-now',
        'SERVICE_STATE_CHANGE 2024-02-07 solo-now',
      ]);
    });

    it('can set the date and policy of TRANSFER', async () => {
      engine.clock.set('2024-01-10T00:00:00Z');
      first.before.TRANSFER = async ({ given }) => {
        expect(given).to.eql({ accountId: target.id });
        return { replace: { requestedDate: day(1, 5), billingPolicy: 'IMMEDIATE' } };
      };
      const newId = await acme.bundles.transfer(bundleId, { accountId: target.id });
      expect(await timeline()).to.include('STOP_BILLING 2024-01-05 solo-now');
      expect((await timeline(target))[0]).to.contain('2024-01-05');
      expect(first.successes[0]).to.deep.include({ result: { bundleId: newId } });
    });

    it('set terms that are validated like the terms of callers, and store nothing if the terms are invalid', async () => {
      const before = await stored();
      first.before.CHANGE_PLAN = async () => ({ replace: { planName: 'none' } });
      await expectCode(acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now' }), 2021);
      first.before.CANCEL = async () => ({ replace: { billingPolicy: 'ILLEGAL' } });
      await expectCode(acme.subscriptions.cancel(subscriptionId), 60_002);
      expect(await stored()).to.eql(before);
    });
  });

  describe('with faults', () => {
    const cancel = () => acme.subscriptions.cancel(subscriptionId, { entitlementPolicy: 'IMMEDIATE' });

    it('cause a clear error with the original cause if they throw, without storing anything or calling another plugin', async () => {
      const before = await stored();
      const cause = new Error('no connection');
      first.before.CANCEL = () => {
        throw cause;
      };
      const error: unknown = await cancel().catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 60_000 });
      const { name, message, stack } = cause;
      expect((error as Error).cause).to.include({ name, message, stack });
      expect(String(error)).to.contain('The entitlement plugin "first" failed');
      expect(await stored()).to.eql(before);
      expect(second.outcomes()).to.eql([]);
    });

    const wrong: readonly (readonly [what: string, decision: unknown])[] = [
      ['no object', 'no'],
      ['an unknown decision', { refuse: 'x' }],
      ['two decisions', { abort: 'x', replace: {} }],
      ['an abort without a reason', { abort: '' }],
      ['a replacement that is not an object', { replace: [] }],
      ['an unknown term', { replace: { accountId: 'x' } }],
      ['a member of Object.prototype', { replace: { toString: null } }],
      ['an unknown policy', { replace: { billingPolicy: 'SOON' } }],
      ['a date that does not exist', { replace: { requestedDate: '2024-02-30' } }],
      ['a date as a number', { replace: { requestedDate: 19_753 } }],
    ];
    for (const [what, decision] of wrong)
      it(`cause a clear error and store nothing if they return ${what}`, async () => {
        const before = await stored();
        first.before.CANCEL = async () => decision as never;
        await expectCode(cancel(), 60_000);
        expect(await stored()).to.eql(before);
      });

    it('cause a clear error if they change the terms of subscriptions outside the call', async () => {
      for (const subscriptions of [[], [{ planName: 'team-now', accountId: target.id }], null]) {
        first.before.CREATE = async () => ({ replace: { subscriptions } }) as never;
        await expectCode(cases.CREATE.run(), 60_000);
      }
    });

    it('cause a clear error and store nothing if they do not respond in time', async () => {
      const before = await stored();
      const timers: (() => void)[] = [];
      const { after } = engine.systemClock;
      Object.assign(engine.systemClock, {
        after: (delayMs: number, action: () => void) => {
          if (delayMs !== ENTITLEMENT_PLUGIN_TIMEOUT_MS) return after(delayMs, action);
          timers.push(action);
          return () => undefined;
        },
      });
      first.before.CANCEL = () => new Promise(() => undefined);
      const call = cancel().catch((thrown: unknown) => thrown);
      while (timers.length === 0) await engine.systemClock.nextTurn();
      for (const timer of timers) timer();
      const error = await call;
      Object.assign(engine.systemClock, { after });
      expect(error).to.include({ code: 60_000 });
      expect(String(error)).to.contain('"first" did not answer within 10 s');
      expect(await stored()).to.eql(before);
    });

    it('may throw when they are informed of the outcome, without affecting the result or other plugins', async () => {
      const lines = engine.logger.lines.length;
      first.succeeded = () => Promise.reject(new Error('no connection'));
      first.failed = () => Promise.reject(new Error('no connection'));
      try {
        await cancel();
        expect(second.outcomes()).to.eql(['CANCEL done']);
        await expectCode(cancel(), 1031);
      } finally {
        Reflect.deleteProperty(first, 'succeeded');
        Reflect.deleteProperty(first, 'failed');
      }
      const logged = engine.logger.lines.slice(lines).filter(({ level }) => level === 'error');
      expect(logged).to.have.length(2);
      expect(logged[0]?.fields).to.include({ pluginName: 'first', operation: 'CANCEL', subscriptionId });
    });
  });

  it('decide without a lock, so that they can change the account themselves', async () => {
    first.before.CANCEL = async () => {
      await acme.subscriptions.changeQuantity(subscriptionId, { quantity: 3 });
      return null;
    };
    await acme.subscriptions.cancel(subscriptionId, { requestedDate: day(3, 1) });
    expect((await acme.getSubscription(subscriptionId)).quantity).to.equal(3);
  });

  it('receive the caller and its properties', async () => {
    const pluginProperties = [{ key: 'coupon', value: 'SPRING' }];
    await engine.billing
      .as({ tenant: engine.tenant, user: 'ada', pluginProperties })
      .subscriptions.cancel(subscriptionId);
    expect(first.contexts[0]).to.deep.include({
      tenantId: engine.tenant.id,
      userName: 'ada',
      properties: pluginProperties,
    });
  });

  it('are not called for an invalid request, an unknown or foreign object, or a dry run', async () => {
    const { acme: theirs } = await openShop(engine.billing, null);
    const codes = [
      await codeOf(acme.createSubscription({ accountId: account.id })),
      await codeOf(acme.createSubscription({ accountId: bundleId, planName: 'solo-now' })),
      await codeOf(acme.subscriptions.createBundles([[{ accountId: bundleId, planName: 'solo-now' }]])),
      await codeOf(acme.subscriptions.changePlan(subscriptionId, {})),
      await codeOf(acme.bundles.renameKey(bundleId, '')),
      await codeOf(acme.blocking.add({ type: 'ACCOUNT', id: account.id }, {})),
      await codeOf(theirs.subscriptions.cancel(subscriptionId)),
      await codeOf(theirs.blocking.pauseBundle(bundleId)),
      await codeOf(
        theirs.blocking.add({ type: 'ACCOUNT', id: account.id }, { service: 's', stateName: 'n' }),
      ),
    ];
    expect(codes).to.eql([60_003, 3002, 3002, 60_003, 60_003, 1107, 1082, 1081, 3002]);
    await acme.invoices.dryRun({
      accountId: account.id,
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'START_BILLING',
      planName: 'team-now',
    });
    expect(first.outcomes()).to.eql([]);
  });
});
