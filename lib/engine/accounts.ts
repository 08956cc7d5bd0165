import { AccountCloseService } from '../account-closing/index.ts';
import { AccountEmailService, AccountService } from '../accounts/index.ts';
import { billAfterMovedDay, loadBalances } from '../invoicing/index.ts';
import { lockWaitOf } from '../tenants/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Accounts, their addresses, and how they come to rest. */
export function accountArea({ ports, catalogs, settings, settingsOf }: Foundation) {
  const accounts = new AccountService(ports, settingsOf, { billAfterMovedDay, loadBalances });
  const emails = new AccountEmailService(ports);
  const closing = new AccountCloseService(ports, catalogs, {
    lockWaitOf: lockWaitOf(settingsOf),
    workOff: settings.workOff,
  });
  return {
    operations: {
      accounts: {
        ...methodsOf(
          accounts,
          'create',
          'update',
          'anonymize',
          'get',
          'getByKey',
          'page',
          'balances',
          'search',
          'findExactly',
          'children',
        ),
        emails: emails.ofAccount.bind(emails),
        addEmail: emails.add.bind(emails),
        removeEmail: emails.remove.bind(emails),
        ...methodsOf(closing, 'close'),
      },
    },
  };
}
