import type {
  FailureRule,
  SecurityCheck,
  SecurityReads,
  SecurityStore,
} from '../../../lib/ports/storage/index.ts';
import {
  type ApiClient,
  type Authorship,
  ChangeType,
  type New,
  type Role,
  type User,
} from '../../../lib/records/index.ts';
import { WriteScope } from '../audit/audited-writes.ts';
import { numberIn } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { substringPattern } from '../sql/search-conditions.ts';
import { type Condition, isIn, raw, type Sql, sql } from '../sql/sql.ts';
import { insertInto, selectOfAll } from '../tables/record-access.ts';
import type { RecordTable } from '../tables/record-table.ts';
import {
  apiClientsTable,
  loginFailuresTable,
  loginSessionsTable,
  rolesTable,
  signingKeysTable,
  usersTable,
} from '../tables/security.ts';

/** Tenant id of rows that do not belong to a tenant (platform §17 rule 2). */
const noTenant = 0;
const revisionCounter = 'security_revision';

type Named = User | Role | ApiClient;

/** A kind of record with a unique name. Audit rows show its listed properties and never the secret. */
interface Kind<R extends Named> {
  readonly table: RecordTable<New<R>>;
  readonly tableName: string;
  readonly audited: readonly (keyof New<R>)[];
}

const login = ['roles', 'allTenants', 'tenantIds', 'isActive', 'credentialVersion'] as const;
const users: Kind<User> = {
  table: usersTable,
  tableName: 'USER',
  audited: ['name', 'permissions', ...login],
};
const roles: Kind<Role> = { table: rolesTable, tableName: 'ROLE', audited: ['name', 'permissions'] };
const clients: Kind<ApiClient> = {
  table: apiClientsTable,
  tableName: 'API_CLIENT',
  audited: ['name', ...login],
};

export function securityStore(access: SystemAccess): SecurityStore {
  const read = <R extends object>(table: RecordTable<R>, condition: Condition) =>
    selectOfAll(access, table, condition);
  const run = async (statement: Sql): Promise<void> => {
    await access.run(statement);
  };
  // All nodes lock the row of the revision, because a new name has no row to lock.
  const change = async <T>(
    { authorship, check }: { readonly authorship: Authorship; readonly check: SecurityCheck | undefined },
    work: (writing: Writing) => Promise<T>,
  ) =>
    access.transact(async (runner) => {
      await raiseRevision(runner);
      await check?.(readsOf(runner));
      return work({ runner, authorship });
    });
  return {
    revision: async () => {
      const rows = await access.rows(sql`
        select value from bw_counters where tenant_record_id = ${noTenant} and name = ${revisionCounter}`);
      return rows[0] === undefined ? 0 : numberIn(rows[0], 'value');
    },
    insertUser: async (user, authorship, check) =>
      change({ authorship, check }, (writing) => insertActive(writing, users, user)),
    updateUser: async (name, update, authorship) =>
      change({ authorship, check: update.check }, async (writing) => {
        const user = await activeByName(writing.runner, usersTable, name);
        if (user === null) return null;
        const credentialVersion = user.credentialVersion + (update.isCredential ? 1 : 0);
        const changed = { ...user, ...update.values, credentialVersion };
        await save(writing, users, { record: changed, changeType: ChangeType.UPDATE });
        return changed;
      }),
    rehashUser: async (name, { from, to }) =>
      run(sql`update bw_users set password_hash = ${to} where name = ${name} and password_hash = ${from}`),
    rehashClient: async (name, { from, to }) =>
      run(sql`update bw_api_clients set secret_hash = ${to} where name = ${name} and secret_hash = ${from}`),
    rehashTenant: async (apiKey, { from, to }) =>
      run(sql`
        update bw_tenants set api_secret_hash = ${to} where api_key = ${apiKey} and api_secret_hash = ${from}`),

    listUsers: async () => byName(await read(usersTable, sql`is_active`)),
    findRoles: async (names) => byName(await read(rolesTable, isIn('name', 'text', names))),
    listRoles: async () => byName(await read(rolesTable, sql`1 = 1`)),
    insertRole: async (role, authorship, check) =>
      change({ authorship, check }, async (writing) => {
        if ((await lockByName(writing.runner, rolesTable, role.name)) !== null) return false;
        await save(writing, roles, { record: role, changeType: ChangeType.INSERT });
        return true;
      }),
    putRole: async (role, authorship, check) =>
      change({ authorship, check }, async (writing) => {
        const known = await lockByName(writing.runner, rolesTable, role.name);
        const record = known === null ? role : { ...known, permissions: role.permissions };
        const changeType = known === null ? ChangeType.INSERT : ChangeType.UPDATE;
        await save(writing, roles, { record, changeType });
      }),

    findClientByName: async (name) => (await read(apiClientsTable, isIn('name', 'text', [name])))[0] ?? null,
    insertClient: async (client, authorship, check) =>
      change({ authorship, check }, (writing) => insertActive(writing, clients, client)),
    deactivateClient: async (name, authorship, check) =>
      change({ authorship, check }, async (writing) => {
        const client = await activeByName(writing.runner, apiClientsTable, name);
        if (client === null) return false;
        const record = { ...client, isActive: false, credentialVersion: client.credentialVersion + 1 };
        await save(writing, clients, { record, changeType: ChangeType.UPDATE });
        return true;
      }),

    insertSession: async (session) => {
      const { affected } = await access.run(sql`
        ${insertInto(noTenant, loginSessionsTable, [session])} on conflict (token_hash) do nothing`);
      return affected === 1;
    },
    findSession: async (tokenHash) =>
      (await read(loginSessionsTable, isIn('token_hash', 'text', [tokenHash])))[0] ?? null,
    touchSession: async (id, lastAccessMs) =>
      run(sql`
        update bw_login_sessions set last_access_ms = ${lastAccessMs}
        where ${isIn('id', 'uuid', [id])} and last_access_ms < ${lastAccessMs}`),
    deleteSession: async (tokenHash) =>
      run(sql`delete from bw_login_sessions where token_hash = ${tokenHash}`),
    purgeSessions: async (lastAccessBeforeMs) =>
      run(sql`delete from bw_login_sessions where last_access_ms < ${lastAccessBeforeMs}`),

    findFailures: async (subjects) => read(loginFailuresTable, isIn('subject', 'text', subjects)),
    changeFailures: async (subjects, rule) =>
      access.transact((runner) => changeFailures(runner, subjects, rule)),
    clearFailures: async (subjects) =>
      run(sql`delete from bw_login_failures where ${isIn('subject', 'text', subjects)}`),
    purgeFailures: async (lastFailureBeforeMs) =>
      run(sql`delete from bw_login_failures where last_failure_ms < ${lastFailureBeforeMs}`),

    listSigningKeys: async () => read(signingKeysTable, sql`1 = 1`),
    deleteSigningKeys: async (ids) => run(sql`delete from bw_signing_keys where ${isIn('id', 'uuid', ids)}`),
    insertSigningKey: async (key, unlessNewerThanMs) =>
      access.transact(async (runner) => {
        // All nodes lock the row of the revision, because a new key has no row to lock.
        await raiseRevision(runner);
        const [newer] = await selectOfAll(runner, signingKeysTable, sql`created_ms > ${unlessNewerThanMs}`);
        if (newer === undefined) await runner.run(insertInto(noTenant, signingKeysTable, [key]));
      }),
  };
}

interface Writing {
  readonly runner: Runner;
  readonly authorship: Authorship;
}

/**
 * Increments the revision. This happens in the same transaction as each change, so that readers see the change and the
 * revision together.
 */
export async function raiseRevision(runner: Runner): Promise<void> {
  await runner.run(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${noTenant}, ${revisionCounter}, 1)
    on conflict (tenant_record_id, name) do update set value = bw_counters.value + 1`);
}

/**
 * Returns the read functions of a transaction that has locked the records, so that no other transaction can change
 * them.
 */
function readsOf(runner: Runner): SecurityReads {
  return {
    findUser: (name) => activeByName(runner, usersTable, name),
    findClient: (name) => activeByName(runner, apiClientsTable, name),
    findRoles: async (names) => byName(await selectOfAll(runner, rolesTable, isIn('name', 'text', names))),
    holdersOf: async (role) => {
      const mentioned = sql`is_active and cast(roles as text) like ${substringPattern(JSON.stringify(role))} escape '\\'`;
      const found = [
        ...(await selectOfAll(runner, usersTable, mentioned)),
        ...(await selectOfAll(runner, apiClientsTable, mentioned)),
      ];
      return found.filter((each) => each.roles.includes(role));
    },
  };
}

/** Returns the record with this name and locks it until the transaction ends. */
async function lockByName<R extends { readonly name: string }>(
  runner: Runner,
  table: RecordTable<R>,
  name: string,
) {
  const [record] = await runner.readAs(table)`
    select ${raw(runner.dialect.selectList(table))} from ${raw(table.name)}
    where ${isIn('name', 'text', [name])} ${raw(runner.dialect.forUpdate)}`;
  return record ?? null;
}

async function activeByName<R extends { readonly name: string; readonly isActive: boolean }>(
  runner: Runner,
  table: RecordTable<R>,
  name: string,
) {
  const record = await lockByName(runner, table, name);
  return record?.isActive ? record : null;
}

/**
 * Inserts the record. An inactive record with the same name is replaced. Returns false if an active record has the
 * name.
 */
async function insertActive<R extends User | ApiClient>(writing: Writing, kind: Kind<R>, given: New<R>) {
  const known = await lockByName<New<R>>(writing.runner, kind.table, given.name);
  if (known?.isActive) return false;
  // A higher version invalidates cache entries for the previous owner of the name.
  const credentialVersion = known === null ? given.credentialVersion : known.credentialVersion + 1;
  const record = { ...given, id: known?.id ?? given.id, credentialVersion };
  await save(writing, kind, { record, changeType: ChangeType.INSERT });
  return true;
}

async function save<R extends Named>(
  { runner, authorship }: Writing,
  kind: Kind<R>,
  { record, changeType }: { readonly record: New<R>; readonly changeType: ChangeType },
): Promise<void> {
  const written = kind.table.written.map(({ name }) => name).filter((name) => name !== 'id');
  const assignments = written.map((name) => `${name} = excluded.${name}`).join(', ');
  const [row] = await runner.rows(sql`
    ${insertInto(noTenant, kind.table, [record])}
    on conflict (name) do update set ${raw(assignments)} returning record_id`);
  const scope = new WriteScope(runner, noTenant, { authorship });
  scope.changes.add({
    tableName: kind.tableName,
    changeType,
    targetId: record.id,
    targetRecordId: numberIn(row, 'record_id'),
    accountRecordId: null,
    snapshot: Object.fromEntries(kind.audited.map((property) => [property, record[property]])),
  });
  await scope.changes.flush(scope, authorship);
}

function byName<R extends Named>(found: readonly R[]): readonly R[] {
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function changeFailures(runner: Runner, subjects: readonly string[], rule: FailureRule) {
  // The subjects are sorted, so that two calls with the same subjects cannot deadlock.
  const sorted = subjects.toSorted();
  const fresh = sorted.map((subject) => ({ subject, failedAtMs: [], lastFailureMs: 0, lockedUntilMs: null }));
  await runner.run(sql`${insertInto(noTenant, loginFailuresTable, fresh)} on conflict (subject) do nothing`);
  const failures = await runner.readAs(loginFailuresTable)`
    select ${raw(runner.dialect.selectList(loginFailuresTable))} from bw_login_failures
    where ${isIn('subject', 'text', sorted)} order by subject ${raw(runner.dialect.forUpdate)}`;
  const changed = failures.map((known) => rule(known.subject, known.failedAtMs.length === 0 ? null : known));
  const assignments = ['failed_at_ms', 'last_failure_ms', 'locked_until_ms'].map(
    (name) => `${name} = excluded.${name}`,
  );
  await runner.run(sql`
    ${insertInto(noTenant, loginFailuresTable, changed)}
    on conflict (subject) do update set ${raw(assignments.join(', '))}`);
}
