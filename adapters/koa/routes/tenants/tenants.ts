import { isGranted } from '../../../../lib/security/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { shortened } from '../../../../lib/values/text/index.ts';
import { Tenant } from '../../models/tenant.ts';
import { created, json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute, userRoute } from '../../routing/route.ts';
import { flag, plainText, required } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';

export const tenantRoutes: readonly Route[] = [
  userRoute({
    method: 'POST',
    path: '/1.0/kb/tenants',
    operationId: 'createTenant',
    summary: 'Create a tenant',
    permission: 'tenant:create',
    query: { useGlobalDefault: flag() },
    body: jsonBody(Tenant),
    success: { status: 201, location: '/tenants/{tenantId}' },
    fails: [ErrorCode.TENANT_ALREADY_EXISTS],
    async handle({ billing, body, query, authorship, userToken, user }) {
      const author = {
        userName: authorship.createdBy ?? user?.name ?? '',
        reasonCode: authorship.reason,
        comments: authorship.comment,
        userToken,
      };
      const tenant = await billing.tenants.create(author, {
        externalKey: body.externalKey ?? null,
        apiKey: body.apiKey ?? '',
        apiSecret: body.apiSecret ?? '',
        useGlobalDefault: query.useGlobalDefault,
      });
      return created(`/tenants/${tenant.id}`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tenants/{tenantId}',
    operationId: 'getTenant',
    summary: 'Get a tenant by id',
    permission: 'NONE',
    success: { status: 200, body: Tenant },
    fails: [ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, params: { tenantId }, user, dialect }) {
      if (user === null || !isGranted(user, tenantId)) throw noSuchTenantId(tenantId);
      return json(Tenant.write(await billing.tenants.get(tenantId), unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'GET',
    path: '/1.0/kb/tenants',
    operationId: 'getTenantByApiKey',
    summary: 'Get a tenant by its API key',
    permission: 'NONE',
    query: { apiKey: required(plainText) },
    success: { status: 200, body: Tenant },
    fails: [ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY],
    async handle({ billing, query, user, dialect }) {
      const tenant = await billing.tenants.getByApiKey(query.apiKey);
      if (user === null || !isGranted(user, tenant.id)) throw noSuchTenant(query.apiKey);
      return json(Tenant.write(tenant, unaudited(dialect)));
    },
  }),
];

/** A tenant that is not granted to the user is as unknown as one that does not exist (http-api §13.1 note 21). */
function noSuchTenant(apiKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
    message: `Tenant does not exist for api key ${shortened(apiKey)}`,
    facts: { apiKey },
  });
}

function noSuchTenantId(tenantId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    message: `Tenant does not exist for id ${tenantId}`,
    facts: { tenantId },
  });
}
