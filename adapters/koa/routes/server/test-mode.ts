import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { UTC } from '../../../../lib/values/time/index.ts';
import { Clock, SandboxConfiguration, SandboxStatus, type ShownClock } from '../../models/test-mode.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, rootTenantRoute, type TenantCall, tenantRoute } from '../../routing/route.ts';
import type { MovableClock, SandboxControl, TestMode } from '../../test-mode.ts';
import { instantParameter, integer, plainText, waitSeconds, zoneParameter } from '../../wire/query.ts';

const timeZone = zoneParameter(UTC);
const timeoutSec = waitSeconds(5);
const amount = integer(undefined);
const shared = { permission: 'NONE', author: false, testMode: true, outOfRotation: true } as const;

/** Test mode endpoints of platform §14.2. */
export const testModeRoutes: readonly Route[] = [
  tenantRoute('waitForQueuesToComplete', 'GET /test/queues', {
    ...shared,
    summary: 'Wait until the tenant has no due work left',
    query: { timeoutSec },
    success: { status: 200 },
    fails: ['PRECONDITION_FAILED'],
    async handle(call) {
      if (await becomesQuiet(call)) return;
      const message = `The tenant still has due work after ${call.query.timeoutSec} s`;
      throw billingError(ErrorCode.PRECONDITION_FAILED, message);
    },
  }),
  tenantRoute('getCurrentTime', 'GET /test/clock', {
    ...shared,
    summary: 'Read the test clock',
    query: { timeZone },
    shows: Clock,
    handle: shownClock,
  }),
  tenantRoute('setTestClockTime', 'POST /test/clock', {
    ...shared,
    summary: 'Set the test clock, or reset it to the real time, and wait for the work that becomes due',
    query: { requestedDate: instantParameter, timeZone, timeoutSec },
    shows: Clock,
    async handle(call) {
      await clockOf(call.test).set(call.query.requestedDate);
      await becomesQuiet(call);
      return shownClock(call);
    },
  }),
  tenantRoute('writeLogInvoiceLogEntriesForAccount', 'POST /test/invoices/{accountId}/log', {
    ...shared,
    summary: 'Log the invoice totals of an account',
    query: { type: plainText },
    handle: (call) => call.billing.invoices.writeToLog(call.context, call.params.accountId, call.query),
  }),
  tenantRoute('updateTestClockTime', 'PUT /test/clock', {
    ...shared,
    summary: 'Advance the test clock by days, weeks, months or years, and wait for the work that becomes due',
    query: { days: amount, weeks: amount, months: amount, years: amount, timeZone, timeoutSec },
    shows: Clock,
    async handle(call) {
      const { days, weeks, months, years } = call.query;
      await clockOf(call.test).move({ days, weeks, months, years });
      await becomesQuiet(call);
      return shownClock(call);
    },
  }),
];

type ClockCall = Pick<TenantCall<string, { timeZone: typeof timeZone }, null>, 'test' | 'query'>;

function shownClock({ test, query: { timeZone: zone } }: ClockCall): ShownClock {
  return { now: clockOf(test).now(), timeZone: zone };
}

function clockOf(test: TestMode | null): MovableClock {
  if (test === null) throw new Error('A test endpoint was reached outside test mode');
  return test.clock;
}

type WaitingCall = Pick<
  TenantCall<string, { timeoutSec: typeof timeoutSec }, null>,
  'billing' | 'context' | 'query'
>;

function becomesQuiet({ billing, context, query }: WaitingCall): Promise<boolean> {
  return billing.settle({ tenant: context.tenant, timeoutMs: query.timeoutSec * 1_000 });
}

/** Names of the sandbox gateway in this server and in Kill Bill. Each name has its own suffix for operation ids. */
const sandboxNames = [
  ['sandbox', ''],
  ['killbill-payment-test', 'Alias'],
] as const;

/** Test mode routes that control the sandbox gateway of a tenant (payments §2.4 rule 2). */
export const sandboxRoutes: readonly Route[] = sandboxNames.flatMap(([name, suffix]) => [
  rootTenantRoute(`configureSandbox${suffix}`, `POST /plugins/${name}/configure`, {
    ...shared,
    area: 'test',
    summary: 'Configure the behavior of the sandbox gateway for the tenant',
    body: jsonBody(SandboxConfiguration),
    success: { status: 200 },
    async handle({ context, body, test }) {
      const { CONFIGURE_ACTION = '', ...others } = body;
      const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
      const configuration = { CONFIGURE_ACTION: CONFIGURE_ACTION ?? '', ...Object.fromEntries(given) };
      sandboxOf(test).configure(configuration, context.tenant.id);
    },
  }),
  rootTenantRoute(`getSandboxStatus${suffix}`, `GET /plugins/${name}/status`, {
    ...shared,
    area: 'test',
    summary: 'Get the behavior of the sandbox gateway for the tenant',
    shows: SandboxStatus,
    handle: ({ context, test }) => sandboxOf(test).status(context.tenant.id),
  }),
]);

/** Returns the sandbox. @throws BillingError ROUTE_NOT_FOUND (60008) outside test mode. */
function sandboxOf(test: TestMode | null): SandboxControl {
  if (test?.sandbox !== undefined) return test.sandbox;
  throw billingError(ErrorCode.ROUTE_NOT_FOUND, 'This server has no sandbox gateway');
}
