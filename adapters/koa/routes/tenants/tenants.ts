import type { Principal } from '../../../../lib/records/index.ts';
import { isGranted, isPermitted, type Permission } from '../../../../lib/security/index.ts';
import {
  KeyKind,
  type KeyValues,
  keyKind,
  maskedValues,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from '../../../../lib/tenants/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { shortenText } from '../../../../lib/values/text/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { NotificationSigningSecret, Tenant, TenantKeyValue } from '../../models/tenant.ts';
import { jsonBody, textBody } from '../../routing/body.ts';
import { type ErrorName, type Route, systemAuthorOf, tenantRoute, userRoute } from '../../routing/route.ts';
import { flag, plainText, requiredParameter } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** A tenant value that has its own path. */
interface ValuePath {
  readonly path: `/${string}`;
  /** The noun in the operation names that begin with `upload`, `get` and `delete`. */
  readonly noun: string;
  readonly uploadId?: string;
  readonly what: string;
  readonly note?: string;
  readonly fails: readonly ErrorName[];
  keyOf(name: string): string;
}

const badValue = ['MALFORMED_BODY', 'MISSING_OR_INVALID_FIELD'] as const;

const named: readonly ValuePath[] = [
  {
    path: '/uploadPluginConfig/{pluginName}',
    noun: 'PluginConfiguration',
    what: 'the configuration of a plugin',
    fails: ['MISSING_OR_INVALID_FIELD'],
    keyOf: pluginConfigurationKey,
  },
  {
    path: '/uploadPluginPaymentStateMachineConfig/{pluginName}',
    noun: 'PluginPaymentStateMachineConfig',
    what: 'the payment state machine of a plugin',
    fails: ['MISSING_OR_INVALID_FIELD'],
    keyOf: paymentStateMachineKey,
  },
  {
    path: '/uploadPerTenantConfig',
    noun: 'PerTenantConfiguration',
    what: 'the tenant configuration, a JSON object of properties',
    fails: badValue,
    keyOf: () => SystemKey.PER_TENANT_CONFIG,
  },
  {
    path: '/userKeyValue/{keyName}',
    noun: 'UserKeyValue',
    uploadId: 'insertUserKeyValue',
    what: 'a value of a key',
    note: '; server-defined keys hold one value, which is validated',
    fails: [...badValue, 'INVALID_PARAMETER', 'CATALOG_INVALID_FOR_TENANT'],
    keyOf: (name) => name,
  },
];

/** See platform §2 to §4. */
export const tenantRoutes: readonly Route[] = [
  userRoute('createTenant', 'POST /tenants', {
    summary: 'Create a tenant',
    permission: 'tenant:create',
    query: { useGlobalDefault: flag(), cell: plainText },
    body: jsonBody(Tenant),
    creates: '/tenants/{tenantId}',
    fails: ['TENANT_ALREADY_EXISTS'],
    handle(call) {
      const { externalKey = null, apiKey, apiSecret } = call.body;
      const given = { externalKey, apiKey: apiKey ?? '', apiSecret: apiSecret ?? '' };
      return call.billing.tenants.create(systemAuthorOf(call), { ...given, ...call.query });
    },
  }),
  tenantRoute('getTenant', 'GET /tenants/{tenantId}', {
    summary: 'Get a tenant by id',
    shows: Tenant,
    async handle({ billing, params: { tenantId }, user }) {
      // A tenant for which the caller has no grant is reported as unknown (http-api §13.1 note 21).
      if (user !== null && isGranted(user, tenantId)) return billing.tenants.get(tenantId);
      const message = `Tenant does not exist for id ${tenantId}`;
      throw billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID, message, { tenantId });
    },
  }),
  userRoute('getTenantByApiKey', 'GET /tenants', {
    summary: 'Get a tenant by its API key',
    query: { apiKey: requiredParameter(plainText) },
    shows: Tenant,
    fails: ['TENANT_DOES_NOT_EXIST_FOR_API_KEY'],
    async handle({ billing, query: { apiKey }, user }) {
      const tenant = await billing.tenants.getByApiKey(apiKey);
      if (user !== null && isGranted(user, tenant.id)) return tenant;
      const message = `Tenant does not exist for api key ${shortenText(apiKey)}`;
      throw billingError(ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY, message, { apiKey });
    },
  }),
  ...named.flatMap(valueRoutes),
  tenantRoute('getAllPluginConfiguration', 'GET /tenants/uploadPerTenantConfig/{keyPrefix}/search', {
    summary: 'Find keys by prefix, with their values',
    shows: listOf(TenantKeyValue),
    async handle({ billing, context, params, user }) {
      const found = await billing.keyValues.search(context, params.keyPrefix);
      return found.map((each) => shownValues(each, user));
    },
  }),
  tenantRoute('registerPushNotificationCallback', 'POST /tenants/registerNotificationCallback', {
    summary: "Set the callback URL that receives the tenant's events",
    permission: 'tenant_kvs:add',
    query: { cb: requiredParameter(plainText) },
    creates: '/tenants/registerNotificationCallback',
    fails: ['INVALID_PARAMETER'],
    handle: ({ billing, context, query }) =>
      billing.keyValues.add(context, SystemKey.PUSH_NOTIFICATION_CB, query.cb),
  }),
  tenantRoute('getPushNotificationCallbacks', 'GET /tenants/registerNotificationCallback', {
    summary: "Get the callback URL that receives the tenant's events",
    shows: TenantKeyValue,
    handle: async ({ billing, context, user }) =>
      shownValues(await billing.keyValues.get(context, SystemKey.PUSH_NOTIFICATION_CB), user),
  }),
  tenantRoute('deletePushNotificationCallbacks', 'DELETE /tenants/registerNotificationCallback', {
    summary: 'Remove the callback URL, which stops the delivery of events',
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.keyValues.delete(context, SystemKey.PUSH_NOTIFICATION_CB),
  }),
  tenantRoute('createNotificationSigningSecret', 'POST /tenants/notificationSigningSecret', {
    summary: "Create a new signing secret for the tenant's events; the response is the only way to read it",
    permission: 'tenant_kvs:add',
    shows: NotificationSigningSecret,
    success: { status: 201 },
    handle: async ({ billing, context }) => ({ secret: await billing.signingSecrets.create(context) }),
  }),
  tenantRoute('deleteNotificationSigningSecret', 'DELETE /tenants/notificationSigningSecret', {
    summary: "Stop signing the tenant's events",
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.signingSecrets.delete(context),
  }),
];

function valueRoutes({ path, noun, uploadId, what, note = '', fails, keyOf }: ValuePath): readonly Route[] {
  const fullPath = `/tenants${path}` as const;
  // Each path has at most one parameter.
  const keyIn = (params: Readonly<Record<string, string>>): string => keyOf(Object.values(params)[0] ?? '');
  return [
    tenantRoute(uploadId ?? `upload${noun}`, `POST ${fullPath}`, {
      summary: `Upload ${what}${note}`,
      permission: 'tenant_kvs:add',
      body: textBody,
      creates: fullPath,
      fails,
      async handle({ billing, context, params, body, user }) {
        const key = keyIn(params);
        checkKeyPermission(user, 'upload', key);
        await billing.keyValues.add(context, key, body);
      },
    }),
    tenantRoute(`get${noun}`, `GET ${fullPath}`, {
      summary: `Get ${what}`,
      shows: TenantKeyValue,
      handle: async ({ billing, context, params, user }) =>
        shownValues(await billing.keyValues.get(context, keyIn(params)), user),
    }),
    tenantRoute(`delete${noun}`, `DELETE ${fullPath}`, {
      summary: `Delete ${what}`,
      permission: 'tenant_kvs:delete',
      async handle({ billing, context, params, user }) {
        const key = keyIn(params);
        checkKeyPermission(user, 'delete', key);
        await billing.keyValues.delete(context, key);
      },
    }),
  ];
}

/**
 * Permissions by key. If a key has its own endpoint, the permission of that endpoint also applies to the key (platform
 * §3 rule 5).
 */
const keyPermissions: Partial<Record<KeyKind, Record<KeyChange, Permission>>> = {
  [KeyKind.CATALOG]: { upload: 'catalog:config_upload', delete: 'catalog:delete' },
  [KeyKind.OVERDUE]: { upload: 'overdue:config_upload', delete: 'overdue:config_upload' },
};

export type KeyChange = 'upload' | 'delete';

export function permissionForKey(change: KeyChange, key: string): readonly Permission[] {
  const permission = keyPermissions[keyKind(key)]?.[change];
  return permission === undefined ? [] : [permission];
}

function checkKeyPermission(user: Principal | null, change: KeyChange, key: string): void {
  if (user === null) return;
  for (const permission of permissionForKey(change, key)) checkPermission(user, permission);
}

/**
 * Returns the values of a key. If the caller is not allowed to change them, settings and the callback are masked
 * (platform §3 rule 8).
 */
export function shownValues(found: KeyValues, user: Principal | null): KeyValues {
  const isShown =
    keyKind(found.key) === KeyKind.USER || isPermitted(user?.permissions ?? [], 'tenant_kvs:add');
  return isShown ? found : maskedValues(found);
}
