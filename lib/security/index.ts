export type { LoginAttempt } from './login-guard.ts';
export {
  ALL_PERMISSIONS,
  isPermitted,
  normalisePermissions,
  type Permission,
  permissions,
} from './permissions.ts';
export { isGranted } from './principals.ts';
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
export { securityOperations } from './service.ts';
export type { NewTokenKey, TokenSigner } from './token-keys.ts';
export type { NewApiClientInput, NewUserInput, PasswordPolicy, UserRolesInput } from './users.ts';
