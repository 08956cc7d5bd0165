export type { NewApiClientInput } from './api-clients.ts';
export { type Permission, permissions } from './known-permissions.ts';
export type { LoginAttempt } from './login-guard.ts';
export { ALL_PERMISSIONS, isPermitted, normalisePermissions } from './permissions.ts';
export type { RoleDefinition } from './roles.ts';
export type {
  ApiClientOperations,
  LoginGuardOperations,
  LoginSessionOperations,
  PrincipalOperations,
  RoleOperations,
  SecurityOperations,
  TokenKeyOperations,
  UserOperations,
} from './security-operations.ts';
export { SecurityService } from './service.ts';
export { isGranted } from './tenant-grants.ts';
export type { NewTokenKey, TokenSigner } from './token-keys.ts';
export type { NewUserInput, PasswordPolicy, UserRolesInput } from './users.ts';
