import type { ApiClient, Principal, Tenant, User } from '../../../lib/records/index.ts';
import type { RoleDefinition } from '../../../lib/security/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import type { CallerSession } from '../auth/authenticator.ts';
import {
  derivedField,
  field,
  maybe,
  model,
  modelWith,
  partial,
  replaceRequestFields,
} from '../wire/model.ts';
import { bool, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

export const words = listOf(text());

/** The roles of a user. Responses omit the last two fields, because existing clients do not expect them. */
export const UserRoles = model('UserRoles', {
  username: field(text(), 'C', { required: true, from: ({ name }: User) => name }),
  password: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  tenants: field(listOf(uuid), 'I', { absentable: true }),
  currentPassword: field(text(), 'I', { absentable: true }),
});

export const UserChange = partial(UserRoles);

/** New roles of a user. `roles` is required, because a request without it would otherwise remove all roles. */
export const UserRolesChange = replaceRequestFields(UserRoles, {
  roles: field(words, 'W', { required: true }),
});

export const RoleDefinitionModel = model('RoleDefinition', {
  role: field(text(), 'C', { required: true, from: ({ name }: RoleDefinition) => name }),
  permissions: field(words, 'W'),
});

/**
 * New permissions of a role. `permissions` is required, because a request without it would otherwise remove all
 * permissions.
 */
export const RoleChange = replaceRequestFields(RoleDefinitionModel, {
  role: field(text(), 'C', { required: true }),
  permissions: field(words, 'W', { required: true }),
});

export const UserTenants = model('UserTenants', {
  allTenants: field(bool, 'W', { required: true }),
  tenantIds: field(listOf(uuid), 'W'),
});

export const ListedUser = model('ListedUser', {
  username: derivedField(text(), ({ name }: User) => name),
  roles: words,
  allTenants: bool,
  tenantIds: listOf(uuid),
});

export const ApiClientModel = model('SecurityClient', {
  clientId: field(text(), 'C', { required: true, from: ({ name }: ApiClient) => name }),
  clientSecret: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  /** Tenants to which the user has access. Absent or null means all tenants. */
  tenants: field(listOf(uuid), 'W', {
    nullable: true,
    from: ({ allTenants, tenantIds }: ApiClient) => (allTenants ? null : tenantIds),
  }),
});

export interface ShownSession extends CallerSession {
  /** Idle time in milliseconds. */
  readonly timeout: number;
}

const Session = model('Session', {
  id: derivedField(text(), ({ token }: ShownSession) => token),
  startDate: derivedField(timestamp, ({ session }: ShownSession) => instant(session.startedMs)),
  lastAccessDate: derivedField(timestamp, ({ session }: ShownSession) => instant(session.lastAccessMs)),
  timeout: int(),
  host: maybe(text(), ({ session }: ShownSession) => session.host),
});

export const Subject = model('Subject', {
  principal: text(),
  isAuthenticated: bool,
  isRemembered: bool,
  session: maybe(Session),
});

/** The credentials of a sign-in. */
export const SignIn = modelWith('I', 'SignIn', {
  username: field(text(), 'I', { required: true }),
  password: field(text(), 'I', { required: true }),
});

/** A tenant to which a session has access without the tenant's secret. */
export const SessionTenant = model('SessionTenant', {
  tenantId: derivedField(uuid, ({ id }: Tenant) => id),
  apiKey: text(),
  externalKey: maybe(text()),
});

export interface ShownCurrentSession {
  readonly user: Pick<Principal, 'name' | 'permissions'>;
  /** Null for a caller without a session. */
  readonly session: CallerSession['session'] | null;
  /** Idle time in milliseconds. */
  readonly timeout: number;
  readonly requiresApiSecret: boolean;
  /** The tenants, or null if there are too many of them for this response. */
  readonly tenants: readonly Pick<Tenant, 'id' | 'apiKey' | 'externalKey'>[] | null;
}

export const CurrentSession = model('CurrentSession', {
  username: derivedField(text(), ({ user }: ShownCurrentSession) => user.name),
  permissions: derivedField(words, ({ user }: ShownCurrentSession) => user.permissions),
  startDate: maybe(timestamp, ({ session }: ShownCurrentSession) => session && instant(session.startedMs)),
  lastAccessDate: maybe(
    timestamp,
    ({ session }: ShownCurrentSession) => session && instant(session.lastAccessMs),
  ),
  expirationDate: maybe(
    timestamp,
    ({ session, timeout }: ShownCurrentSession) => session && instant(session.lastAccessMs + timeout),
  ),
  timeout: int(),
  requiresApiSecret: bool,
  tenants: maybe(listOf(SessionTenant)),
});
