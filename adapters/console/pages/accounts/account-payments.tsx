import { api, callServer, day, instant, may, type ResultOf, shortId, useLoad } from '../../core/index.ts';
import { Action, Badge, ListSection, PagedTable, Section, textOf, textOrNull } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { scheduledRetries } from '../payments/outcome.ts';
import { paymentColumns } from '../payments/payment-table.tsx';
import type { Account } from './account-form.ts';

const t = texts.account;

/** The payments and payment methods of an account. */
export function Payments({ account }: { readonly account: Account }) {
  const retryOf = (payment: Parameters<typeof scheduledRetries>[0]) =>
    scheduledRetries(payment)
      .map(({ effectiveDate }) => instant(effectiveDate, account.timeZone))
      .join(', ');
  return (
    <>
      <Section title={t.payments}>
        <p class="quiet-text">{t.refundHint}</p>
        <PagedTable
          caption={t.payments}
          load={({ offset, limit, sort }) =>
            api().payments.search(`_q=1&account_id[eq]=${account.id}`, {
              offset,
              limit: sort === 'number' ? limit : -limit,
              withAttempts: true,
            })
          }
          inputs={[account.id]}
          keyOf={({ id }) => id}
          empty={t.noPayments}
          columns={[...paymentColumns(account.timeZone), { title: t.retry, cell: retryOf }]}
        />
      </Section>
      <PaymentMethods account={account} />
    </>
  );
}

function PaymentMethods({ account }: { readonly account: Account }) {
  const accountId = account.id;
  const loaded = useLoad(() => api().paymentMethods.ofAccount(accountId), [accountId]);
  const nodes = useLoad(() => callServer<readonly Node[]>('GET /nodesInfo'));
  const gateways = gatewaysOf(nodes.data ?? []);
  const gateway = loaded.data?.[0]?.pluginName ?? gateways.at(-1) ?? '';
  return (
    <ListSection
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
      actions={
        may('payment_method:create') && (
          <AddMethod accountId={accountId} gateway={gateway} gateways={gateways} />
        )
      }
    />
  );
}

interface Node {
  readonly pluginsInfo: readonly {
    readonly services: readonly { readonly serviceTypeName: string; readonly registrationName: string }[];
  }[];
}

/** Returns the names of the gateways of all nodes. */
function gatewaysOf(nodes: readonly Node[]): readonly string[] {
  const services = nodes.flatMap(({ pluginsInfo }) => pluginsInfo).flatMap(({ services }) => services);
  const gateways = services.filter(({ serviceTypeName }) => serviceTypeName === 'PaymentPluginApi');
  return [...new Set(gateways.map(({ registrationName }) => registrationName))];
}

function AddMethod(props: {
  readonly accountId: string;
  readonly gateway: string;
  readonly gateways: readonly string[];
}) {
  return (
    <Action
      label={t.addMethod}
      explanation={t.addMethodExplanation}
      initial={{ pluginName: props.gateway, isDefault: true }}
      fields={[
        {
          name: 'pluginName',
          label: t.gateway,
          isRequired: true,
          ...(props.gateways.length > 0 && { help: t.gatewayHelp(props.gateways.join(', ')) }),
        },
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
}) {
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
