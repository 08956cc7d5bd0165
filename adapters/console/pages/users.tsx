import { callServer, callServerPage, callTenant, session, sessionTenants } from '../core/data.ts';
import { label } from '../core/format.ts';
import { Action } from '../parts/action.tsx';
import type { Entered, Fields } from '../parts/form.tsx';
import { Load, Page, Tabs } from '../parts/layout.tsx';
import { ListSection } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.users;

export function Users() {
  return (
    <Page name="users" subtitle={t.signedIn(session.value?.username ?? '')}>
      <Tabs of={{ users: () => <UserList />, roles: () => <Roles /> }} />
    </Page>
  );
}

const passwordField = { kind: 'new-password', isRequired: true } as const;

function pathOf(username: string): string {
  return `/security/users/${encodeURIComponent(username)}`;
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

const loadRoles = () => callServer<readonly Role[]>('GET /security/roles');

/** The roles and the first tenants, which can be granted to users. */
type Choices = Awaited<ReturnType<typeof loadChoices>>;

const MAX_TENANTS = 100;

async function loadChoices() {
  const tenants = sessionTenants({ offset: 0, limit: MAX_TENANTS });
  return { roles: await loadRoles(), tenants: (await tenants).rows };
}

function UserList() {
  return (
    <Load from={loadChoices}>
      {(choices) => {
        const keyOf = (id: string) => choices.tenants.find(({ tenantId }) => tenantId === id)?.apiKey ?? id;
        const tenantsOf = (user: User) =>
          user.allTenants ? label('allTenants') : user.tenantIds.map(keyOf).join(', ');
        return (
          <ListSection
            name="users"
            actions={<NewUser {...choices} />}
            load={(page) => callServerPage<User>('GET /security/users', page)}
            columns={['username', 'roles', ['tenants', tenantsOf]]}
            rowActions={(user) => <UserActions user={user} choices={choices} />}
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
      <Action
        name="remove"
        isHidden={username === session.value?.username}
        explanation={t.removeUser(username)}
        run={() => callTenant(`DELETE ${path}`)}
        isDangerous
      />
    </>
  );
}

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
          columns={['role', 'permissions']}
          rowActions={(role) => <RoleAction of={role} all={all} />}
        />
      )}
    </Load>
  );
}

interface RoleActionProps {
  /** Null for a new role. */
  readonly of: Role | null;
  /** All permissions that can be granted. A role can also have others, such as `invoice:*`. */
  readonly all: readonly string[];
}

/** Creates a role, or changes the permissions of one. */
function RoleAction({ of, all }: RoleActionProps) {
  const { role, permissions = [] } = of ?? {};
  const options = [...new Set([...permissions, ...all])].map((each) => [each, each] as const);
  const method = of === null ? 'POST' : 'PUT';
  return (
    <Action
      name={of === null ? 'newRole' : 'change'}
      explanation={role === undefined ? t.newRole : t.changeRole(role)}
      isHidden={permissions.some((each) => each.startsWith('*'))}
      fields={{ role: of === null && 'required', permissions: { kind: 'several', options } }}
      initial={{ permissions }}
      run={({ role: name = role, ...values }) =>
        callTenant(`${method} /security/roles`, { body: { role: name, ...values } })
      }
      isPrimary={of === null}
    />
  );
}
