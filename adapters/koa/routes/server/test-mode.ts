import type { Billing } from '../../../../lib/billing.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { type TimeZone, UTC } from '../../../../lib/values/time/index.ts';
import type { Dialect } from '../../dialect.ts';
import { Clock, type ShownClock } from '../../models/clock.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import type { MovableClock, TestMode } from '../../test-mode.ts';
import { instantParameter, integer, plainText, waitSeconds, zoneParameter } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';

const secondMs = 1_000;
const defaultWaitSec = 5;
const timeZone = zoneParameter(UTC);
const timeoutSec = waitSeconds(defaultWaitSec);
const shared = { permission: 'NONE', author: false, testMode: true, outOfRotation: true } as const;

/** The endpoints of platform §14.2; they exist in test mode only. */
export const testModeRoutes: readonly Route[] = [
  tenantRoute({
    ...shared,
    method: 'GET',
    path: '/1.0/kb/test/queues',
    operationId: 'waitForQueuesToComplete',
    summary: 'Wait until the tenant has no due work left',
    query: { timeoutSec },
    success: { status: 200 },
    fails: [ErrorCode.PRECONDITION_FAILED],
    async handle(call) {
      if (await becomesQuiet(call)) return;
      throw new BillingError({
        code: ErrorCode.PRECONDITION_FAILED,
        message: `The tenant still has due work after ${call.query.timeoutSec} s`,
      });
    },
  }),
  tenantRoute({
    ...shared,
    method: 'GET',
    path: '/1.0/kb/test/clock',
    operationId: 'getCurrentTime',
    summary: 'Read the test clock',
    query: { timeZone },
    success: { status: 200, body: Clock },
    handle: (call) => json(clockJson(call)),
  }),
  tenantRoute({
    ...shared,
    method: 'POST',
    path: '/1.0/kb/test/clock',
    operationId: 'setTestClockTime',
    summary: 'Set the test clock, or return it to real time, and wait for the work that falls due',
    query: { requestedDate: instantParameter, timeZone, timeoutSec },
    success: { status: 200, body: Clock },
    async handle(call) {
      const clock = clockOf(call.test);
      await clock.set(call.query.requestedDate);
      await becomesQuiet(call);
      return json(clockJson(call));
    },
  }),
  tenantRoute({
    ...shared,
    method: 'POST',
    path: '/1.0/kb/test/invoices/{accountId}/log',
    operationId: 'writeLogInvoiceLogEntriesForAccount',
    summary: 'Write what the invoices of an account come to to the log',
    query: { type: plainText },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    handle: (call) => call.billing.invoices.writeToLog(call.context, call.params.accountId, call.query),
  }),
  tenantRoute({
    ...shared,
    method: 'PUT',
    path: '/1.0/kb/test/clock',
    operationId: 'updateTestClockTime',
    summary:
      'Move the test clock by the first given of days, weeks, months, years, and wait for the work that falls due',
    query: {
      days: integer(undefined),
      weeks: integer(undefined),
      months: integer(undefined),
      years: integer(undefined),
      timeZone,
      timeoutSec,
    },
    success: { status: 200, body: Clock },
    async handle(call) {
      const clock = clockOf(call.test);
      const { days, weeks, months, years } = call.query;
      await clock.move({ days, weeks, months, years });
      await becomesQuiet(call);
      return json(clockJson(call));
    },
  }),
];

function clockJson(call: {
  readonly test: TestMode | null;
  readonly dialect: Dialect;
  readonly query: { readonly timeZone: TimeZone };
}) {
  const shown: ShownClock = { now: clockOf(call.test).now(), timeZone: call.query.timeZone };
  return Clock.write(shown, unaudited(call.dialect));
}

function clockOf(test: TestMode | null): MovableClock {
  if (test === null) throw new Error('A test endpoint was reached outside test mode');
  return test.clock;
}

function becomesQuiet(call: {
  readonly billing: Billing;
  readonly context: CallContext;
  readonly query: { readonly timeoutSec: number };
}): Promise<boolean> {
  return call.billing.settle({ tenant: call.context.tenant, timeoutMs: call.query.timeoutSec * secondMs });
}
