import type { CatalogDefinition } from '../../../ports/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { type Catalog, createCatalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, createVersion } from '../../lookup/catalog-version.ts';
import { validateVersion } from '../../validation/validate-version.ts';
import { validateVersions } from '../../validation/validate-versions.ts';
import { contentOf } from './content-of-definition.ts';

/**
 * The catalog that a plugin has given, checked like an uploaded one (§16 rule 4).
 * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) that names the plugin and every error found.
 */
export function compilePluginCatalog(
  { name, versions: given }: CatalogDefinition,
  origin: { readonly tenantId: string; readonly pluginName: string },
): Catalog {
  const versions: CatalogVersion[] = [];
  const problems: Problem[] = [];
  if (!Array.isArray(given)) problems.push({ message: 'The versions are not a list' });
  else {
    for (const version of given) {
      const read = contentOf(name, version, []);
      const faults = read.problems.length > 0 ? read.problems : validateVersion(read).errors;
      problems.push(...faults);
      if (faults.length === 0) versions.push(createVersion(read.content));
    }
  }
  if (problems.length === 0) problems.push(...validateVersions([], versions));
  if (problems.length > 0) throw invalid(problems, origin);
  return createCatalog(versions);
}

function invalid(
  problems: readonly Problem[],
  { tenantId, pluginName }: { readonly tenantId: string; readonly pluginName: string },
): BillingError {
  const listed = problems.map((problem) => problem.message).join('; ');
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
    message: `Invalid catalog for tenant : ${tenantId}: catalog plugin "${pluginName}" gives one with errors: ${listed}`,
    facts: { tenantId, pluginName },
    problems,
  });
}
