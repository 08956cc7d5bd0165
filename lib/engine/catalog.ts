import { CatalogAdministration, CatalogEntryService } from '../catalog/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Returns the operations on catalogs, as documents and entry by entry. */
export function catalogArea({ ports, catalogs }: Foundation) {
  const administration = methodsOf(new CatalogAdministration(ports, catalogs));
  const { upload, current, validate } = methodsOf(catalogs, 'upload', 'current', 'validate');
  return {
    /** The catalog as the value of a key, for the key-value endpoints. */
    keyedValues: { upload, sources: administration.sources, delete: administration.delete },
    operations: {
      catalogs: { upload, current, validate, ...administration },
      catalogEntries: methodsOf(new CatalogEntryService(ports, catalogs)),
    },
  };
}
