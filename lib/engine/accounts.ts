import { accountClosingOperations } from '../account-closing/index.ts';
import { AccountEmailService, AccountService } from '../accounts/index.ts';
import { accountExportOperations } from '../export/index.ts';
import {
  accountCreditOperations,
  billAfterMovedDay,
  consultedOperations,
  loadBalances,
} from '../invoicing/index.ts';
import { lockWaitOf } from '../tenants/index.ts';
import { timelineOperations } from '../timeline/index.ts';
import { bindMethods } from './bind-methods.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on accounts, including e-mails, credit, timeline, closing and export. */
export function accountArea(foundation: Foundation) {
  const { ports, catalogs, settings, settingsOf, maxRows } = foundation;
  const { timeline, outline } = timelineOperations(ports, catalogs, { settingsOf, maxRows });
  return {
    timelineOutline: outline,
    operations: {
      accounts: {
        ...bindMethods(new AccountService(ports, settingsOf, { billAfterMovedDay, loadBalances })),
        ...bindMethods(new AccountEmailService(ports)),
        ...accountCreditOperations(
          consultedOperations({
            ports,
            plugins: foundation.invoicePlugins,
            configOf: foundation.invoicingConfig,
          }),
        ),
        ...accountExportOperations(ports),
        ...accountClosingOperations(ports, catalogs, {
          lockWaitOf: lockWaitOf(settingsOf),
          workOff: settings.workOff,
        }),
        timeline,
      },
    },
  };
}
