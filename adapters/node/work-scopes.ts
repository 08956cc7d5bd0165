import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkScope, WorkScopes } from '../../lib/ports/index.ts';

/** Carries scopes of work along with promises and timers. */
export function workScopes(): WorkScopes {
  const storage = new AsyncLocalStorage<WorkScope | undefined>();
  return {
    run: (scope, work) => storage.run(scope, work),
    current: () => storage.getStore(),
  };
}
