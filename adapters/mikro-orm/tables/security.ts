import {
  type ApiClient,
  apiClientFields,
  type LoginFailures,
  type LoginSession,
  loginFailureFields,
  loginSessionFields,
  type New,
  type Role,
  roleFields,
  type SigningKey,
  signingKeyFields,
  type User,
  userFields,
} from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

// Users, roles, clients, sessions and keys belong to the deployment, not to a tenant (platform §8).

export const usersTable = new RecordTable<New<User>>('users', columnsOf(userFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const rolesTable = new RecordTable<New<Role>>('roles', columnsOf(roleFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const apiClientsTable = new RecordTable<New<ApiClient>>('api_clients', columnsOf(apiClientFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const loginSessionsTable = new RecordTable<New<LoginSession>>(
  'login_sessions',
  columnsOf(loginSessionFields),
  {
    ofTenant: false,
    uniques: { id: 'id', token: 'token_hash' },
    indexes: { last_access: 'last_access_ms' },
  },
);

export const loginFailuresTable = new RecordTable<New<LoginFailures>>(
  'login_failures',
  columnsOf(loginFailureFields),
  { ofTenant: false, uniques: { subject: 'subject' }, indexes: { last_failure: 'last_failure_ms' } },
);

export const signingKeysTable = new RecordTable<New<SigningKey>>(
  'signing_keys',
  columnsOf(signingKeyFields),
  { ofTenant: false, uniques: { id: 'id', kid: 'kid' } },
);
