import { type Account, api } from '../../core/data.ts';
import { Action, amountField, textsOf } from '../../parts/action.tsx';
import { texts } from '../../texts.ts';
import { GiveBackOnAccount } from '../payments/give-back.tsx';
import { changeableFields, changeableOf, changesOf } from './account-form.ts';

const t = texts.account;

/** The actions on an account that support needs every day. */
export function AccountActions({ account }: { readonly account: Account }) {
  const { id, currency } = account;
  return (
    <>
      <GiveBackOnAccount account={account} />
      <Action
        name="charge"
        needs="account:charge"
        fields={[amountField(currency), { name: 'description', help: t.descriptionHelp }]}
        run={(values) =>
          api().invoices.addCharges({
            accountId: id,
            items: [textsOf(values, 'amount', 'description')],
            autoCommit: true,
          })
        }
      />
      <Action
        name="edit"
        needs="account:update"
        fields={changeableFields}
        initial={changeableOf(account)}
        run={(values) =>
          api().accounts.update(id, { changes: changesOf(account, values), treatNullAsReset: true })
        }
      />
    </>
  );
}

/** Actions that end or move an account. They are on the tab with the details, away from the daily ones. */
export function RareActions({ account: { id, parentAccountId } }: { readonly account: Account }) {
  return (
    <div class="actions">
      {parentAccountId !== null && (
        <Action
          name="moveCreditToParent"
          needs="invoice:delete_cba"
          run={() => api().accounts.transferCreditToParent(id)}
        />
      )}
      <Action
        name="closeAccount"
        needs="tag:add"
        initial={{ cancelAll: true, unpaidInvoices: '', removePlannedWork: true }}
        fields={[
          { name: 'cancelAll', kind: 'checkbox', help: t.cancelAllHelp },
          { name: 'unpaidInvoices', kind: 'select', options: [['', t.keepUnpaid], 'WRITE_OFF', 'ADJUST'] },
          { name: 'removePlannedWork', kind: 'checkbox', help: t.removePlannedWorkHelp },
        ]}
        run={({ cancelAll, unpaidInvoices, removePlannedWork }) =>
          api().accounts.close(id, {
            cancelAllSubscriptions: cancelAll === true,
            writeOffUnpaidInvoices: unpaidInvoices === 'WRITE_OFF',
            itemAdjustUnpaidInvoices: unpaidInvoices === 'ADJUST',
            removeFutureNotifications: removePlannedWork === true,
          })
        }
        isDangerous
      />
      <Action name="anonymize" needs="account:update" run={() => api().accounts.anonymize(id)} isDangerous />
    </div>
  );
}
