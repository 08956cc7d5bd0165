import type { Principal } from '../../../../lib/records/index.ts';
import { isGranted, isPermitted, type Permission } from '../../../../lib/security/index.ts';
import {
  KeyKind,
  keyKind,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from '../../../../lib/tenants/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { shortened } from '../../../../lib/values/text/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { NotificationSigningSecret, shownValues, Tenant, TenantKeyValue } from '../../models/tenant.ts';
import { jsonBody, textBody } from '../../routing/body.ts';
import { type Route, systemAuthorOf, tenantRoute, userRoute } from '../../routing/route.ts';
import { flag, plainText, required } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** A value with its own path, and its key. */
interface ValuePath {
  readonly path: `/${string}`;
  readonly operations: { readonly upload: string; readonly get: string; readonly delete: string };
  readonly what: string;
  readonly note?: string;
  readonly fails: readonly ErrorCode[];
  keyOf(name: string): string;
}

const badValue = [ErrorCode.MALFORMED_BODY, ErrorCode.MISSING_OR_INVALID_FIELD];

const named: readonly ValuePath[] = [
  {
    path: '/uploadPluginConfig/{pluginName}',
    operations: {
      upload: 'uploadPluginConfiguration',
      get: 'getPluginConfiguration',
      delete: 'deletePluginConfiguration',
    },
    what: 'the configuration of a plugin',
    fails: [ErrorCode.MISSING_OR_INVALID_FIELD],
    keyOf: pluginConfigurationKey,
  },
  {
    path: '/uploadPluginPaymentStateMachineConfig/{pluginName}',
    operations: {
      upload: 'uploadPluginPaymentStateMachineConfig',
      get: 'getPluginPaymentStateMachineConfig',
      delete: 'deletePluginPaymentStateMachineConfig',
    },
    what: 'the payment state machine of a plugin',
    fails: [ErrorCode.MISSING_OR_INVALID_FIELD],
    keyOf: paymentStateMachineKey,
  },
  {
    path: '/uploadPerTenantConfig',
    operations: {
      upload: 'uploadPerTenantConfiguration',
      get: 'getPerTenantConfiguration',
      delete: 'deletePerTenantConfiguration',
    },
    what: 'the configuration of the tenant, a JSON object of properties',
    fails: badValue,
    keyOf: () => SystemKey.PER_TENANT_CONFIG,
  },
  {
    path: '/userKeyValue/{keyName}',
    operations: { upload: 'insertUserKeyValue', get: 'getUserKeyValue', delete: 'deleteUserKeyValue' },
    what: 'a value of any key',
    note: '; keys of the server hold one value and are checked',
    fails: [...badValue, ErrorCode.INVALID_PARAMETER, ErrorCode.CATALOG_INVALID_FOR_TENANT],
    keyOf: (name) => name,
  },
];

/** See platform §2 to §4. */
export const tenantRoutes: readonly Route[] = [
  userRoute('createTenant', 'POST /1.0/kb/tenants', {
    summary: 'Create a tenant',
    permission: 'tenant:create',
    query: { useGlobalDefault: flag() },
    body: jsonBody(Tenant),
    creates: '/tenants/{tenantId}',
    fails: [ErrorCode.TENANT_ALREADY_EXISTS],
    handle(call) {
      const { externalKey = null, apiKey, apiSecret } = call.body;
      const given = { externalKey, apiKey: apiKey ?? '', apiSecret: apiSecret ?? '' };
      return call.billing.tenants.create(systemAuthorOf(call), { ...given, ...call.query });
    },
  }),
  tenantRoute('getTenant', 'GET /1.0/kb/tenants/{tenantId}', {
    summary: 'Get a tenant by id',
    shows: Tenant,
    async handle({ billing, params: { tenantId }, user }) {
      if (user === null || !isGranted(user, tenantId)) throw noSuchTenantId(tenantId);
      return billing.tenants.get(tenantId);
    },
  }),
  userRoute('getTenantByApiKey', 'GET /1.0/kb/tenants', {
    summary: 'Get a tenant by its API key',
    query: { apiKey: required(plainText) },
    shows: Tenant,
    fails: [ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY],
    async handle({ billing, query, user }) {
      const tenant = await billing.tenants.getByApiKey(query.apiKey);
      if (user === null || !isGranted(user, tenant.id)) throw noSuchTenant(query.apiKey);
      return tenant;
    },
  }),
  ...named.flatMap(valueRoutes),
  tenantRoute('getAllPluginConfiguration', 'GET /1.0/kb/tenants/uploadPerTenantConfig/{keyPrefix}/search', {
    summary: 'Find all keys that begin with a prefix, with their values',
    shows: listOf(TenantKeyValue),
    async handle({ billing, context, params, user }) {
      const found = await billing.keyValues.search(context, params.keyPrefix);
      return found.map((each) => shownValues(each, { masked: isMasked(user) }));
    },
  }),
  tenantRoute('registerPushNotificationCallback', 'POST /1.0/kb/tenants/registerNotificationCallback', {
    summary: 'Set the URL to which the events of the tenant are sent',
    permission: 'tenant_kvs:add',
    query: { cb: required(plainText) },
    creates: '/tenants/registerNotificationCallback',
    fails: [ErrorCode.INVALID_PARAMETER],
    handle: ({ billing, context, query }) =>
      billing.keyValues.add(context, SystemKey.PUSH_NOTIFICATION_CB, query.cb),
  }),
  tenantRoute('getPushNotificationCallbacks', 'GET /1.0/kb/tenants/registerNotificationCallback', {
    summary: 'Get the URL to which the events of the tenant are sent',
    shows: TenantKeyValue,
    async handle({ billing, context, user }) {
      const found = await billing.keyValues.get(context, SystemKey.PUSH_NOTIFICATION_CB);
      return shownValues(found, { masked: isMasked(user) });
    },
  }),
  tenantRoute('deletePushNotificationCallbacks', 'DELETE /1.0/kb/tenants/registerNotificationCallback', {
    summary: 'Send no events any more',
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.keyValues.delete(context, SystemKey.PUSH_NOTIFICATION_CB),
  }),
  tenantRoute('createNotificationSigningSecret', 'POST /1.0/kb/tenants/notificationSigningSecret', {
    summary: 'Make a new secret that signs the events of the tenant; it is told this once',
    permission: 'tenant_kvs:add',
    shows: NotificationSigningSecret,
    success: { status: 201 },
    handle: async ({ billing, context }) => ({ secret: await billing.signingSecrets.create(context) }),
  }),
  tenantRoute('deleteNotificationSigningSecret', 'DELETE /1.0/kb/tenants/notificationSigningSecret', {
    summary: 'Stop signing the events of the tenant',
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.signingSecrets.delete(context),
  }),
];

function valueRoutes({ path, operations, what, note = '', fails, keyOf }: ValuePath): readonly Route[] {
  const fullPath = `/1.0/kb/tenants${path}` as const;
  // A path has at most one parameter.
  const keyIn = (params: Readonly<Record<string, string>>): string => keyOf(Object.values(params)[0] ?? '');
  return [
    tenantRoute(operations.upload, `POST ${fullPath}`, {
      summary: `Upload ${what}${note}`,
      permission: 'tenant_kvs:add',
      body: textBody,
      creates: `/tenants${path}`,
      fails,
      async handle({ billing, context, params, body, user }) {
        const key = keyIn(params);
        checkKeyPermission(user, uploadPermissions[keyKind(key)]);
        await billing.keyValues.add(context, key, body);
      },
    }),
    tenantRoute(operations.get, `GET ${fullPath}`, {
      summary: `Get ${what}`,
      shows: TenantKeyValue,
      async handle({ billing, context, params, user }) {
        const found = await billing.keyValues.get(context, keyIn(params));
        const shown = shownValues(found, { masked: isMasked(user) });
        return shown;
      },
    }),
    tenantRoute(operations.delete, `DELETE ${fullPath}`, {
      summary: `Delete ${what}`,
      permission: 'tenant_kvs:delete',
      async handle({ billing, context, params, user }) {
        const key = keyIn(params);
        checkKeyPermission(user, deletePermissions[keyKind(key)]);
        await billing.keyValues.delete(context, key);
      },
    }),
  ];
}

/** Keys with an own endpoint need its permission here too (platform §3 rule 5). */
const uploadPermissions: Partial<Record<KeyKind, Permission>> = {
  [KeyKind.CATALOG]: 'catalog:config_upload',
  [KeyKind.OVERDUE]: 'overdue:config_upload',
};
const deletePermissions: Partial<Record<KeyKind, Permission>> = {
  [KeyKind.CATALOG]: 'catalog:delete',
  [KeyKind.OVERDUE]: 'overdue:config_upload',
};

function checkKeyPermission(user: Principal | null, permission: Permission | undefined): void {
  if (user !== null && permission !== undefined) checkPermission(user, permission);
}

function isMasked(user: Principal | null): boolean {
  return !isPermitted(user?.permissions ?? [], 'tenant_kvs:add');
}

/** A tenant without a grant is reported as unknown (http-api §13.1 note 21). */
function noSuchTenant(apiKey: string): BillingError {
  return billingError(
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
    `Tenant does not exist for api key ${shortened(apiKey)}`,
    { apiKey },
  );
}

function noSuchTenantId(tenantId: Uuid): BillingError {
  return billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID, `Tenant does not exist for id ${tenantId}`, {
    tenantId,
  });
}
