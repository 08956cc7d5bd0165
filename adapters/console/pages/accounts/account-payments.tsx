import { type Account, api, callServer, type PaymentMethod, useLoad } from '../../core/data.ts';
import { day, instant, label, shortId } from '../../core/format.ts';
import { Action, type Field, requiredText, textOrNull } from '../../parts/action.tsx';
import { Badge, Section, Show } from '../../parts/layout.tsx';
import { KnownList, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';
import { paymentColumns, scheduledRetries } from '../payments/data.tsx';

const t = texts.methods;

interface AccountProps {
  readonly account: Account;
}

/** The payments and payment methods of an account. */
export function Payments({ account }: AccountProps) {
  const { id, timeZone } = account;
  return (
    <>
      <ListSection
        name="payments"
        load={({ offset, limit, sort }) =>
          api().payments.search(`_q=1&account_id[eq]=${id}`, {
            offset,
            limit: sort === 'number' ? limit : -limit,
            withAttempts: true,
          })
        }
        columns={[
          ...paymentColumns(timeZone),
          [
            'triedAgain',
            (payment) =>
              scheduledRetries(payment)
                .map(({ effectiveDate }) => instant(effectiveDate, timeZone))
                .join(', '),
          ],
        ]}
      />
      <PaymentMethods account={account} />
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

const paysField: Field = { name: 'payUnpaidInvoices', kind: 'checkbox' };

function PaymentMethods({ account: { id: accountId } }: AccountProps) {
  const loaded = useLoad(async () => {
    const [methods, gateways] = await Promise.all([
      api().paymentMethods.ofAccount(accountId),
      loadGateways(),
    ]);
    return { methods, gateways };
  });
  const { methods = [], gateways = [] } = loaded.data ?? {};
  const add = (
    <Action
      name="addPaymentMethod"
      needs="payment_method:create"
      initial={{ gateway: methods[0]?.pluginName ?? gateways.at(-1) ?? '', isDefault: true }}
      fields={[
        {
          name: 'gateway',
          isRequired: true,
          ...(gateways.length > 0 && { help: t.gatewayHelp(gateways.join(', ')) }),
        },
        { name: 'token', help: t.tokenHelp },
        { name: 'isDefault', kind: 'checkbox' },
        paysField,
      ]}
      run={(values) =>
        api().paymentMethods.add({
          accountId,
          pluginName: requiredText(values, 'gateway'),
          isDefault: values.isDefault === true,
          payAllUnpaidInvoices: values.payUnpaidInvoices === true,
          details: { externalPaymentMethodId: textOrNull(values, 'token') },
        })
      }
    />
  );
  return (
    <Section name="paymentMethods" actions={add}>
      <Show of={loaded}>
        {() => (
          <KnownList
            name="paymentMethods"
            pageParameter="methods"
            rows={methods}
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
              ['since', ({ createdDate }) => day(createdDate.toISOString())],
              ['', (method) => <MethodActions {...method} />],
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

function MethodActions({ id: paymentMethodId, accountId, isDefault }: PaymentMethod) {
  return (
    <span class="actions">
      {!isDefault && (
        <Action
          name="makeDefault"
          needs="payment_method:create"
          fields={[paysField]}
          run={({ payUnpaidInvoices }) =>
            api().paymentMethods.setDefault({
              accountId,
              paymentMethodId,
              payAllUnpaidInvoices: payUnpaidInvoices === true,
            })
          }
        />
      )}
      <Action
        name="remove"
        needs="payment_method:delete"
        explanation={isDefault ? t.removeDefault : t.remove}
        run={() => api().paymentMethods.delete({ paymentMethodId, withAutoPayOff: isDefault })}
        isDangerous
      />
    </span>
  );
}
