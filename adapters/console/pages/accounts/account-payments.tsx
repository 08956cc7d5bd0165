import type { ComponentChildren, JSX } from 'preact';
import { api, type ResultOf } from '../../core/api.ts';
import { day, instant, money, shortId, words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { href } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { textOf, textOrNull } from '../../parts/form.tsx';
import { Badge, Section } from '../../parts/layout.tsx';
import { ListTable, PagedTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import type { Account } from './account-form.ts';

const t = texts.account;

/** The payments and payment methods of an account. */
export function Payments({ account }: { readonly account: Account }): JSX.Element {
  return (
    <>
      <Section title={t.payments}>
        <p class="quiet-text">{t.refundHint}</p>
        <PagedTable
          caption={t.payments}
          load={({ offset, limit }) =>
            api().payments.search(`_q=1&account_id[eq]=${account.id}`, {
              offset,
              limit: -limit,
              withAttempts: true,
            })
          }
          inputs={[account.id]}
          keyOf={({ id }) => id}
          empty={t.noPayments}
          columns={[
            {
              title: t.number,
              cell: ({ id, paymentNumber }) => <a href={href('/payments', id)}>{paymentNumber}</a>,
            },
            { title: t.date, cell: ({ createdDate }) => instant(createdDate, account.timeZone) },
            { title: t.amount, isNumber: true, cell: amountOf },
            { title: t.state, cell: (payment) => stateOf(payment, account.timeZone) },
          ]}
        />
      </Section>
      <PaymentMethods account={account} />
    </>
  );
}

type Payment = ResultOf<'payments', 'search'>['rows'][number];

function amountOf({ transactions, totals }: Payment): ComponentChildren {
  const first = transactions[0];
  return (
    <>
      {money(first?.amount, first?.currency)}
      {totals.refundedAmount.gt(0) && (
        <>
          <br />
          <small>{t.refunded(money(totals.refundedAmount, totals.currency))}</small>
        </>
      )}
    </>
  );
}

function stateOf({ transactions, attempts }: Payment, timeZone: string): ComponentChildren {
  const last = transactions.at(-1);
  const retry = attempts?.find(({ stateName }) => stateName === 'SCHEDULED');
  const tones = { SUCCESS: 'good', PAYMENT_FAILURE: 'bad', PLUGIN_FAILURE: 'bad' } as const;
  const tone =
    last !== undefined && last.status in tones ? tones[last.status as keyof typeof tones] : 'warning';
  return (
    <>
      {last !== undefined && (
        <Badge tone={tone}>{`${words(last.transactionType)}: ${words(last.status).toLowerCase()}`}</Badge>
      )}{' '}
      {last?.gatewayErrorMsg}
      {retry !== undefined && <div>{t.retryOn(instant(retry.effectiveDate, timeZone))}</div>}
    </>
  );
}

function PaymentMethods({ account }: { readonly account: Account }): JSX.Element {
  const accountId = account.id;
  const loaded = useLoad(() => api().paymentMethods.ofAccount(accountId), [accountId]);
  const gateway = loaded.data?.[0]?.pluginName ?? '';
  return (
    <Section
      title={t.methods}
      actions={may('payment_method:create') && <AddMethod accountId={accountId} gateway={gateway} />}
    >
      <ListTable
        of={loaded}
        pageParameter="methods"
        caption={t.methods}
        keyOf={({ id }) => id}
        empty={t.noMethods}
        columns={[
          {
            title: t.gateway,
            cell: ({ pluginName, isDefault }) => (
              <>
                {pluginName} {isDefault && <Badge tone="good">{t.isDefault}</Badge>}
              </>
            ),
          },
          {
            title: texts.accounts.key,
            cell: ({ externalKey }) => <code title={externalKey}>{shortId(externalKey)}</code>,
          },
          { title: t.since, cell: ({ createdDate }) => day(createdDate.toISOString()) },
          { title: '', cell: (method) => <MethodActions accountId={accountId} method={method} /> },
        ]}
      />
    </Section>
  );
}

function AddMethod(props: { readonly accountId: string; readonly gateway: string }): JSX.Element {
  return (
    <Action
      label={t.addMethod}
      explanation={t.addMethodExplanation}
      initial={{ pluginName: props.gateway, isDefault: true }}
      fields={[
        { name: 'pluginName', label: t.gateway, isRequired: true, placeholder: 'stripe' },
        { name: 'token', label: t.token, help: t.tokenHelp },
        { name: 'isDefault', label: t.makeDefault, kind: 'checkbox' },
        { name: 'pays', label: t.paysUnpaid, kind: 'checkbox' },
      ]}
      run={(values) =>
        api().paymentMethods.add({
          accountId: props.accountId,
          pluginName: textOf(values, 'pluginName') ?? '',
          isDefault: values.isDefault === true,
          payAllUnpaidInvoices: values.pays === true,
          details: { externalPaymentMethodId: textOrNull(values, 'token') },
        })
      }
    />
  );
}

function MethodActions(props: {
  readonly accountId: string;
  readonly method: ResultOf<'paymentMethods', 'ofAccount'>[number];
}): JSX.Element {
  const { accountId, method } = props;
  return (
    <span class="actions">
      {may('payment_method:create') && !method.isDefault && (
        <Action
          label={t.makeDefault}
          explanation={t.makeDefaultExplanation}
          fields={[{ name: 'pays', label: t.paysUnpaid, kind: 'checkbox' }]}
          run={({ pays }) =>
            api().paymentMethods.setDefault({
              accountId,
              paymentMethodId: method.id,
              payAllUnpaidInvoices: pays === true,
            })
          }
        />
      )}
      {may('payment_method:delete') && (
        <Action
          label={texts.labels.remove}
          explanation={method.isDefault ? t.removeDefault : t.removeMethod}
          run={() =>
            api().paymentMethods.delete({ paymentMethodId: method.id, withAutoPayOff: method.isDefault })
          }
          isDangerous
        />
      )}
    </span>
  );
}
