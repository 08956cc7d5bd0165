import type { PluginCatalog } from '../../../ports/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { type Catalog, createCatalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, createVersion } from '../../lookup/catalog-version.ts';
import { validateVersion } from '../../validation/validate-version.ts';
import { validateVersions } from '../../validation/validate-versions.ts';
import { pluginVersion } from './plugin-content.ts';

/**
 * The catalog that a plugin has given, checked like an uploaded one (§16 rule 4).
 * @throws BillingError CATALOG_INVALID_FOR_TENANT (2080) that names the plugin and every error found.
 */
export function compilePluginCatalog(
  given: PluginCatalog,
  origin: { readonly tenantId: string; readonly pluginName: string },
): Catalog {
  const versions: CatalogVersion[] = [];
  const problems: Problem[] = [];
  try {
    if (typeof given.catalogName !== 'string' || given.catalogName.trim() === '')
      problems.push({ message: 'The catalog has no name' });
    for (const version of given.versions) {
      const read = pluginVersion(given, version);
      const { errors } = validateVersion(read);
      problems.push(...read.problems, ...errors);
      if (read.problems.length === 0 && errors.length === 0) versions.push(createVersion(read.content));
    }
  } catch (error) {
    // A list that is none, a phase that is missing: the data are not of the declared shape.
    if (!(error instanceof TypeError)) throw error;
    problems.push({ message: `The data are not those of a catalog: ${error.message}` });
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
