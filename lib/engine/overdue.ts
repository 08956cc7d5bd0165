import { OverdueConfigService } from '../overdue/index.ts';
import type { KeyValueService } from '../tenants/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** What happens to those who do not pay. */
export function overdueArea({ ports, overdueConfigs }: Foundation, keyValues: KeyValueService) {
  return {
    operations: {
      overdue: methodsOf(new OverdueConfigService(ports, overdueConfigs, keyValues)),
    },
  };
}
