import { ALL_PERMISSIONS } from './permissions.ts';

/** The role that may do everything; clients unlock their menus by its one permission (http-api §5). */
export const ADMIN_ROLE = 'admin';

/** Roles that are always there and cannot be changed: name to permissions. */
export const BUILT_IN_ROLES: ReadonlyMap<string, readonly string[]> = new Map([
  [ADMIN_ROLE, [ALL_PERMISSIONS]],
]);
