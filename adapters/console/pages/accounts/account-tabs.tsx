import { useState } from 'preact/hooks';
import { type Account, api, type PaymentMethod, type ResultOf } from '../../core/data.ts';
import { instant, label, quantity, shortId } from '../../core/format.ts';
import { hrefWith, parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { CustomFields, History, Tags, whoColumn } from '../../parts/history.tsx';
import { Load, Section } from '../../parts/layout.tsx';
import { List, ListSection } from '../../parts/table.tsx';
import { AccountLink, Copyable, Facts, IdLink, ObjectLink, Sentences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { paymentColumns, scheduledRetries } from '../payments/data.tsx';
import { changeableOf } from './accounts.tsx';

const t = texts.account;

export function Payments({ account: { id, timeZone } }: { readonly account: Account }) {
  const retriesOf = (payment: Parameters<typeof scheduledRetries>[0]) =>
    scheduledRetries(payment).map(({ effectiveDate }) => instant(effectiveDate, timeZone));
  return (
    <>
      <ListSection
        name="payments"
        isNewestFirst
        load={(page) => api().payments.search(`_q=1&account_id[eq]=${id}`, { ...page, withAttempts: true })}
        columns={[...paymentColumns(timeZone), ['triedAgain', (payment) => retriesOf(payment).join(', ')]]}
      />
      <ListSection
        name="paymentMethods"
        load={() => api().paymentMethods.ofAccount(id)}
        actions={<AddMethod accountId={id} />}
        columns={[
          ['gateway', 'pluginName'],
          ['externalKey', ({ externalKey }) => <code title={externalKey}>{shortId(externalKey)}</code>],
          ['since', 'createdDate'],
          'isDefault',
          ['', MethodActions],
        ]}
      />
    </>
  );
}

function AddMethod({ accountId }: { readonly accountId: string }) {
  return (
    <Action
      name="addPaymentMethod"
      needs="payment_method:create"
      initial={{ isDefault: true }}
      fields={{
        pluginName: { label: label('gateway'), isRequired: true, help: t.gatewayHelp },
        token: { help: t.tokenHelp },
        isDefault: 'checkbox',
        payAllUnpaidInvoices: 'checkbox',
      }}
      run={({ token, ...values }) =>
        api().paymentMethods.add({ accountId, ...values, details: { externalPaymentMethodId: token } })
      }
    />
  );
}

function MethodActions({ id: paymentMethodId, accountId, isDefault }: PaymentMethod) {
  const { setDefault, delete: remove } = api().paymentMethods;
  return (
    <>
      <Action
        name="makeDefault"
        needs="payment_method:create"
        isHidden={isDefault}
        fields={{ payAllUnpaidInvoices: 'checkbox' }}
        run={(values) => setDefault({ accountId, paymentMethodId, ...values })}
      />
      <Action
        name="remove"
        needs="payment_method:delete"
        explanation={isDefault ? t.removeDefaultMethod : t.removeMethod}
        run={() => remove({ paymentMethodId, withAutoPayOff: isDefault })}
        isDangerous
      />
    </>
  );
}

interface AccountProps {
  readonly account: Account;
}

export function Details({ account }: AccountProps) {
  const { id, currency, timeZone, billCycleDayLocal, createdDate } = account;
  const object = { type: 'ACCOUNT', id } as const;
  return (
    <div class="columns">
      <Section name="facts">
        <Facts
          of={{
            ...changeableOf(account),
            currency: currency ?? texts.common.none,
            timeZone,
            billCycleDay: billCycleDayLocal || texts.common.notYet,
            created: instant(createdDate, timeZone),
            id: <Copyable text={id} />,
          }}
        />
      </Section>
      <Tags of={object} />
      <CustomFields of={object} />
      <Family account={account} />
    </div>
  );
}

function Family({ account: { id, parentAccountId, isPaymentDelegatedToParent } }: AccountProps) {
  return (
    <Section name="parentAndChildren">
      {parentAccountId !== null && (
        <p>
          {t.parent} <IdLink page="/accounts" id={parentAccountId} />{' '}
          {isPaymentDelegatedToParent && label('isPaymentDelegatedToParent')}
        </p>
      )}
      <List
        name="childAccounts"
        pageParameter="children"
        load={() => api().accounts.children(id)}
        columns={[['childAccount', (child) => <AccountLink {...child} />], 'isPaymentDelegatedToParent']}
      />
    </Section>
  );
}

/**
 * The change history of the account, with author and time, and the changes of all its objects, which take longer to
 * load.
 */
export function HistoryOfAccount({ accountId }: { readonly accountId: string }) {
  return (
    <>
      <History accountId={accountId} of={{ type: 'ACCOUNT', id: accountId }} />
      {parameters.value.get('all') === null ? (
        <a href={hrefWith({ all: 1 })}>{t.showAllHistory}</a>
      ) : (
        <ListSection
          name="changesOfAllObjects"
          load={() => loadAllChanges(accountId)}
          columns={[
            ['when', 'changeDate'],
            whoColumn,
            ['change', ({ changeType }) => label(changeType)],
            ['object', (row) => <ObjectLink objectType={row.objectType} objectId={row.targetId} />],
          ]}
        />
      )}
    </>
  );
}

/** Loads the changes of the account's objects, newest first. A table is named for its objects, with an S at the end. */
async function loadAllChanges(accountId: string) {
  const entries = await api().audit.ofAccount(accountId);
  return entries
    .toSorted((a, b) => b.changeDate.getTime() - a.changeDate.getTime() || b.recordId - a.recordId)
    .map((entry) => ({ ...entry, id: entry.recordId, objectType: entry.tableName.replace(/S$/, '') }));
}

type Feature = ResultOf<'features', 'of'>[number];

/** The features of an account: values, reasons and the use of quotas. */
export function Features({ account: { id, timeZone } }: { readonly account: Account }) {
  return (
    <ListSection
      name="features"
      load={() => api().features.of({ accountId: id })}
      columns={[
        ['feature', 'name'],
        ['value', (feature) => <Value feature={feature} zone={timeZone} />],
        ['reasons', (feature) => <Why accountId={id} feature={feature.name} />],
      ]}
    />
  );
}

function Value({ feature, zone }: { readonly feature: Feature; readonly zone: string }) {
  const { kind, isOn, text, amount, isUnlimited, used, resetsAt } = feature;
  if (kind === 'SWITCH') return <>{label(isOn ? 'on' : 'off')}</>;
  if (kind === 'TEXT') return <>{text ?? '–'}</>;
  const limit = isUnlimited ? texts.usage.unlimited : quantity(amount);
  if (kind === 'NUMBER') return <>{limit}</>;
  const usedText = texts.usage.usedOf(quantity(used), limit);
  return (
    <>
      <div>{usedText}</div>
      {!isUnlimited && <meter min={0} max={Number(amount)} value={Number(used)} aria-label={usedText} />}
      {resetsAt !== null && <small>{texts.usage.resets(instant(resetsAt, zone))}</small>}
    </>
  );
}

/** The reasons for a value, loaded when the user opens them. */
function Why(props: { readonly accountId: string; readonly feature: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label('explain')}</summary>
      {isOpen && (
        <Load from={() => api().features.explain(props)}>{({ reasons }) => <Sentences of={reasons} />}</Load>
      )}
    </details>
  );
}
