import type { Dialect } from '../../../adapters/koa/dialect.ts';
import {
  DEFAULT_WAIT_SEC_IN_K,
  waitForCompletion,
} from '../../../adapters/koa/routes/subscriptions/call-completion.ts';
import type { Billing } from '../../../lib/billing.ts';
import { BillingError } from '../../../lib/index.ts';
import { CallOrigin } from '../../../lib/records/context.ts';
import { DEFAULT_SERVER_SETTINGS } from '../../../lib/tenants/configuration/settings.ts';
import { ACCOUNT_ID, NOW, nextId } from '../../support/payments/payment-records.ts';
import { addMilliseconds, expect } from '../../support/unit.ts';

const context = {
  tenant: { id: nextId(), recordId: 1 },
  userName: 'demo',
  principal: null,
  reasonCode: null,
  comments: null,
  userToken: nextId(),
  callOrigin: CallOrigin.EXTERNAL,
  createdDate: NOW,
};

describe('call completion (http-api §4 line 5, subscriptions §22)', () => {
  /** Returns the time limit passed to the engine, or null if the engine was not called. */
  async function waitOf(
    dialect: Dialect,
    callTimeoutSec: number | undefined,
    input: {
      readonly billingEffect?: typeof NOW | null;
      readonly completed?: boolean;
      readonly maxSec?: number;
    } = {},
  ): Promise<number | null> {
    const { billingEffect = NOW, completed = true, maxSec = 120 } = input;
    let limitMs: number | null = null;
    const completion: Billing['completion'] = async (_context, timeoutMs) => {
      limitMs = timeoutMs;
      return completed;
    };
    const billing = {
      completion,
      server: { ...DEFAULT_SERVER_SETTINGS, 'server.callCompletion.maxSec': maxSec },
    };
    await waitForCompletion(
      { billing, context, dialect, query: { callCompletion: true, callTimeoutSec } },
      {
        accountId: ACCOUNT_ID,
        done: 'Subscription S was created',
        billingEffect,
        defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
      },
    );
    return limitMs;
  }

  it('waits 120 s by default in dialect D and 3 s in dialect K', async () => {
    expect(await waitOf('D', undefined)).to.equal(120_000);
    expect(await waitOf('K', undefined)).to.equal(3_000);
  });

  it('waits for the requested time, at most 120 s', async () => {
    expect(await waitOf('D', 7)).to.equal(7_000);
    expect(await waitOf('K', 0)).to.equal(0);
    expect(await waitOf('K', 121)).to.equal(120_000);
  });

  it('waits at most for the duration in server.callCompletion.maxSec', async () => {
    expect(DEFAULT_SERVER_SETTINGS['server.callCompletion.maxSec']).to.equal(120);
    expect(await waitOf('D', undefined, { maxSec: 2 })).to.equal(2_000);
    expect(await waitOf('K', undefined, { maxSec: 2 })).to.equal(2_000);
    expect(await waitOf('K', 5, { maxSec: 200 })).to.equal(5_000);
    expect(await waitOf('D', undefined, { maxSec: 200 })).to.equal(200_000);
  });

  it('returns immediately when the effect is in the future or never occurs', async () => {
    expect(await waitOf('D', 7, { billingEffect: addMilliseconds(NOW, 1_000) })).to.equal(null);
    expect(await waitOf('D', 7, { billingEffect: null })).to.equal(null);
  });

  it('reports finished and unfinished work when the time limit is reached', async () => {
    const error = await waitOf('D', 7, { completed: false }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(BillingError);
    expect(error).to.include({
      code: 60_016,
      message:
        'Subscription S was created, but its invoice and payment were not finished within 7 s; they continue in the background',
    });
  });
});
