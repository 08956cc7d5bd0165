import { api, may } from '../../core/index.ts';
import { Action, type Field, textOrNull, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { GiveBackOnAccount } from '../payments/give-back.tsx';
import { type Account, changeableFields, changesOfAccount, valuesOfAccount } from './account-form.ts';

const t = texts.account;

/** The actions on an account that support needs every day. */
export function AccountActions({ account }: { readonly account: Account }) {
  return (
    <>
      <GiveBackOnAccount account={account} />
      {may('account:charge') && <Charge account={account} />}
      {may('account:update') && (
        <Action
          label={t.edit}
          fields={changeableFields}
          initial={valuesOfAccount(account)}
          run={(values) => {
            const changes = changesOfAccount(account, values);
            return api().accounts.update(account.id, { changes, treatNullAsReset: true });
          }}
        />
      )}
    </>
  );
}

function manualFields(account: Account): readonly Field[] {
  return [
    {
      name: 'amount',
      label: t.amountIn(account.currency ?? ''),
      kind: 'amount',
      isRequired: true,
      placeholder: '10.00',
    },
    { name: 'description', label: t.description, help: t.descriptionHelp },
  ];
}

function manualItems(accountId: string, values: Values) {
  const item = {
    amount: textOrNull(values, 'amount'),
    description: textOrNull(values, 'description'),
  };
  return { accountId, items: [item], autoCommit: true };
}

function Charge({ account }: { readonly account: Account }) {
  return (
    <Action
      label={t.charge}
      explanation={t.chargeExplanation}
      fields={manualFields(account)}
      run={(values) => api().invoices.addCharges(manualItems(account.id, values))}
    />
  );
}

/** Actions that end or move an account. They are on the tab with the details, away from the daily ones. */
export function RareActions({ account }: { readonly account: Account }) {
  const hasParent = account.parentAccountId !== null;
  return (
    <div class="actions">
      {hasParent && may('invoice:delete_cba') && (
        <Action
          label={t.transfer}
          explanation={t.transferExplanation}
          run={() => api().accounts.transferCreditToParent(account.id)}
        />
      )}
      {may('tag:add') && may('entitlement:pause_resume') && <Close account={account} />}
      {may('account:update') && (
        <Action
          label={t.anonymize}
          explanation={t.anonymizeExplanation}
          run={() => api().accounts.anonymize(account.id)}
          isDangerous
        />
      )}
    </div>
  );
}

function Close({ account }: { readonly account: Account }) {
  return (
    <Action
      label={t.close}
      explanation={t.closeExplanation}
      initial={{ cancel: true, settle: '', queues: true }}
      fields={[
        { name: 'cancel', label: t.closeCancel, kind: 'checkbox', help: t.closeCancelHelp },
        {
          name: 'settle',
          label: t.closeUnpaid,
          kind: 'select',
          options: [
            ['', t.closeKeep],
            ['WRITE_OFF', t.closeWriteOff],
            ['ADJUST', t.closeAdjust],
          ],
        },
        { name: 'queues', label: t.closeQueues, kind: 'checkbox', help: t.closeQueuesHelp },
      ]}
      run={({ cancel, settle, queues }) =>
        api().accounts.close(account.id, {
          cancelAllSubscriptions: cancel === true,
          writeOffUnpaidInvoices: settle === 'WRITE_OFF',
          itemAdjustUnpaidInvoices: settle === 'ADJUST',
          removeFutureNotifications: queues === true,
        })
      }
      isDangerous
    />
  );
}
