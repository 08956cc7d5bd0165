import { z } from 'zod';
import type { ApiClient, LoginSession, TenantGrants, User } from '../../../lib/records/index.ts';
import type { RoleDefinition } from '../../../lib/security/index.ts';
import { formatInstant, instant } from '../../../lib/values/time/index.ts';
import type { CallerSession } from '../auth/authenticator.ts';
import { field, model, partial, reading } from '../wire/model.ts';
import { bool, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf, perDialect } from '../wire/wire-type.ts';

const words = listOf(text());

/** The last two fields are ours and read-only, so that answers hold what clients know. */
export const UserRoles = model('UserRoles', {
  username: field(text(), 'C', { required: true }),
  password: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  tenants: field(listOf(uuid), 'I'),
  currentPassword: field(text(), 'I'),
});

/** The body of a change of password; the path names the user. */
export const UserChange = partial(UserRoles);

/** The body of a change of roles; `roles` is required, so that forgetting it does not remove all. */
export const UserRolesChange = reading(UserRoles, { roles: field(words, 'W', { required: true }) });

export const UserRolesAnswer = {
  answer: perDialect(() =>
    z.strictObject({ username: z.string(), password: z.null(), roles: z.array(z.string()) }),
  ),
  json: UserRoles.json,
};

export const RoleDefinitionModel = model('RoleDefinition', {
  role: field(text(), 'C', { required: true }),
  permissions: field(words, 'W'),
});

/** The body of a change of a role; `permissions` is required, so that forgetting it does not remove all. */
export const RoleChange = reading(RoleDefinitionModel, {
  role: field(text(), 'C', { required: true }),
  permissions: field(words, 'W', { required: true }),
});

export const UserTenants = model('UserTenants', {
  allTenants: field(bool, 'W', { required: true }),
  tenantIds: field(listOf(uuid), 'W'),
});

export const ApiClientModel = model('ApiClient', {
  clientId: field(text(), 'C', { required: true }),
  clientSecret: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  /** Absent or null = all. */
  tenants: field(listOf(uuid), 'W', { nullable: true }),
});

const Session = model('Session', {
  id: field(text(), 'R'),
  startDate: field(timestamp, 'R'),
  lastAccessDate: field(timestamp, 'R'),
  timeout: field(int(), 'R'),
  host: field(text(), 'R', { nullable: true }),
});

export const Subject = model('Subject', {
  principal: field(text(), 'R'),
  isAuthenticated: field(bool, 'R'),
  isRemembered: field(bool, 'R'),
  session: field(Session, 'R', { nullable: true }),
});

export function userRolesJson({ name, roles }: User) {
  return { username: name, password: null, roles };
}

export function roleJson({ name, permissions }: RoleDefinition) {
  return { role: name, permissions };
}

export function grantsJson({ allTenants, tenantIds }: TenantGrants) {
  return { allTenants, tenantIds };
}

export function apiClientJson({ name, roles, allTenants, tenantIds }: ApiClient) {
  return { clientId: name, clientSecret: null, roles, tenants: allTenants ? null : tenantIds };
}

export function sessionJson({ token, session }: CallerSession, timeout: number) {
  const { startedMs, lastAccessMs, host }: Pick<LoginSession, 'startedMs' | 'lastAccessMs' | 'host'> =
    session;
  return {
    id: token,
    startDate: formatInstant(instant(startedMs)),
    lastAccessDate: formatInstant(instant(lastAccessMs)),
    timeout,
    host,
  };
}
