import { CatalogAdministration, CatalogEntryService } from '../catalog/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Catalogs, uploaded as documents or entry by entry. */
export function catalogArea({ ports, catalogs }: Foundation) {
  const administration = new CatalogAdministration(ports, catalogs);
  const entries = new CatalogEntryService(ports, catalogs);
  return {
    /** The catalog as the value of a key, which clients of the key-value endpoints may read and replace. */
    keyedValues: { ...methodsOf(catalogs, 'upload'), ...methodsOf(administration, 'sources', 'delete') },
    operations: {
      catalogs: {
        ...methodsOf(catalogs, 'upload', 'current', 'validate'),
        ...methodsOf(
          administration,
          'sources',
          'addSimplePlan',
          'availableBasePlans',
          'availableAddOns',
          'delete',
        ),
      },
      catalogEntries: methodsOf(
        entries,
        'create',
        'createPlan',
        'updatePlan',
        'retirePlan',
        'deletePlan',
        'deleteProduct',
        'products',
        'plans',
        'plansOfProduct',
        'latestPlan',
        'state',
      ),
    },
  };
}
