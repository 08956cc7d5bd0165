import type { OfTenants } from '../../../lib/ports/storage/index.ts';
import { isIn, nothing, type Sql, sql } from '../sql/sql.ts';

/** Follows a condition: of these tenants, or of all. */
export function ofTenants({ tenants }: OfTenants): Sql {
  return tenants === null ? nothing : sql`and ${isIn('tenant_record_id', 'bigint', tenants)}`;
}
