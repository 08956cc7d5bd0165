import type { TenantRef } from '../../records/index.ts';
import { BillingError, ErrorCode, type Problem, problemText } from '../../values/errors/index.ts';

/** The error for a catalog that is refused, with every problem found. */
export function invalidCatalog(problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog: ${problems.map((problem) => problem.message).join('; ')}`,
    problems,
  });
}

/** §5 rule 7: the message names the tenant and lists every error. */
export function invalidForTenant(tenant: TenantRef, problems: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog for tenant : ${tenant.id}: ${problems.map(problemText).join('; ')}`,
    facts: { tenantId: tenant.id },
    problems,
  });
}

/** Adds the tenant's name to the errors of `work`. */
export async function forTenant<T>(tenant: TenantRef, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== ErrorCode.CATALOG_INVALID_FOR_TENANT) throw error;
    throw invalidForTenant(tenant, error.problems ?? [{ message: error.message }]);
  }
}
