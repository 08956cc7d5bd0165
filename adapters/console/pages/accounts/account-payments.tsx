import { type Account, api, callServer, type PaymentMethod } from '../../core/data.ts';
import { instant, label, shortId } from '../../core/format.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Load } from '../../parts/layout.tsx';
import { ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { paymentColumns, scheduledRetries } from '../payments/data.tsx';

const t = texts.methods;

/** The payments and payment methods of an account. */
export function Payments({ account: { id, timeZone } }: { readonly account: Account }) {
  const dateOf = ({ effectiveDate }: { readonly effectiveDate: Date }) => instant(effectiveDate, timeZone);
  return (
    <>
      <ListSection
        name="payments"
        isNewestFirst
        load={(page) => api().payments.search(`_q=1&account_id[eq]=${id}`, { ...page, withAttempts: true })}
        columns={[
          ...paymentColumns(timeZone),
          ['triedAgain', (payment) => scheduledRetries(payment).map(dateOf).join(', ')],
        ]}
      />
      <Load from={() => Promise.all([api().paymentMethods.ofAccount(id), loadGateways()])}>
        {([methods, gateways]) => (
          <ListSection
            name="paymentMethods"
            rows={methods}
            actions={<AddMethod accountId={id} methods={methods} gateways={gateways} />}
            columns={[
              [
                'gateway',
                ({ pluginName, isDefault }) => (
                  <>
                    {pluginName} {isDefault && <Badge tone="good">{label('isDefault')}</Badge>}
                  </>
                ),
              ],
              ['externalKey', ({ externalKey }) => <code title={externalKey}>{shortId(externalKey)}</code>],
              ['since', 'createdDate'],
              ['', (method) => <MethodActions {...method} />],
            ]}
          />
        )}
      </Load>
    </>
  );
}

interface Node {
  readonly pluginsInfo: readonly {
    readonly services: readonly { readonly serviceTypeName: string; readonly registrationName: string }[];
  }[];
}

/** Loads the names of the gateways of all nodes. */
async function loadGateways(): Promise<readonly string[]> {
  const nodes = await callServer<readonly Node[]>('GET /nodesInfo');
  const services = nodes.flatMap(({ pluginsInfo }) => pluginsInfo.flatMap((plugin) => plugin.services));
  const gateways = services.filter(({ serviceTypeName }) => serviceTypeName === 'PaymentPluginApi');
  return [...new Set(gateways.map(({ registrationName }) => registrationName))];
}

const payField = { payUnpaidInvoicesNow: 'checkbox' } as const;

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
      initial={{ gateway: methods[0]?.pluginName ?? gateways.at(-1), isDefault: true }}
      fields={{
        gateway: {
          isRequired: true,
          help: gateways.length > 0 ? t.gatewayHelp(gateways.join(', ')) : undefined,
        },
        token: { help: t.tokenHelp },
        isDefault: 'checkbox',
        ...payField,
      }}
      run={({ gateway, token, isDefault, payUnpaidInvoicesNow }) =>
        api().paymentMethods.add({
          accountId,
          pluginName: gateway,
          isDefault,
          payAllUnpaidInvoices: payUnpaidInvoicesNow,
          details: { externalPaymentMethodId: token },
        })
      }
    />
  );
}

function MethodActions({ id: paymentMethodId, accountId, isDefault }: PaymentMethod) {
  const { setDefault, delete: remove } = api().paymentMethods;
  return (
    <>
      {!isDefault && (
        <Action
          name="makeDefault"
          needs="payment_method:create"
          fields={payField}
          run={({ payUnpaidInvoicesNow: payAllUnpaidInvoices }) =>
            setDefault({ accountId, paymentMethodId, payAllUnpaidInvoices })
          }
        />
      )}
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
