import {
  askedByEvents,
  ConfigChangeHandler,
  clearsOfLeftOvers,
  enterableStates,
  OverdueAccountService,
  OverdueConfigService,
  OverdueHandler,
  OwnTransactions,
  overdueNotification,
} from '../overdue/index.ts';
import type { AskedByEvents } from '../ports/storage/index.ts';
import { type QueueHandler, topicsOf } from '../runtime/index.ts';
import type { KeyValueService } from '../tenants/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/**
 * What happens to those who do not pay.
 * @param of `ahead`: the handlers of all work that goes before overdue's (overdue §5.2).
 */
export function overdueArea(
  { ports, catalogs, overdueConfigs, settingsOf }: Foundation,
  of: { readonly keyValues: KeyValueService; readonly ahead: readonly QueueHandler[] },
) {
  const { configOf } = overdueConfigs;
  const own = new OwnTransactions();
  const asked: AskedByEvents = async (session, events) => {
    // A transaction that writes the configuration has no event of an account; what it writes may still be rolled back, so
    // that it must not be read before.
    const isOfAccounts = events.some(({ accountRecordId }) => accountRecordId !== null);
    if (!isOfAccounts || own.has(session)) return [];
    const config = await configOf(session);
    const now = session.authorship.createdDate;
    const hasConditions = enterableStates(config).length > 0;
    const wakeUps = hasConditions
      ? askedByEvents(events, config, now)
      : await clearsOfLeftOvers(session, events, now);
    return wakeUps.map(overdueNotification);
  };
  return {
    asked,
    handlers: [
      new OverdueHandler(ports, catalogs, { configOf, own, topicsAhead: topicsOf(of.ahead) }),
      new ConfigChangeHandler(ports, configOf),
    ],
    operations: {
      overdue: {
        ...methodsOf(new OverdueConfigService(ports, overdueConfigs, of.keyValues)),
        ...methodsOf(new OverdueAccountService(ports, { configOf, settingsOf })),
      },
    },
  };
}
