import { type Account, api } from '../../core/data.ts';
import { href, navigate } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { amountField, type ValuesOf } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { GiveBackOnAccount } from '../payments/give-back.tsx';

const t = texts.account;

/** Fields that can be changed after the account was created. */
const changeable = {
  name: 'text',
  company: 'text',
  legalName: 'text',
  email: 'email',
  phone: 'text',
  address1: 'text',
  address2: 'text',
  postalCode: 'text',
  city: 'text',
  state: 'text',
  country: 'text',
  taxId: 'text',
  locale: 'text',
  notes: { kind: 'area', rows: 3 },
} as const;

/** Returns the values of the fields that can be changed; null for each empty one. */
export function changeableOf(account: Account) {
  const names = Object.keys(changeable) as (keyof typeof changeable)[];
  return Object.fromEntries(names.map((name) => [name, account[name] ?? null]));
}

/** Returns the changed fields. Null resets a field that the user emptied. */
function changesOf(account: Account, values: ValuesOf<typeof changeable>) {
  const before = changeableOf(account);
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]));
}

export function NewAccount() {
  return (
    <Action
      name="newAccount"
      needs="account:create"
      isPrimary
      fields={{
        externalKey: { help: t.keyHelp },
        currency: { isRequired: true, placeholder: 'EUR', help: t.fixedHelp },
        timeZone: { placeholder: 'Europe/Berlin', help: t.zoneHelp },
        parentAccountId: 'text',
        isPaymentDelegatedToParent: 'checkbox',
        ...changeable,
      }}
      run={(values) => api().accounts.create(values)}
      after={({ id }) => navigate(href('/accounts', id))}
    />
  );
}

/** The actions on an account that support needs every day. */
export function AccountActions({ account }: { readonly account: Account }) {
  const { id: accountId, currency } = account;
  return (
    <>
      <GiveBackOnAccount account={account} />
      <Action
        name="charge"
        needs="account:charge"
        fields={{ amount: amountField(currency), description: { help: t.descriptionHelp } }}
        run={(item) => api().invoices.addCharges({ accountId, items: [item], autoCommit: true })}
      />
      <Action
        name="edit"
        needs="account:update"
        fields={changeable}
        initial={changeableOf(account)}
        run={(values) =>
          api().accounts.update(accountId, { changes: changesOf(account, values), treatNullAsReset: true })
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
        initial={{ cancelAllSubscriptions: true, removePlannedWork: true }}
        fields={{
          cancelAllSubscriptions: { kind: 'checkbox', help: t.cancelAllHelp },
          unpaidInvoices: { kind: 'select', options: [['', t.keepUnpaid], 'WRITE_OFF', 'ADJUST'] },
          removePlannedWork: { kind: 'checkbox', help: t.removePlannedWorkHelp },
        }}
        run={({ cancelAllSubscriptions, unpaidInvoices, removePlannedWork }) =>
          api().accounts.close(id, {
            cancelAllSubscriptions,
            writeOffUnpaidInvoices: unpaidInvoices === 'WRITE_OFF',
            itemAdjustUnpaidInvoices: unpaidInvoices === 'ADJUST',
            removeFutureNotifications: removePlannedWork,
          })
        }
        isDangerous
      />
      <Action name="anonymize" needs="account:update" run={() => api().accounts.anonymize(id)} isDangerous />
    </div>
  );
}
