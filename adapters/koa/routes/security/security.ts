import { type Principal, PrincipalKind } from '../../../../lib/records/index.ts';
import { permissions as allPermissions, isPermitted } from '../../../../lib/security/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  ApiClientModel,
  ListedUser,
  RoleChange,
  RoleDefinitionModel,
  Subject,
  UserChange,
  UserRoles,
  UserRolesChange,
  UserTenants,
  words,
} from '../../models/security.ts';
import { jsonBody } from '../../routing/body.ts';
import { type RequestLogin, type Route, systemAuthorOf, userRoute } from '../../routing/route.ts';
import type { TestMode } from '../../test-mode.ts';
import type { RequestOf } from '../../wire/model.ts';
import { pageParameters } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** Permission required to change users and to read other users (platform §8 rule 1). */
const permission = 'user:create';

const creationErrors = [
  'SECURITY_USER_ALREADY_EXISTS',
  'SECURITY_INVALID_ROLE',
  'TENANT_DOES_NOT_EXIST_FOR_ID',
] as const;

const roleWrite = {
  permission,
  fails: ['SECURITY_ROLE_ALREADY_EXISTS', 'SECURITY_INVALID_PERMISSIONS'],
} as const;

/** Routes of users and roles (platform §8). */
export const securityRoutes: readonly Route[] = [
  userRoute('getCurrentUserPermissions', 'GET /security/permissions', {
    summary: 'List your own permissions',
    startsSession: true,
    shows: words,
    handle: ({ user }) => user?.permissions ?? [],
  }),
  userRoute('getAllPermissions', 'GET /security/permissions/all', {
    summary: 'List every permission of the product; plugins can have others',
    shows: words,
    handle: () => allPermissions,
  }),
  userRoute('getCurrentUserSubject', 'GET /security/subject', {
    summary: 'Get the authenticated user',
    startsSession: true,
    shows: Subject,
    handle({ user, login }) {
      const session = login.session && { ...login.session, timeout: login.sessionIdleMs };
      return { principal: user?.name ?? '', isAuthenticated: true, isRemembered: false, session };
    },
  }),
  userRoute('addUserRoles', 'POST /security/users', {
    summary: 'Create a user',
    permission,
    body: jsonBody(UserRoles),
    creates: '/security/users/{username}/roles',
    fails: creationErrors,
    async handle(call) {
      const { username, password, roles: names, tenants } = call.body;
      const name = username ?? '';
      const roles = { roles: names ?? [], allowsUndefinedRoles: call.dialect === Dialect.K };
      await call.billing.security.users.create(
        systemAuthorOf(call),
        { name, password: password ?? '', ...roles, ...(tenants ? { tenantIds: tenants } : {}) },
        policyOf(call.test),
      );
      return { id: name };
    },
  }),
  userRoute('getUsers', 'GET /security/users', {
    summary: 'List the active users by name, with their roles and tenants',
    permission,
    query: pageParameters,
    shows: listOf(ListedUser),
    handle: ({ billing, query, user }) => billing.security.users.page(query, user),
  }),
  userRoute('updateUserPassword', 'PUT /security/users/{username}/password', {
    summary: 'Change the password of a user; your own requires currentPassword',
    permission,
    orSelf: true,
    body: jsonBody(UserChange),
    async handle(call) {
      const { params, body, login } = call;
      await checkCurrentPassword(call.user, { current: body.currentPassword ?? null, login });
      await call.billing.security.users.changePassword(
        systemAuthorOf(call),
        { name: params.username, password: body.password ?? '' },
        policyOf(call.test),
      );
    },
  }),
  userRoute('getUserRoles', 'GET /security/users/{username}/roles', {
    summary: 'Get the roles of a user',
    permission,
    orSelf: true,
    shows: UserRoles,
    handle: ({ billing, params, user }) => billing.security.users.get(params.username, user),
  }),
  userRoute('updateUserRoles', 'PUT /security/users/{username}/roles', {
    summary: 'Replace the roles of a user',
    permission,
    body: jsonBody(UserRolesChange),
    fails: ['SECURITY_INVALID_ROLE'],
    async handle(call) {
      const change = { name: call.params.username, roles: call.body.roles ?? [] };
      const allowsUndefinedRoles = call.dialect === Dialect.K;
      await call.billing.security.users.setRoles(systemAuthorOf(call), { ...change, allowsUndefinedRoles });
    },
  }),
  userRoute('invalidateUser', 'DELETE /security/users/{username}', {
    summary: 'Deactivate a user, and invalidate all sessions and tokens of the user',
    permission,
    handle: (call) => call.billing.security.users.deactivate(systemAuthorOf(call), call.params.username),
  }),
  userRoute('getUserTenants', 'GET /security/users/{username}/tenants', {
    summary: 'Get the tenants that a user can access',
    permission,
    shows: UserTenants,
    handle: ({ billing, params, user }) => billing.security.users.get(params.username, user),
  }),
  userRoute('updateUserTenants', 'PUT /security/users/{username}/tenants', {
    summary: 'Replace the tenants that a user can access',
    permission,
    body: jsonBody(UserTenants),
    fails: ['TENANT_DOES_NOT_EXIST_FOR_ID'],
    async handle(call) {
      const { allTenants, tenantIds } = call.body;
      await call.billing.security.users.setGrants(systemAuthorOf(call), {
        name: call.params.username,
        allTenants: allTenants ?? false,
        tenantIds: tenantIds ?? [],
      });
    },
  }),
  userRoute('getRoleDefinition', 'GET /security/roles/{role}', {
    summary: 'Get the permissions of a role; empty for an unknown role',
    shows: RoleDefinitionModel,
    handle: ({ billing, params }) => billing.security.roles.get(params.role),
  }),
  userRoute('getAvailableRoles', 'GET /security/roles', {
    summary: 'List all roles',
    shows: listOf(RoleDefinitionModel),
    handle: ({ billing }) => billing.security.roles.list(),
  }),
  userRoute('addRoleDefinition', 'POST /security/roles', {
    ...roleWrite,
    summary: 'Create a role',
    body: jsonBody(RoleDefinitionModel),
    creates: '/security/roles/{role}',
    async handle(call) {
      const definition = definitionOf(call.body);
      await call.billing.security.roles.create(systemAuthorOf(call), definition);
      return { id: definition.name };
    },
  }),
  userRoute('updateRoleDefinition', 'PUT /security/roles', {
    ...roleWrite,
    summary: 'Replace the permissions of a role, or create it',
    body: jsonBody(RoleChange),
    handle: (call) => call.billing.security.roles.put(systemAuthorOf(call), definitionOf(call.body)),
  }),
  userRoute('createApiClient', 'POST /security/clients', {
    summary: 'Create a client: an application that obtains tokens with its own secret',
    permission,
    body: jsonBody(ApiClientModel),
    creates: '/security/clients/{clientId}',
    fails: creationErrors,
    async handle(call) {
      const { clientId, clientSecret, roles: names, tenants } = call.body;
      const name = clientId ?? '';
      await call.billing.security.clients.create(
        systemAuthorOf(call),
        { name, secret: clientSecret ?? '', roles: names ?? [], ...(tenants ? { tenantIds: tenants } : {}) },
        policyOf(call.test),
      );
      return { id: name };
    },
  }),
  userRoute('getApiClient', 'GET /security/clients/{clientId}', {
    summary: 'Get a client',
    permission,
    shows: ApiClientModel,
    handle: ({ billing, params, user }) => billing.security.clients.get(params.clientId, user),
  }),
  userRoute('deleteApiClient', 'DELETE /security/clients/{clientId}', {
    summary: 'Deactivate a client and invalidate all its tokens',
    permission,
    handle: (call) => call.billing.security.clients.deactivate(systemAuthorOf(call), call.params.clientId),
  }),
];

function definitionOf({ role, permissions }: RequestOf<typeof RoleDefinitionModel.fields>) {
  return { name: role ?? '', permissions: permissions ?? [] };
}

/** Returns the password policy. Test mode allows short passwords (platform §8 rule 3). */
function policyOf(test: TestMode | null) {
  return { allowShort: test !== null };
}

/** Checks the current password. Users with the permission to manage users need not enter it. */
async function checkCurrentPassword(
  user: Principal | null,
  { current, login }: { readonly current: string | null; readonly login: RequestLogin },
): Promise<void> {
  if (user === null || isPermitted(user.permissions, permission)) return;
  const { name } = user;
  if (current !== null && (await login.authenticate(PrincipalKind.USER, { name, secret: current })) !== null)
    return;
  const message = `UserRolesJson currentPassword must be the current password of ${name}`;
  throw billingError(ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, message, { user: name });
}
