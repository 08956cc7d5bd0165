import { catalogAdministration, catalogEntryOperations } from '../catalog/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on catalogs: on whole documents and on single entries. */
export function catalogArea({ ports, catalogs }: Foundation) {
  const administration = catalogAdministration(ports, catalogs);
  const { upload, sync, current, validate } = catalogs;
  return {
    /** Reads and writes the catalog as the value of a key, for the key-value endpoints. */
    keyedValues: { upload, sources: administration.sources, delete: administration.delete },
    operations: {
      catalogs: { upload, sync, current, validate, ...administration },
      catalogEntries: catalogEntryOperations(ports, catalogs),
    },
  };
}
