import type { Storage } from '../../lib/ports/storage/index.ts';
import { withParts } from '../support/replaced-parts.ts';

/** Called before an evaluation reads these accounts. The returned promise resolves after its commit. */
export type Witness = (accountIds: readonly string[]) => Promise<() => void>;

/** Detects evaluations of accounts: only they read the latest overdue state within a writing transaction. */
export function witnessedStorage(storage: Storage<never>, witness: Witness): Storage<never> {
  const write: Storage<never>['write'] = async (tenant, authorship, work) => {
    let seen: (() => void)[] = [];
    const result = await storage.write(tenant, authorship, (session) => {
      seen = [];
      const { subscriptions } = session;
      return work(
        withParts(session, {
          subscriptions: {
            ...subscriptions,
            findLatestBlockingStates: async (ids, of) => {
              if (of.service === 'overdue-service') seen.push(await witness(ids));
              return subscriptions.findLatestBlockingStates(ids, of);
            },
          },
        }),
      );
    });
    for (const commit of seen) commit();
    return result;
  };
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'write') return write;
      if (property === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
