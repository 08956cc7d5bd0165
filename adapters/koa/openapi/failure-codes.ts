import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { isIdParameter, parameterNamesOf } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';

/**
 * What an operation fails with: its own codes, and the general ones that follow from what it asks for. What can happen to
 * every call, such as 429 and 503, is not among them (http-api §13). A route with errors of its own kind has no codes.
 */
export function failureCodes(route: Route): readonly ErrorCode[] {
  const { fails, errorBody } = route;
  return errorBody === undefined ? [...fails, ...accessCodes(route), ...inputCodes(route)] : fails;
}

function accessCodes({ credentials, permission, needsFor }: Route): readonly ErrorCode[] {
  const isAsked = credentials !== 'NONE' && credentials !== 'SIGNATURE';
  const ofTenant = credentials === 'TENANT' || credentials === 'PLUGIN';
  return [
    ...(isAsked ? [ErrorCode.UNAUTHENTICATED] : []),
    ...(ofTenant ? [ErrorCode.TENANT_UNAUTHENTICATED] : []),
    ...(permission !== 'NONE' || needsFor !== undefined ? [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS] : []),
  ];
}

/** A segment, a parameter, the author and a body may each hold what cannot be read or stored. */
function inputCodes({ path, query, author, body }: Route): readonly ErrorCode[] {
  const names = parameterNamesOf(path);
  const parameters = Object.values(query);
  const isNeeded = parameters.some(({ required }) => required) || author || body !== undefined;
  const isRead = isNeeded || parameters.length > 0 || names.length > 0;
  return [
    ...(isRead ? [ErrorCode.INVALID_PARAMETER] : []),
    ...(isNeeded ? [ErrorCode.MISSING_OR_INVALID_FIELD] : []),
    ...(body === undefined ? [] : [ErrorCode.MALFORMED_BODY]),
    ...(names.some(isIdParameter) ? [ErrorCode.ROUTE_NOT_FOUND] : []),
  ];
}
