import type {
  ApiClient,
  LoginFailures,
  LoginSession,
  New,
  Role,
  SigningKey,
  User,
} from '../../../lib/records/index.ts';
import {
  apiClientFields,
  loginFailureFields,
  loginSessionFields,
  roleFields,
  signingKeyFields,
  userFields,
} from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
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
  columnsOf(userFields),
);

export const rolesTable = new RecordTable<New<Role>>(
  {
    ...columnsOf(roleFields),
    name: 'roles',
    ofTenant: false,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'name', columns: ['name'] },
    ],
  },
  columnsOf(roleFields),
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
  columnsOf(apiClientFields),
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
  columnsOf(loginSessionFields),
);

export const loginFailuresTable = new RecordTable<New<LoginFailures>>(
  {
    name: 'login_failures',
    ofTenant: false,
    uniques: [{ name: 'subject', columns: ['subject'] }],
    indexes: [{ name: 'last_failure', columns: ['last_failure_ms'] }],
  },
  columnsOf(loginFailureFields),
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
  columnsOf(signingKeyFields),
);
