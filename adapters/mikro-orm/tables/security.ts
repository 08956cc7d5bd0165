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

// Users, roles, clients, sessions and keys belong to the deployment, not to a tenant (platform §8).

export const usersTable = new RecordTable('users', columnsOf(userFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const rolesTable = new RecordTable('roles', columnsOf(roleFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const apiClientsTable = new RecordTable('api_clients', columnsOf(apiClientFields), {
  ofTenant: false,
  uniques: { id: 'id', name: 'name' },
});

export const loginSessionsTable = new RecordTable('login_sessions', columnsOf(loginSessionFields), {
  ofTenant: false,
  uniques: { id: 'id', token: 'token_hash' },
  indexes: { last_access: 'last_access_ms' },
});

export const loginFailuresTable = new RecordTable('login_failures', columnsOf(loginFailureFields), {
  ofTenant: false,
  uniques: { subject: 'subject' },
  indexes: { last_failure: 'last_failure_ms' },
});

export const signingKeysTable = new RecordTable('signing_keys', columnsOf(signingKeyFields), {
  ofTenant: false,
  uniques: { id: 'id', kid: 'kid' },
});
