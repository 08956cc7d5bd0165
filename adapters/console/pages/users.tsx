import {
  callServer,
  callServerPage,
  callTenant,
  may,
  type SessionTenant,
  session,
  sessionTenants,
  useLoad,
} from '../core/data.ts';
import { label, words } from '../core/format.ts';
import { Action, type Field, type FieldOrName, requiredText, textOf, type Values } from '../parts/action.tsx';
import { Page, Section, Show, Tabs } from '../parts/layout.tsx';
import { KnownList, ListSection } from '../parts/table.tsx';
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

const passwordField: Field = { name: 'newPassword', kind: 'new-password', isRequired: true };

function pathOf(username: string): string {
  return `/security/users/${encodeURIComponent(username)}`;
}

function OwnPassword() {
  const run = async ({ newPassword, newPasswordAgain, currentPassword }: Values) => {
    if (newPassword !== newPasswordAgain) throw new Error(t.passwordsDiffer);
    const body = { password: newPassword, currentPassword };
    await callTenant(`PUT ${pathOf(session.value?.username ?? '')}/password`, { body });
  };
  const fields: readonly Field[] = [
    { name: 'currentPassword', kind: 'password', isRequired: true },
    passwordField,
    { ...passwordField, name: 'newPasswordAgain' },
  ];
  return <Action name="changeMyPassword" fields={fields} run={run} />;
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
  const loaded = useLoad(loadChoices);
  const tenantsOf = ({ allTenants, tenantIds }: User, { tenants }: Choices) =>
    allTenants
      ? label('allTenants')
      : tenantIds.map((id) => tenants.find(({ tenantId }) => tenantId === id)?.apiKey ?? id).join(', ');
  return (
    <Show of={loaded}>
      {(choices) => (
        <ListSection
          name="users"
          actions={<NewUser {...choices} />}
          load={(page) => callServerPage<User>('GET /security/users', page)}
          columns={[
            ['user', ({ username }) => username],
            ['roles', ({ roles }) => roles.join(', '), 'text'],
            ['tenants', (user) => tenantsOf(user, choices), 'text'],
            ['', (user) => <UserActions user={user} choices={choices} />],
          ]}
        />
      )}
    </Show>
  );
}

function checkbox(name: string, text: string): Field {
  return { name, label: text, kind: 'checkbox' };
}

/** Returns the names of the checked fields with a prefix, without the prefix. */
function chosen(values: Values, prefix: string): readonly string[] {
  return Object.entries(values)
    .filter(([name, value]) => name.startsWith(prefix) && value === true)
    .map(([name]) => name.slice(prefix.length));
}

function grantFields({ roles, tenants }: Choices, { allTenants }: Values): readonly FieldOrName[] {
  const ofTenants = tenants.map(({ tenantId, apiKey }) =>
    checkbox(`tenant ${tenantId}`, t.hasTenant(apiKey)),
  );
  return [
    ...roles.map(({ role }) => checkbox(`role ${role}`, t.hasRole(role))),
    { name: 'allTenants', kind: 'checkbox' },
    ...(allTenants === true ? [] : ofTenants),
  ];
}

function NewUser(choices: Choices) {
  const run = (values: Values) =>
    callTenant('POST /security/users', {
      body: {
        username: textOf(values, 'user'),
        password: values.newPassword,
        roles: chosen(values, 'role '),
        ...(values.allTenants !== true && { tenants: chosen(values, 'tenant ') }),
      },
    });
  return (
    <Action
      name="newUser"
      fields={(values) => [
        { name: 'user', isRequired: true },
        passwordField,
        ...grantFields(choices, values),
      ]}
      run={run}
      isPrimary
    />
  );
}

function UserActions({ user, choices }: { readonly user: User; readonly choices: Choices }) {
  const { username, roles, tenantIds, allTenants } = user;
  const path = pathOf(username);
  const granted = [...roles.map((role) => `role ${role}`), ...tenantIds.map((id) => `tenant ${id}`)];
  const change = async (values: Values) => {
    const isAll = values.allTenants === true;
    const grants = { allTenants: isAll, tenantIds: isAll ? [] : chosen(values, 'tenant ') };
    await callTenant(`PUT ${path}/roles`, { body: { roles: chosen(values, 'role ') } });
    await callTenant(`PUT ${path}/tenants`, { body: grants });
  };
  return (
    <div class="actions">
      <Action
        name="change"
        explanation={t.changeUser(username)}
        fields={(values) => grantFields(choices, values)}
        initial={{ ...Object.fromEntries(granted.map((name) => [name, true])), allTenants }}
        run={change}
      />
      <Action
        name="password"
        explanation={t.setPassword(username)}
        fields={[passwordField]}
        run={({ newPassword }) => callTenant(`PUT ${path}/password`, { body: { password: newPassword } })}
      />
      {username !== session.value?.username && (
        <Action
          name="remove"
          explanation={t.removeUser(username)}
          run={() => callTenant(`DELETE ${path}`)}
          isDangerous
        />
      )}
    </div>
  );
}

function isAll(permission: string): boolean {
  return permission === '*' || permission === '*:*';
}

function groupOf(permission: string): string {
  return permission.split(':')[0] ?? '';
}

/** The roles with what they may do. */
function Roles() {
  const loaded = useLoad(async () => ({
    roles: await loadRoles(),
    all: await callServer<readonly string[]>('GET /security/permissions/all'),
  }));
  return (
    <Show of={loaded}>
      {({ roles, all }) => (
        <Section name="roles" actions={<RoleAction of={null} all={all} />}>
          <p class="quiet-text">{t.rolesExplanation}</p>
          <KnownList
            name="roles"
            rows={roles}
            columns={[
              ['role', ({ role }) => role],
              ['mayDo', Permissions, 'text'],
              ['', (role) => !role.permissions.some(isAll) && <RoleAction of={role} all={all} />],
            ]}
          />
        </Section>
      )}
    </Show>
  );
}

/** The permissions of a role by group. */
function Permissions({ permissions }: Role) {
  if (permissions.some(isAll)) return <>{label('everything')}</>;
  const groups = Map.groupBy(permissions, groupOf);
  return (
    <>
      {[...groups].map(([group, granted]) => (
        <div key={group}>
          {words(group)}: {granted.map((each) => actionOf(each)).join(', ')}
        </div>
      ))}
    </>
  );
}

function actionOf(permission: string): string {
  const [, action = ''] = permission.split(':');
  return (action === '*' ? label('everything') : words(action)).toLowerCase();
}

interface RoleActionProps {
  /** Null for a new role. */
  readonly of: Role | null;
  /** All permissions that can be granted. */
  readonly all: readonly string[];
}

/** Creates a role, or changes the permissions of one. */
function RoleAction({ of: role, all }: RoleActionProps) {
  const permissions = role?.permissions ?? [];
  const has = (permission: string) =>
    permissions.some((each) => each === permission || each === `${groupOf(permission)}:*`);
  const isOffered = (permission: string) =>
    all.includes(permission) ||
    (permission.endsWith(':*') && all.some((each) => groupOf(each) === groupOf(permission)));
  const fields: readonly FieldOrName[] = [
    role === null && { name: 'role', isRequired: true },
    ...all.map((each) => checkbox(`may ${each}`, `${words(groupOf(each))}: ${actionOf(each)}`)),
  ];
  const run = (values: Values) =>
    callTenant(role === null ? 'POST /security/roles' : 'PUT /security/roles', {
      body: {
        role: role?.role ?? requiredText(values, 'role'),
        permissions: [...chosen(values, 'may '), ...permissions.filter((each) => !isOffered(each))],
      },
    });
  return (
    <Action
      name={role === null ? 'newRole' : 'change'}
      explanation={role === null ? t.newRole : t.changeRole(role.role)}
      fields={fields}
      initial={Object.fromEntries(all.map((permission) => [`may ${permission}`, has(permission)]))}
      run={run}
      isPrimary={role === null}
    />
  );
}
