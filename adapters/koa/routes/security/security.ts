import { type Principal, PrincipalKind } from '../../../../lib/records/index.ts';
import { isPermitted } from '../../../../lib/security/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  ApiClientModel,
  RoleChange,
  RoleDefinitionModel,
  Subject,
  UserChange,
  UserRoles,
  UserRolesChange,
  UserTenants,
  words,
} from '../../models/security.ts';
import { created, json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type RequestLogin, type Route, systemAuthorOf, userRoute } from '../../routing/route.ts';
import type { TestMode } from '../../test-mode.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

/** Needed for writes, and for reading more than the caller's own (platform §8 rule 1). */
const permission = 'user:create';
const users = '/1.0/kb/security/users';
const roles = '/1.0/kb/security/roles';
const clients = '/1.0/kb/security/clients';

const unknownUser = [ErrorCode.SECURITY_INVALID_USER];

/** Users, roles and clients of the deployment (platform §8, http-api §13.1 and §13.4). */
export const securityRoutes: readonly Route[] = [
  userRoute({
    method: 'GET',
    path: '/1.0/kb/security/permissions',
    operationId: 'getCurrentUserPermissions',
    summary: 'List your own permissions',
    permission: 'NONE',
    startsSession: true,
    success: { status: 200, body: words },
    handle: ({ user }) => json(user?.permissions ?? []),
  }),
  userRoute({
    method: 'GET',
    path: '/1.0/kb/security/subject',
    operationId: 'getCurrentUserSubject',
    summary: 'Tell who you are logged in as',
    permission: 'NONE',
    startsSession: true,
    success: { status: 200, body: Subject },
    handle({ user, login, dialect }) {
      const session = login.session && { ...login.session, timeout: login.sessionIdleMs };
      const subject = { principal: user?.name ?? '', isAuthenticated: true, isRemembered: false, session };
      return json(Subject.write(subject, unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'POST',
    path: users,
    operationId: 'addUserRoles',
    summary: 'Create a user',
    permission,
    body: jsonBody(UserRoles),
    success: { status: 201, location: '/security/users/{username}/roles' },
    fails: [
      ErrorCode.SECURITY_USER_ALREADY_EXISTS,
      ErrorCode.SECURITY_INVALID_ROLE,
      ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    ],
    async handle(call) {
      const { username, password, roles: names, tenants } = call.body;
      const name = username ?? '';
      const roles = { roles: names ?? [], allowsUndefinedRoles: call.dialect === Dialect.K };
      await call.billing.security.users.create(
        systemAuthorOf(call),
        { name, password: password ?? '', ...roles, ...(tenants ? { tenantIds: tenants } : {}) },
        policyOf(call.test),
      );
      return created(`/security/users/${encodeURIComponent(name)}/roles`);
    },
  }),
  userRoute({
    method: 'PUT',
    path: `${users}/{username}/password`,
    operationId: 'updateUserPassword',
    summary: 'Change the password of a user; your own with currentPassword',
    permission,
    orSelf: true,
    body: jsonBody(UserChange),
    fails: unknownUser,
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
  userRoute({
    method: 'GET',
    path: `${users}/{username}/roles`,
    operationId: 'getUserRoles',
    summary: 'Get the roles of a user',
    permission,
    orSelf: true,
    success: { status: 200, body: UserRoles },
    fails: unknownUser,
    async handle({ billing, params, user, dialect }) {
      const found = await billing.security.users.get(params.username, user);
      return json(UserRoles.write(found, unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'PUT',
    path: `${users}/{username}/roles`,
    operationId: 'updateUserRoles',
    summary: 'Replace the roles of a user',
    permission,
    body: jsonBody(UserRolesChange),
    fails: [...unknownUser, ErrorCode.SECURITY_INVALID_ROLE],
    async handle(call) {
      const change = { name: call.params.username, roles: call.body.roles ?? [] };
      const allowsUndefinedRoles = call.dialect === Dialect.K;
      await call.billing.security.users.setRoles(systemAuthorOf(call), { ...change, allowsUndefinedRoles });
    },
  }),
  userRoute({
    method: 'DELETE',
    path: `${users}/{username}`,
    operationId: 'invalidateUser',
    summary: 'Make a user inactive; its sessions and tokens end',
    permission,
    fails: unknownUser,
    handle: (call) => call.billing.security.users.deactivate(systemAuthorOf(call), call.params.username),
  }),
  userRoute({
    method: 'GET',
    path: `${users}/{username}/tenants`,
    operationId: 'getUserTenants',
    summary: 'Get the tenants that a user may use',
    permission,
    success: { status: 200, body: UserTenants },
    fails: unknownUser,
    async handle({ billing, params, user, dialect }) {
      const found = await billing.security.users.get(params.username, user);
      return json(UserTenants.write(found, unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'PUT',
    path: `${users}/{username}/tenants`,
    operationId: 'updateUserTenants',
    summary: 'Replace the tenants that a user may use',
    permission,
    body: jsonBody(UserTenants),
    fails: [...unknownUser, ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID],
    async handle(call) {
      const { allTenants, tenantIds } = call.body;
      await call.billing.security.users.setGrants(systemAuthorOf(call), {
        name: call.params.username,
        allTenants: allTenants ?? false,
        tenantIds: tenantIds ?? [],
      });
    },
  }),
  userRoute({
    method: 'GET',
    path: `${roles}/{role}`,
    operationId: 'getRoleDefinition',
    summary: 'Get the permissions of a role; none for one that does not exist',
    permission: 'NONE',
    success: { status: 200, body: RoleDefinitionModel },
    async handle({ billing, params, dialect }) {
      const role = await billing.security.roles.get(params.role);
      return json(RoleDefinitionModel.write(role, unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'GET',
    path: roles,
    operationId: 'getAvailableRoles',
    summary: 'List all roles',
    permission: 'NONE',
    success: { status: 200, body: listOf(RoleDefinitionModel) },
    async handle({ billing, dialect }) {
      const roles = await billing.security.roles.list();
      return json(roles.map((role) => RoleDefinitionModel.write(role, unaudited(dialect))));
    },
  }),
  userRoute({
    method: 'POST',
    path: roles,
    operationId: 'addRoleDefinition',
    summary: 'Create a role',
    permission,
    body: jsonBody(RoleDefinitionModel),
    success: { status: 201, location: '/security/roles/{role}' },
    fails: [ErrorCode.SECURITY_ROLE_ALREADY_EXISTS, ErrorCode.SECURITY_INVALID_PERMISSIONS],
    async handle(call) {
      const { role, permissions } = call.body;
      const definition = { name: role ?? '', permissions: permissions ?? [] };
      await call.billing.security.roles.create(systemAuthorOf(call), definition);
      return created(`/security/roles/${encodeURIComponent(definition.name)}`);
    },
  }),
  userRoute({
    method: 'PUT',
    path: roles,
    operationId: 'updateRoleDefinition',
    summary: 'Replace the permissions of a role, or create it',
    permission,
    body: jsonBody(RoleChange),
    fails: [ErrorCode.SECURITY_ROLE_ALREADY_EXISTS, ErrorCode.SECURITY_INVALID_PERMISSIONS],
    async handle(call) {
      const { role, permissions } = call.body;
      const definition = { name: role ?? '', permissions: permissions ?? [] };
      await call.billing.security.roles.put(systemAuthorOf(call), definition);
    },
  }),
  userRoute({
    method: 'POST',
    path: clients,
    operationId: 'createApiClient',
    summary: 'Create a client: an application that gets tokens by a secret of its own',
    permission,
    body: jsonBody(ApiClientModel),
    success: { status: 201, location: '/security/clients/{clientId}' },
    fails: [
      ErrorCode.SECURITY_USER_ALREADY_EXISTS,
      ErrorCode.SECURITY_INVALID_ROLE,
      ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    ],
    async handle(call) {
      const { clientId, clientSecret, roles: names, tenants } = call.body;
      const name = clientId ?? '';
      await call.billing.security.clients.create(
        systemAuthorOf(call),
        { name, secret: clientSecret ?? '', roles: names ?? [], ...(tenants ? { tenantIds: tenants } : {}) },
        policyOf(call.test),
      );
      return created(`/security/clients/${encodeURIComponent(name)}`);
    },
  }),
  userRoute({
    method: 'GET',
    path: `${clients}/{clientId}`,
    operationId: 'getApiClient',
    summary: 'Get a client',
    permission,
    success: { status: 200, body: ApiClientModel },
    fails: unknownUser,
    async handle({ billing, params, user, dialect }) {
      const client = await billing.security.clients.get(params.clientId, user);
      return json(ApiClientModel.write(client, unaudited(dialect)));
    },
  }),
  userRoute({
    method: 'DELETE',
    path: `${clients}/{clientId}`,
    operationId: 'deleteApiClient',
    summary: 'Make a client inactive; its tokens end',
    permission,
    fails: unknownUser,
    handle: (call) => call.billing.security.clients.deactivate(systemAuthorOf(call), call.params.clientId),
  }),
];

/** Short passwords are for tests (platform §8 rule 3). */
function policyOf(test: TestMode | null) {
  return { allowShort: test !== null };
}

/**
 * A caller who changes their own password, without the permission to change those of others, must prove that they know
 * the old one.
 */
async function checkCurrentPassword(
  user: Principal | null,
  { current, login }: { readonly current: string | null; readonly login: RequestLogin },
): Promise<void> {
  if (user === null || isPermitted(user.permissions, permission)) return;
  const isKnown =
    current !== null &&
    (await login.authenticate(PrincipalKind.USER, { name: user.name, secret: current })) !== null;
  if (isKnown) return;
  throw new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `UserRolesJson currentPassword must be the password of ${user.name}`,
    facts: { user: user.name },
  });
}
