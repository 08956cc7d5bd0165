import type { ModelTexts } from './model-text.ts';

/** Of tenants, and of those who use them. */
export const tenantModels: ModelTexts = {
  Tenant: {
    about: 'A deployment of its own: accounts, catalog and configuration belong to one',
    properties: {
      tenantId: 'Id of the tenant',
      externalKey: 'Key of the caller',
      apiKey: 'Key by which calls name the tenant',
      apiSecret: 'Secret that calls present with the key; never shown',
    },
  },
  TenantKeyValue: {
    about: 'What a tenant keeps under a key',
    properties: { key: 'The key', values: 'Its values; empty where there are none' },
  },
  UserRoles: {
    about: 'A user with roles',
    properties: {
      username: 'Name of the user',
      password: 'Password; never shown',
      roles: 'Names of the roles',
      tenants: 'Ids of the tenants that the user may use; by default all',
      currentPassword: 'The present password; needed of users who change their own',
    },
  },
  RoleDefinition: {
    about: 'What those who have a role may do',
    properties: { role: 'Name of the role', permissions: 'Permissions, such as `account:create` or `*:*`' },
  },
  UserTenants: {
    about: 'Tenants that a user may use',
    properties: { allTenants: 'Whether it may use all of them', tenantIds: 'Ids of those that it may use' },
  },
  SecurityClient: {
    about: 'An application that gets tokens by a secret of its own',
    properties: {
      clientId: 'Name of the client',
      clientSecret: 'Its secret; never shown',
      roles: 'Names of its roles',
      tenants: 'Ids of the tenants that it may use; null: all',
    },
  },
  Subject: {
    about: 'Who is logged in',
    properties: {
      principal: 'Name of the user',
      isAuthenticated: 'Whether somebody is logged in',
      isRemembered: 'Always false',
      session: 'The session; null: there is none',
    },
  },
  Session: {
    about: 'A session that began with a login',
    properties: {
      id: 'Id of the session',
      startDate: 'When it began',
      lastAccessDate: 'When it was used last',
      timeout: 'After how many milliseconds without use it ends',
      host: 'Address of the caller',
    },
  },
};
