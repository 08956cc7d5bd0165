import { type Account, api, callServer, type PaymentMethod } from '../../core/data.ts';
import { instant, label, shortId } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Load } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import type { Node } from '../operations/operations.tsx';
import { paymentColumns, scheduledRetries } from '../payments/data.tsx';

const t = texts.methods;

/** The payments and payment methods of an account. */
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
      <Load from={() => Promise.all([api().paymentMethods.ofAccount(id), loadGateways()])}>
        {([methods, gateways]) => (
          <ListSection
            name="paymentMethods"
            rows={methods}
            actions={<AddMethod accountId={id} methods={methods} gateways={gateways} />}
            columns={[
              ['gateway', 'pluginName'],
              ['externalKey', ({ externalKey }) => <code title={externalKey}>{shortId(externalKey)}</code>],
              ['since', 'createdDate'],
              ['isDefault', ({ isDefault }) => isDefault && <Badge tone="good">{label('isDefault')}</Badge>],
              ['', MethodActions],
            ]}
          />
        )}
      </Load>
    </>
  );
}

/** Loads the names of the gateways of all nodes. */
async function loadGateways(): Promise<readonly string[]> {
  const nodes = await callServer<readonly Node[]>('GET /nodesInfo');
  const services = nodes.flatMap(({ pluginsInfo }) => pluginsInfo.flatMap((plugin) => plugin.services));
  const gateways = services.filter(({ serviceTypeName }) => serviceTypeName === 'PaymentPluginApi');
  return [...new Set(gateways.map(({ registrationName }) => registrationName))];
}

interface AddMethodProps {
  readonly accountId: string;
  readonly methods: readonly PaymentMethod[];
  readonly gateways: readonly string[];
}

function AddMethod({ accountId, methods, gateways }: AddMethodProps) {
  return (
    <Action
      name="addPaymentMethod"
      needs="payment_method:create"
      initial={{ pluginName: methods[0]?.pluginName ?? gateways.at(-1), isDefault: true }}
      fields={{
        pluginName: { label: label('gateway'), isRequired: true, help: t.gatewayHelp(gateways.join(', ')) },
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
        explanation={isDefault ? t.removeDefault : t.remove}
        run={() => remove({ paymentMethodId, withAutoPayOff: isDefault })}
        isDangerous
      />
    </>
  );
}
