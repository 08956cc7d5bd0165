import type { Principal } from '../../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../../lib/security/index.ts';
import {
  KeyKind,
  keyKind,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from '../../../../lib/tenants/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { checkPermission } from '../../auth/credentials.ts';
import { NotificationSigningSecret, shownValues, TenantKeyValue } from '../../models/tenant.ts';
import { created, json } from '../../routing/answer.ts';
import { type RequestBody, textBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { plainText, required } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const root = '/tenants';

/** Values that have a path of their own: what they are called, and the key behind the path. */
interface ValuePath {
  /** Below `/tenants`, where `{name}` is the name in the path. */
  readonly path: `/${string}`;
  readonly operations: { readonly upload: string; readonly get: string; readonly delete: string };
  readonly what: string;
  /** What else the document says of an upload. */
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

export const tenantValueRoutes: readonly Route[] = [
  ...named.flatMap(valueRoutes),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tenants/uploadPerTenantConfig/{keyPrefix}/search',
    operationId: 'getAllPluginConfiguration',
    summary: 'Find all keys that begin with a prefix, with their values',
    permission: 'NONE',
    success: { status: 200, body: listOf(TenantKeyValue) },
    async handle({ billing, context, params, user, dialect }) {
      const found = await billing.keyValues.search(context, params.keyPrefix);
      const shown = found.map((each) => shownValues(each, { masked: isMasked(user) }));
      return json(shown.map((each) => TenantKeyValue.write(each, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/tenants/registerNotificationCallback',
    operationId: 'registerPushNotificationCallback',
    summary: 'Set the URL to which the events of the tenant are sent',
    permission: 'tenant_kvs:add',
    query: { cb: required(plainText) },
    success: { status: 201, location: `${root}/registerNotificationCallback` },
    fails: [ErrorCode.INVALID_PARAMETER],
    async handle({ billing, context, query }) {
      await billing.keyValues.add(context, SystemKey.PUSH_NOTIFICATION_CB, query.cb);
      return created(`${root}/registerNotificationCallback`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tenants/registerNotificationCallback',
    operationId: 'getPushNotificationCallbacks',
    summary: 'Get the URL to which the events of the tenant are sent',
    permission: 'NONE',
    success: { status: 200, body: TenantKeyValue },
    async handle({ billing, context, dialect, user }) {
      const found = await billing.keyValues.get(context, SystemKey.PUSH_NOTIFICATION_CB);
      const shown = shownValues(found, { masked: isMasked(user) });
      return json(TenantKeyValue.write(shown, unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/tenants/registerNotificationCallback',
    operationId: 'deletePushNotificationCallbacks',
    summary: 'Send no events any more',
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.keyValues.delete(context, SystemKey.PUSH_NOTIFICATION_CB),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/tenants/notificationSigningSecret',
    operationId: 'createNotificationSigningSecret',
    summary: 'Make a new secret that signs the events of the tenant; it is told this once',
    permission: 'tenant_kvs:add',
    success: { status: 201, body: NotificationSigningSecret },
    async handle({ billing, context }) {
      return json({ secret: await billing.signingSecrets.create(context) });
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/tenants/notificationSigningSecret',
    operationId: 'deleteNotificationSigningSecret',
    summary: 'Stop signing the events of the tenant',
    permission: 'tenant_kvs:delete',
    handle: ({ billing, context }) => billing.signingSecrets.delete(context),
  }),
];

function valueRoutes({ path, operations, what, note = '', fails, keyOf }: ValuePath): readonly Route[] {
  const fullPath = `/1.0/kb/tenants${path}` as const;
  // The one parameter of the path, whatever its name.
  const keyIn = (params: Readonly<Record<string, string>>): string => keyOf(nameIn(params));
  return [
    tenantRoute({
      method: 'POST',
      path: fullPath,
      operationId: operations.upload,
      summary: `Upload ${what}${note}`,
      permission: 'tenant_kvs:add',
      body: textBody as RequestBody<string>,
      success: { status: 201, location: `${root}${path}` },
      fails,
      async handle({ billing, context, params, body, user }) {
        const key = keyIn(params);
        checkKeyPermission(user, uploadPermissions[keyKind(key)]);
        await billing.keyValues.add(context, key, body);
        return created(root + path.replace(/\{\w+\}/, encodeURIComponent(nameIn(params))));
      },
    }),
    tenantRoute({
      method: 'GET',
      path: fullPath,
      operationId: operations.get,
      summary: `Get ${what}`,
      permission: 'NONE',
      success: { status: 200, body: TenantKeyValue },
      async handle({ billing, context, params, user, dialect }) {
        const found = await billing.keyValues.get(context, keyIn(params));
        const shown = shownValues(found, { masked: isMasked(user) });
        return json(TenantKeyValue.write(shown, unaudited(dialect)));
      },
    }),
    tenantRoute({
      method: 'DELETE',
      path: fullPath,
      operationId: operations.delete,
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

function nameIn(params: Readonly<Record<string, string>>): string {
  return Object.values(params)[0] ?? '';
}

/** Keys whose own endpoint needs another permission, so that this one is not a back door around it (platform §3 rule 5). */
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
