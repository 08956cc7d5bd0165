export {
  ALL_PERMISSIONS,
  isPermitted,
  normalisePermissions,
  type Permission,
  permissions,
} from './permissions.ts';
export { isGranted, tenantsOfSession } from './principals.ts';
export type {
  ApiClientOperations,
  LoginAttempt,
  LoginGuardOperations,
  LoginSessionOperations,
  NewApiClientInput,
  NewTokenKey,
  NewUserInput,
  PasswordPolicy,
  PrincipalOperations,
  RoleDefinition,
  RoleOperations,
  SecurityOperations,
  TokenKeyOperations,
  TokenSigner,
  UserOperations,
  UserRolesInput,
} from './security-operations.ts';
export { lostSecrets, type RotatedSecrets, rotateServerKey } from './server-key.ts';
export { securityOperations } from './service.ts';
