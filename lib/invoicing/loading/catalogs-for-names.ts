import type { CatalogProvider, CatalogRequest, CatalogSource } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * The catalogs in which names of billed things are looked up; null where they cannot be had: the names are then null, and
 * the read goes on (§1.2).
 */
export async function catalogsForNames(
  { logger }: Pick<Ports, 'logger'>,
  catalogs: CatalogProvider,
  request: CatalogRequest,
): Promise<CatalogSource | null> {
  try {
    return await catalogs.open(request);
  } catch (error) {
    logger.warn(
      { err: error, tenantId: request.tenant.id },
      'no catalog to be had: invoice items without names',
    );
    return null;
  }
}
