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

/** The payments and payment methods of an account. */
export function Payments({ account }: { readonly account: Account }): JSX.Element {
  return (
    <>
      <Section title={texts.account.payments}>
        <p class="quiet-text">{texts.account.refundHint}</p>
        <PagedTable
          caption={texts.account.payments}
          load={({ offset, limit }) =>
            api().payments.search(`_q=1&account_id[eq]=${account.id}`, {
              offset,
              limit: -limit,
              withAttempts: true,
            })
          }
          inputs={[account.id]}
          keyOf={({ id }) => id}
          empty={texts.account.noPayments}
          columns={[
            {
              title: texts.account.number,
              cell: ({ id, paymentNumber }) => <a href={href('/payments', id)}>{paymentNumber}</a>,
            },
            { title: texts.account.date, cell: ({ createdDate }) => instant(createdDate, account.timeZone) },
            { title: texts.account.amount, isNumber: true, cell: amountOf },
            { title: texts.account.state, cell: (payment) => stateOf(payment, account.timeZone) },
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
          <small>{texts.account.refunded(money(totals.refundedAmount, totals.currency))}</small>
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
      {retry !== undefined && <div>{texts.account.retryOn(instant(retry.effectiveDate, timeZone))}</div>}
    </>
  );
}

function PaymentMethods({ account }: { readonly account: Account }): JSX.Element {
  const accountId = account.id;
  const loaded = useLoad(() => api().paymentMethods.ofAccount(accountId), [accountId]);
  const gateway = loaded.data?.[0]?.pluginName ?? '';
  return (
    <Section
      title={texts.account.methods}
      actions={may('payment_method:create') && <AddMethod accountId={accountId} gateway={gateway} />}
    >
      <ListTable
        of={loaded}
        pageParameter="methods"
        caption={texts.account.methods}
        keyOf={({ id }) => id}
        empty={texts.account.noMethods}
        columns={[
          {
            title: texts.account.gateway,
            cell: ({ pluginName, isDefault }) => (
              <>
                {pluginName} {isDefault && <Badge tone="good">{texts.account.isDefault}</Badge>}
              </>
            ),
          },
          {
            title: texts.accounts.key,
            cell: ({ externalKey }) => <code title={externalKey}>{shortId(externalKey)}</code>,
          },
          { title: texts.account.since, cell: ({ createdDate }) => day(createdDate.toISOString()) },
          { title: '', cell: (method) => <MethodActions accountId={accountId} method={method} /> },
        ]}
      />
    </Section>
  );
}

function AddMethod(props: { readonly accountId: string; readonly gateway: string }): JSX.Element {
  return (
    <Action
      label={texts.account.addMethod}
      explanation={texts.account.addMethodExplanation}
      initial={{ pluginName: props.gateway, isDefault: true }}
      fields={[
        { name: 'pluginName', label: texts.account.gateway, isRequired: true, placeholder: 'stripe' },
        { name: 'token', label: texts.account.token, help: texts.account.tokenHelp },
        { name: 'isDefault', label: texts.account.makeDefault, kind: 'checkbox' },
        { name: 'pays', label: texts.account.paysUnpaid, kind: 'checkbox' },
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
          label={texts.account.makeDefault}
          explanation={texts.account.makeDefaultExplanation}
          fields={[{ name: 'pays', label: texts.account.paysUnpaid, kind: 'checkbox' }]}
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
          explanation={method.isDefault ? texts.account.removeDefault : texts.account.removeMethod}
          run={() =>
            api().paymentMethods.delete({ paymentMethodId: method.id, withAutoPayOff: method.isDefault })
          }
          isDangerous
        />
      )}
    </span>
  );
}
