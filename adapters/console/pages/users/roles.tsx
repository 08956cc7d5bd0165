import type { JSX } from 'preact';
import { callTenant } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { callServer } from '../../core/server.ts';
import { Action } from '../../parts/action.tsx';
import { type Field, textOf, type Values } from '../../parts/form.tsx';
import { Section } from '../../parts/layout.tsx';
import { Show } from '../../parts/loading.tsx';
import { Table } from '../../parts/table.tsx';
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

/** The permissions of the product by group. Plugins have further groups. */
const groups: Readonly<Record<string, readonly string[]>> = {
  account: ['create', 'update', 'add_emails', 'delete_emails', 'charge', 'credit'],
  catalog: ['config_upload', 'delete'],
  coupon: ['view', 'manage', 'redeem'],
  custom_field: ['add', 'update', 'delete'],
  entitlement: ['create', 'change_plan', 'pause_resume', 'cancel', 'transfer'],
  feature: ['view', 'consume', 'override'],
  invoice: ['credit', 'item_adjust', 'delete_cba', 'trigger', 'dry_run', 'write_off', 'commit', 'void'],
  overdue: ['config_upload'],
  payment: ['trigger', 'refund', 'chargeback', 'transition', 'notification'],
  payment_method: ['create', 'update', 'delete'],
  tag: ['create_tag_definition', 'delete_tag_definition', 'add', 'delete'],
  tenant: ['create'],
  tenant_kvs: ['add', 'delete'],
  usage: ['record'],
  user: ['create'],
  admin: ['update', 'export', 'trigger_command', 'health'],
};

const all = Object.entries(groups).flatMap(([group, values]) => values.map((value) => `${group}:${value}`));

function isAll(permission: string): boolean {
  return permission === '*' || permission === '*:*';
}

/** Groups of permissions as rows, and roles as columns. */
export function Roles(): JSX.Element {
  const loaded = useLoad(rolesOf);
  return (
    <Show of={loaded}>
      {(roles) => (
        <Section
          title={t.roles}
          actions={
            <>
              {roles
                .filter(({ permissions }) => !permissions.some(isAll))
                .map((role) => (
                  <RoleAction key={role.role} of={role} />
                ))}
              <RoleAction of={null} />
            </>
          }
        >
          <p class="quiet-text">{t.rolesExplanation}</p>
          <Table
            caption={t.roles}
            rows={groupsOf(roles)}
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

/** The groups of the product, and those of plugins that a role has. */
function groupsOf(roles: readonly Role[]): readonly string[] {
  const used = roles.flatMap(({ permissions }) => permissions.map((each) => each.split(':')[0] ?? ''));
  return [...new Set([...Object.keys(groups), ...used])].filter((group) => group !== '*');
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
function RoleAction({ of: role }: { readonly of: Role | null }): JSX.Element {
  const has = (permission: string) =>
    role?.permissions.some((each) => each === permission || each === `${permission.split(':')[0]}:*`) ??
    false;
  const others = (role?.permissions ?? []).filter((each) => !all.includes(each) && !groupIsKnown(each));
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

function groupIsKnown(permission: string): boolean {
  const [group = '', value] = permission.split(':');
  return value === '*' && group in groups;
}

/** API clients: applications that sign in with a secret. The API does not list them. */
export function Clients(): JSX.Element {
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
