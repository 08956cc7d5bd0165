import type { ApiClient, User } from '../../../lib/records/index.ts';
import type { RoleDefinition } from '../../../lib/security/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import type { CallerSession } from '../auth/authenticator.ts';
import { field, model, partial, reading } from '../wire/model.ts';
import { bool, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

export const words = listOf(text());

/** The last two fields are ours and read-only, so that answers hold what clients know. */
export const UserRoles = model('UserRoles', {
  username: field(text(), 'C', { required: true, from: ({ name }: User) => name }),
  password: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  tenants: field(listOf(uuid), 'I', { absentable: true }),
  currentPassword: field(text(), 'I', { absentable: true }),
});

/** The body of a change of password; the path names the user. */
export const UserChange = partial(UserRoles);

/** The body of a change of roles; `roles` is required, so that forgetting it does not remove all. */
export const UserRolesChange = reading(UserRoles, { roles: field(words, 'W', { required: true }) });

export const RoleDefinitionModel = model('RoleDefinition', {
  role: field(text(), 'C', { required: true, from: ({ name }: RoleDefinition) => name }),
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

export const ApiClientModel = model('SecurityClient', {
  clientId: field(text(), 'C', { required: true, from: ({ name }: ApiClient) => name }),
  clientSecret: field(text(), 'I', { required: true }),
  roles: field(words, 'W'),
  /** Absent or null = all. */
  tenants: field(listOf(uuid), 'W', {
    nullable: true,
    from: ({ allTenants, tenantIds }: ApiClient) => (allTenants ? null : tenantIds),
  }),
});

/** A session with the idle time after which it ends. */
export interface ShownSession extends CallerSession {
  readonly timeout: number;
}

const Session = model('Session', {
  id: field(text(), 'R', { from: ({ token }: ShownSession) => token }),
  startDate: field(timestamp, 'R', { from: ({ session }: ShownSession) => instant(session.startedMs) }),
  lastAccessDate: field(timestamp, 'R', {
    from: ({ session }: ShownSession) => instant(session.lastAccessMs),
  }),
  timeout: field(int(), 'R'),
  host: field(text(), 'R', { nullable: true, from: ({ session }: ShownSession) => session.host }),
});

export const Subject = model('Subject', {
  principal: field(text(), 'R'),
  isAuthenticated: field(bool, 'R'),
  isRemembered: field(bool, 'R'),
  session: field(Session, 'R', { nullable: true }),
});
