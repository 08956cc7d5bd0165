import {
  callServer,
  callServerPage,
  callTenant,
  may,
  type SessionTenant,
  session,
  sessionTenants,
} from '../core/data.ts';
import { label, words } from '../core/format.ts';
import { Action } from '../parts/action.tsx';
import type { Entered, Fields } from '../parts/form.tsx';
import { Load, Page, Tabs } from '../parts/layout.tsx';
import { ListSection } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.users;

/** Users and roles, and the password of the signed-in user. */
export function Users() {
  return (
    <Page name="users" subtitle={t.signedIn(session.value?.username ?? '')} actions={<OwnPassword />}>
      {may('user:create') && <Tabs of={{ users: () => <UserList />, roles: () => <Roles /> }} />}
    </Page>
  );
}

const passwordField = { kind: 'new-password', isRequired: true } as const;

function pathOf(username: string): string {
  return `/security/users/${encodeURIComponent(username)}`;
}

function OwnPassword() {
  return (
    <Action
      name="changeMyPassword"
      fields={{
        currentPassword: { kind: 'password', isRequired: true },
        newPassword: passwordField,
        newPasswordAgain: passwordField,
      }}
      run={async ({ currentPassword, newPassword: password, newPasswordAgain }) => {
        if (password !== newPasswordAgain) throw new Error(t.passwordsDiffer);
        await callTenant(`PUT ${pathOf(session.value?.username ?? '')}/password`, {
          body: { password, currentPassword },
        });
      }}
    />
  );
}

interface User {
  readonly username: string;
  readonly roles: readonly string[];
  readonly allTenants: boolean;
  readonly tenantIds: readonly string[];
}

interface Role {
  readonly role: string;
  readonly permissions: readonly string[];
}

function loadRoles(): Promise<readonly Role[]> {
  return callServer<readonly Role[]>('GET /security/roles');
}

/** What can be granted to users: roles, and the first tenants. */
interface Choices {
  readonly roles: readonly Role[];
  readonly tenants: readonly SessionTenant[];
}

const MAX_TENANTS = 100;

async function loadChoices(): Promise<Choices> {
  const [roles, { rows: tenants }] = await Promise.all([
    loadRoles(),
    sessionTenants({ offset: 0, limit: MAX_TENANTS }),
  ]);
  return { roles, tenants };
}

function UserList() {
  return (
    <Load from={loadChoices}>
      {(choices) => {
        const keyOf = (id: string) => choices.tenants.find(({ tenantId }) => tenantId === id)?.apiKey ?? id;
        return (
          <ListSection
            name="users"
            actions={<NewUser {...choices} />}
            load={(page) => callServerPage<User>('GET /security/users', page)}
            columns={[
              ['user', 'username'],
              ['roles', 'roles', 'text'],
              [
                'tenants',
                (user) => (user.allTenants ? label('allTenants') : user.tenantIds.map(keyOf).join(', ')),
                'text',
              ],
              ['', (user) => <UserActions user={user} choices={choices} />],
            ]}
          />
        );
      }}
    </Load>
  );
}

function grantFields({ roles, tenants }: Choices, { allTenants }: Entered) {
  const options = tenants.map(({ tenantId, apiKey }) => [tenantId, apiKey] as const);
  return {
    roles: { kind: 'several', options: roles.map(({ role }) => [role, role] as const) },
    allTenants: 'checkbox',
    tenantIds: allTenants !== true && { kind: 'several', label: label('tenants'), options },
  } satisfies Fields;
}

function NewUser(choices: Choices) {
  return (
    <Action
      name="newUser"
      fields={(_, entered) => ({
        user: 'required',
        newPassword: passwordField,
        ...grantFields(choices, entered),
      })}
      run={({ user: username, newPassword: password, roles, tenantIds: tenants }) =>
        callTenant('POST /security/users', {
          body: { username, password, roles, ...(tenants !== undefined && { tenants }) },
        })
      }
      isPrimary
    />
  );
}

function UserActions({ user, choices }: { readonly user: User; readonly choices: Choices }) {
  const { username } = user;
  const path = pathOf(username);
  return (
    <>
      <Action
        name="change"
        explanation={t.changeUser(username)}
        fields={(_, entered) => grantFields(choices, entered)}
        initial={{ ...user }}
        run={async ({ roles, allTenants, tenantIds = [] }) => {
          await callTenant(`PUT ${path}/roles`, { body: { roles } });
          await callTenant(`PUT ${path}/tenants`, { body: { allTenants, tenantIds } });
        }}
      />
      <Action
        name="password"
        explanation={t.setPassword(username)}
        fields={{ newPassword: passwordField }}
        run={({ newPassword: password }) => callTenant(`PUT ${path}/password`, { body: { password } })}
      />
      {username !== session.value?.username && (
        <Action
          name="remove"
          explanation={t.removeUser(username)}
          run={() => callTenant(`DELETE ${path}`)}
          isDangerous
        />
      )}
    </>
  );
}

function isAll(permission: string): boolean {
  return permission === '*' || permission === '*:*';
}

function groupOf(permission: string): string {
  return permission.split(':')[0] ?? '';
}

function actionOf(permission: string): string {
  const [, action = ''] = permission.split(':');
  return (action === '*' ? label('everything') : words(action)).toLowerCase();
}

/** The roles with what they may do. */
function Roles() {
  const load = () =>
    Promise.all([loadRoles(), callServer<readonly string[]>('GET /security/permissions/all')]);
  return (
    <Load from={load}>
      {([roles, all]) => (
        <ListSection
          name="roles"
          actions={<RoleAction of={null} all={all} />}
          isExplained
          rows={roles}
          columns={[
            'role',
            ['mayDo', Permissions, 'text'],
            ['', (role) => !role.permissions.some(isAll) && <RoleAction of={role} all={all} />],
          ]}
        />
      )}
    </Load>
  );
}

/** The permissions of a role by group. */
function Permissions({ permissions }: Role) {
  if (permissions.some(isAll)) return <>{label('everything')}</>;
  return (
    <>
      {[...Map.groupBy(permissions, groupOf)].map(([group, granted]) => (
        <div key={group}>
          {words(group)}: {granted.map(actionOf).join(', ')}
        </div>
      ))}
    </>
  );
}

interface RoleActionProps {
  /** Null for a new role. */
  readonly of: Role | null;
  /** All permissions that can be granted. */
  readonly all: readonly string[];
}

/** Creates a role, or changes the permissions of one. */
function RoleAction({ of: role, all }: RoleActionProps) {
  const before = role?.permissions ?? [];
  const isGranted = (permission: string) =>
    before.includes(permission) || before.includes(`${groupOf(permission)}:*`);
  // Permissions that the form does not offer, such as those of plugins, stay.
  const others = before.filter(
    (each) => !all.some((offered) => offered === each || each === `${groupOf(offered)}:*`),
  );
  const options = all.map((each) => [each, `${words(groupOf(each))}: ${actionOf(each)}`] as const);
  return (
    <Action
      name={role === null ? 'newRole' : 'change'}
      explanation={role === null ? t.newRole : t.changeRole(role.role)}
      fields={{ role: role === null && 'required', permissions: { kind: 'several', options } }}
      initial={{ permissions: all.filter(isGranted) }}
      run={({ role: name = role?.role, permissions }) =>
        callTenant(role === null ? 'POST /security/roles' : 'PUT /security/roles', {
          body: { role: name, permissions: [...permissions, ...others] },
        })
      }
      isPrimary={role === null}
    />
  );
}
