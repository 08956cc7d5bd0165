import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { SandboxConfiguration, SandboxStatus } from '../../models/sandbox.ts';
import { json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import type { SandboxControl, TestMode } from '../../test-mode.ts';
import { unaudited } from '../../wire/wire-type.ts';

const root = '/plugins/killbill-payment-test';
const shared = {
  area: 'test',
  permission: 'NONE',
  author: false,
  testMode: true,
  outOfRotation: true,
} as const;

/** The controls of the sandbox gateway (payments §2.4 rule 2); they exist in test mode only, for each tenant by itself. */
export const sandboxRoutes: readonly Route[] = [
  tenantRoute({
    ...shared,
    method: 'POST',
    path: `${root}/configure`,
    operationId: 'configureSandbox',
    summary: 'Set how the sandbox gateway answers the tenant from now on',
    body: jsonBody(SandboxConfiguration),
    success: { status: 200 },
    async handle({ context, body, test }) {
      const { CONFIGURE_ACTION = '', ...others } = body;
      const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
      const configuration = { CONFIGURE_ACTION: CONFIGURE_ACTION ?? '', ...Object.fromEntries(given) };
      sandboxOf(test).configure(configuration, context.tenant.id);
    },
  }),
  tenantRoute({
    ...shared,
    method: 'GET',
    path: `${root}/status`,
    operationId: 'getSandboxStatus',
    summary: 'Read how the sandbox gateway answers the tenant',
    success: { status: 200, body: SandboxStatus },
    handle: ({ context, test, dialect }) =>
      json(SandboxStatus.write(sandboxOf(test).status(context.tenant.id), unaudited(dialect))),
  }),
];

/** @throws BillingError ROUTE_NOT_FOUND (60008) where the server has none. */
function sandboxOf(test: TestMode | null): SandboxControl {
  if (test?.sandbox !== undefined) return test.sandbox;
  throw new BillingError({
    code: ErrorCode.ROUTE_NOT_FOUND,
    message: 'This server has no sandbox gateway',
  });
}
