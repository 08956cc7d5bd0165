import {
  callServerPage,
  callTenant,
  may,
  type SessionTenant,
  session,
  sessionTenants,
  useLoad,
} from '../../core/index.ts';
import {
  Action,
  type Field,
  Page,
  PagedTable,
  Section,
  Show,
  Tabs,
  textOf,
  type Values,
} from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Clients, chosen, type Role, Roles, rolesOf } from './roles.tsx';

const t = texts.users;

/** Users, roles and API clients, and the password of the signed-in user. */
export function Users() {
  return (
    <Page
      title={texts.shell.users}
      subtitle={t.signedIn(session.value?.username ?? '')}
      actions={<OwnPassword />}
    >
      {may('user:create') && (
        <Tabs
          tabs={[
            { name: 'users', title: texts.shell.users, content: () => <UserList /> },
            { name: 'roles', title: t.roles, content: () => <Roles /> },
            { name: 'clients', title: t.clients, content: () => <Clients /> },
          ]}
        />
      )}
    </Page>
  );
}

const password: Field = { name: 'password', label: t.newPassword, kind: 'new-password', isRequired: true };

function pathOf(username: string): string {
  return `/security/users/${encodeURIComponent(username)}`;
}

function OwnPassword() {
  const run = async ({ password: wanted, again, currentPassword }: Values) => {
    if (wanted !== again) throw new Error(t.passwordsDiffer);
    const body = { password: wanted, currentPassword };
    await callTenant(`PUT ${pathOf(session.value?.username ?? '')}/password`, { body });
  };
  const fields = [
    { ...password, name: 'currentPassword', label: t.currentPassword, kind: 'password' as const },
    password,
    { ...password, name: 'again', label: t.passwordAgain },
  ];
  return <Action {...t.ownPassword} fields={fields} run={run} />;
}

interface User {
  readonly username: string;
  readonly roles: readonly string[];
  readonly allTenants: boolean;
  readonly tenantIds: readonly string[];
}

/** What can be granted to users: roles, and the first tenants. */
interface Choices {
  readonly roles: readonly Role[];
  readonly tenants: readonly SessionTenant[];
}

const MAX_TENANTS = 100;

async function loadChoices(): Promise<Choices> {
  const [roles, { rows: tenants }] = await Promise.all([
    rolesOf(),
    sessionTenants({ offset: 0, limit: MAX_TENANTS }),
  ]);
  return { roles, tenants };
}

function UserList() {
  const loaded = useLoad(loadChoices);
  return (
    <Show of={loaded}>
      {(choices) => (
        <Section title={texts.shell.users} actions={<NewUser choices={choices} />}>
          <PagedTable
            caption={texts.shell.users}
            load={(page) => callServerPage<User>('GET /security/users', page)}
            keyOf={({ username }) => username}
            columns={[
              { title: texts.signIn.username, cell: ({ username }) => username },
              { title: t.roles, cell: ({ roles }) => roles.join(', '), isText: true },
              { title: t.tenants, cell: (user) => tenantText(user, choices), isText: true },
              {
                title: texts.operations.actions,
                cell: (user) => <UserActions user={user} choices={choices} />,
              },
            ]}
          />
        </Section>
      )}
    </Show>
  );
}

function tenantText({ allTenants, tenantIds }: User, { tenants }: Choices): string {
  if (allTenants) return t.allTenants;
  return tenantIds.map((id) => tenants.find(({ tenantId }) => tenantId === id)?.apiKey ?? id).join(', ');
}

function grantFields({ roles, tenants }: Choices, values: Values): readonly Field[] {
  const box = (name: string, label: string): Field => ({ name, label, kind: 'checkbox' });
  return [
    ...roles.map(({ role }) => box(`role ${role}`, t.hasRole(role))),
    box('allTenants', t.allTenants),
    ...(values.allTenants === true
      ? []
      : tenants.map(({ tenantId, apiKey }) => box(`tenant ${tenantId}`, t.hasTenant(apiKey)))),
  ];
}

function NewUser({ choices }: { readonly choices: Choices }) {
  const run = (values: Values) =>
    callTenant('POST /security/users', {
      body: {
        username: textOf(values, 'username'),
        password: values.password,
        roles: chosen(values, 'role '),
        ...(values.allTenants !== true && { tenants: chosen(values, 'tenant ') }),
      },
    });
  const username = { name: 'username', label: texts.signIn.username, isRequired: true };
  return (
    <Action
      {...t.newUser}
      fields={(values) => [username, password, ...grantFields(choices, values)]}
      initial={{ allTenants: false }}
      run={run}
      isPrimary
    />
  );
}

function UserActions(props: { readonly user: User; readonly choices: Choices }) {
  const { user, choices } = props;
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
        {...t.changeUser(username)}
        fields={(values) => grantFields(choices, values)}
        initial={{ ...Object.fromEntries(granted.map((name) => [name, true])), allTenants }}
        run={change}
      />
      <Action
        {...t.setPassword(username)}
        fields={[password]}
        run={(values) => callTenant(`PUT ${path}/password`, { body: { password: values.password } })}
      />
      {username !== session.value?.username && (
        <Action {...t.removeUser(username)} run={() => callTenant(`DELETE ${path}`)} isDangerous />
      )}
    </div>
  );
}
