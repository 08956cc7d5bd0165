import type {
  ApiClient,
  LoginFailures,
  LoginSession,
  New,
  Role,
  SigningKey,
  User,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { bigint, bigintOrNull, boolean, integer, json, text, textOrNull, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

// Users, roles, clients, sessions and keys belong to the deployment and to no tenant (platform §8).

export const usersTable = new RecordTable<New<User>>(
  {
    name: 'users',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'name', columns: ['name'] },
    ],
  },
  {
    id: uuid('id'),
    name: text('name'),
    passwordHash: text('password_hash'),
    credentialVersion: integer('credential_version'),
    permissions: json<readonly string[]>('permissions'),
    allTenants: boolean('all_tenants'),
    isActive: boolean('is_active'),
    roles: json<readonly string[]>('roles'),
    tenantIds: json<readonly Uuid[]>('tenant_ids'),
  },
);

export const rolesTable = new RecordTable<New<Role>>(
  {
    name: 'roles',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'name', columns: ['name'] },
    ],
  },
  { id: uuid('id'), name: text('name'), permissions: json<readonly string[]>('permissions') },
);

export const apiClientsTable = new RecordTable<New<ApiClient>>(
  {
    name: 'api_clients',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'name', columns: ['name'] },
    ],
  },
  {
    id: uuid('id'),
    name: text('name'),
    secretHash: text('secret_hash'),
    credentialVersion: integer('credential_version'),
    roles: json<readonly string[]>('roles'),
    allTenants: boolean('all_tenants'),
    tenantIds: json<readonly Uuid[]>('tenant_ids'),
    isActive: boolean('is_active'),
  },
);

export const loginSessionsTable = new RecordTable<New<LoginSession>>(
  {
    name: 'login_sessions',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'token', columns: ['token_hash'] },
    ],
    indexes: [{ name: 'last_access', columns: ['last_access_ms'] }],
  },
  {
    id: uuid('id'),
    tokenHash: text('token_hash'),
    userName: text('user_name'),
    credentialVersion: integer('credential_version'),
    startedMs: bigint('started_ms'),
    lastAccessMs: bigint('last_access_ms'),
    host: textOrNull('host'),
  },
);

export const loginFailuresTable = new RecordTable<New<LoginFailures>>(
  {
    name: 'login_failures',
    ofTenant: false,
    uniques: [{ name: 'subject', columns: ['subject'] }],
    indexes: [{ name: 'last_failure', columns: ['last_failure_ms'] }],
  },
  {
    subject: text('subject'),
    failedAtMs: json<readonly number[]>('failed_at_ms'),
    lastFailureMs: bigint('last_failure_ms'),
    lockedUntilMs: bigintOrNull('locked_until_ms'),
  },
);

export const signingKeysTable = new RecordTable<New<SigningKey>>(
  {
    name: 'signing_keys',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'kid', columns: ['kid'] },
    ],
  },
  {
    id: uuid('id'),
    kid: text('kid'),
    publicKey: json<Readonly<Record<string, unknown>>>('public_key'),
    privateKey: text('private_key'),
    createdMs: bigint('created_ms'),
  },
);
