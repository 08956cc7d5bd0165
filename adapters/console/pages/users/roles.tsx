import type { JSX } from 'preact';
import { callServer, callTenant, useLoad, words } from '../../core/index.ts';
import { Action, type Field, Section, Show, Table, textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.users;

export interface Role {
  readonly role: string;
  readonly permissions: readonly string[];
}

/** Loads all roles. */
export function rolesOf(): Promise<readonly Role[]> {
  return callServer<readonly Role[]>('GET /security/roles');
}

/** Returns the names of the checked fields with a prefix, without the prefix. */
export function chosen(values: Values, prefix: string): readonly string[] {
  return Object.entries(values)
    .filter(([name, value]) => name.startsWith(prefix) && value === true)
    .map(([name]) => name.slice(prefix.length));
}

function isAll(permission: string): boolean {
  return permission === '*' || permission === '*:*';
}

/** Groups of permissions as rows, and roles as columns. */
export function Roles() {
  const loaded = useLoad(async () => ({
    roles: await rolesOf(),
    all: await callServer<readonly string[]>('GET /security/permissions/all'),
  }));
  return (
    <Show of={loaded}>
      {({ roles, all }) => (
        <Section
          title={t.roles}
          actions={
            <>
              {roles
                .filter(({ permissions }) => !permissions.some(isAll))
                .map((role) => (
                  <RoleAction key={role.role} of={role} all={all} />
                ))}
              <RoleAction of={null} all={all} />
            </>
          }
        >
          <p class="quiet-text">{t.rolesExplanation}</p>
          <Table
            caption={t.roles}
            rows={groupsOf([...all, ...roles.flatMap(({ permissions }) => permissions)])}
            keyOf={(group) => group}
            columns={[
              { title: t.group, cell: (group) => words(group) },
              ...roles.map(({ role, permissions }) => ({
                title: role,
                cell: (group: string) => granted(group, permissions),
              })),
            ]}
          />
        </Section>
      )}
    </Show>
  );
}

function groupsOf(permissions: readonly string[]): readonly string[] {
  return [...new Set(permissions.map((each) => each.split(':')[0] ?? ''))].filter((group) => group !== '*');
}

/** The permissions of a group that a role has. */
function granted(group: string, permissions: readonly string[]): JSX.Element | string {
  if (permissions.some((each) => isAll(each) || each === `${group}:*`)) return t.everything;
  const values = permissions.filter((each) => each.startsWith(`${group}:`));
  if (values.length === 0) return '–';
  return (
    <>
      {values.map((each) => (
        <div key={each}>{words(each.slice(group.length + 1))}</div>
      ))}
    </>
  );
}

/** Creates a role, or changes the permissions of one. */
function RoleAction({ of: role, all }: { readonly of: Role | null; readonly all: readonly string[] }) {
  const groups = groupsOf(all).map((group) => `${group}:*`);
  const has = (permission: string) =>
    role?.permissions.some((each) => each === permission || each === `${permission.split(':')[0]}:*`) ??
    false;
  const others = (role?.permissions ?? []).filter((each) => !all.includes(each) && !groups.includes(each));
  const fields: readonly Field[] = [
    ...(role === null ? [{ name: 'role', label: t.role, isRequired: true }] : []),
    ...all.map((permission): Field => {
      const [group = '', value = ''] = permission.split(':');
      return {
        name: `may ${permission}`,
        label: `${words(group)}: ${words(value).toLowerCase()}`,
        kind: 'checkbox',
      };
    }),
  ];
  const run = (values: Values) =>
    callTenant(role === null ? 'POST /security/roles' : 'PUT /security/roles', {
      body: {
        role: role?.role ?? textOf(values, 'role'),
        permissions: [...chosen(values, 'may '), ...others],
      },
    });
  return (
    <Action
      {...(role === null ? t.newRole : t.changeRole(role.role))}
      fields={fields}
      initial={Object.fromEntries(all.map((permission) => [`may ${permission}`, has(permission)]))}
      run={run}
      isPrimary={role === null}
    />
  );
}

/** API clients: applications that sign in with a secret. The API does not list them. */
export function Clients() {
  const roles = useLoad(rolesOf);
  const id: Field = { name: 'clientId', label: t.clientId, isRequired: true };
  const secret: Field = {
    name: 'clientSecret',
    label: t.clientSecret,
    kind: 'new-password',
    isRequired: true,
  };
  const create = (values: Values) =>
    callTenant('POST /security/clients', {
      body: {
        clientId: textOf(values, 'clientId'),
        clientSecret: values.clientSecret,
        roles: chosen(values, 'role '),
      },
    });
  const remove = (values: Values) =>
    callTenant(`DELETE /security/clients/${encodeURIComponent(textOf(values, 'clientId') ?? '')}`);
  return (
    <Section
      title={t.clients}
      actions={
        <>
          <Action
            {...t.newClient}
            fields={[
              id,
              secret,
              ...(roles.data ?? []).map(
                ({ role }) => ({ name: `role ${role}`, label: t.hasRole(role), kind: 'checkbox' }) as const,
              ),
            ]}
            run={create}
          />
          <Action {...t.removeClient} fields={[id]} run={remove} isDangerous />
        </>
      }
    >
      <p>{t.clientsExplanation}</p>
    </Section>
  );
}
