import {
  ConfigChangeHandler,
  clearsOfExemptAccounts,
  enterableStates,
  jobsOfEvents,
  OverdueAccountService,
  OverdueConfigService,
  OverdueHandler,
  OwnTransactions,
  overdueNotification,
} from '../overdue/index.ts';
import type { FollowUpWork } from '../ports/storage/index.ts';
import { type QueueHandler, topicsOf } from '../runtime/index.ts';
import type { KeyValueService } from '../tenants/index.ts';
import { bindMethods } from './bind-methods.ts';
import type { Foundation } from './foundation.ts';

/**
 * Returns the operations on overdue states. `ahead` contains the handlers of work that must finish before overdue
 * checks (overdue §5.2).
 */
export function overdueArea(
  { ports, catalogs, overdueConfigs, settingsOf }: Foundation,
  { keyValues, ahead }: { readonly keyValues: KeyValueService; readonly ahead: readonly QueueHandler[] },
) {
  const { configOf } = overdueConfigs;
  const own = new OwnTransactions();
  const planOverdueChecks: FollowUpWork = async (session, events) => {
    // A transaction without account events may have changed the configuration.
    // The change must not be read before it is committed.
    if (events.every(({ accountRecordId }) => accountRecordId === null) || own.has(session)) return [];
    const config = await configOf(session);
    const now = session.authorship.createdDate;
    const checks =
      enterableStates(config).length > 0
        ? jobsOfEvents(events, config, now)
        : await clearsOfExemptAccounts(session, events, now);
    return checks.map(overdueNotification);
  };
  return {
    planOverdueChecks,
    handlers: [
      new OverdueHandler(ports, catalogs, { configOf, own, topicsAhead: topicsOf(ahead) }),
      new ConfigChangeHandler(ports, configOf),
    ],
    operations: {
      overdue: {
        ...bindMethods(new OverdueConfigService(ports, overdueConfigs, keyValues)),
        ...bindMethods(new OverdueAccountService(ports, { configOf, settingsOf })),
      },
    },
  };
}
