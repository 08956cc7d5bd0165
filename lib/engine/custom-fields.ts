import { CustomFieldService } from '../custom-fields/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Fields that tenants add to objects. */
export function customFieldArea({ ports }: Foundation) {
  return {
    operations: {
      customFields: methodsOf(
        new CustomFieldService(ports),
        'add',
        'modify',
        'remove',
        'ofObject',
        'ofAccount',
        'page',
        'search',
        'searchByName',
      ),
    },
  };
}
