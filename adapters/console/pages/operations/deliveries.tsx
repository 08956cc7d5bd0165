import { api } from '../../core/data.ts';
import { label, words } from '../../core/format.ts';
import { parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Copyable, Load, ObjectLink, Section } from '../../parts/layout.tsx';
import { Filters, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.operations;

const tones = { FAILED: 'bad', AVAILABLE: 'warning', PROCESSED: 'good', REMOVED: 'quiet' } as const;

type Status = keyof typeof tones;

const statuses = Object.keys(tones) as readonly Status[];

function DeliveryState({ status }: { readonly status: Status }) {
  return <Badge tone={tones[status]}>{label(status)}</Badge>;
}

/** The callback of the tenant, and the deliveries of events to it. */
export function Deliveries() {
  const state = statuses.find((each) => each === parameters.value.get('state'));
  const { list, sendAgain } = api().deliveries;
  return (
    <>
      <Callback />
      <ListSection
        name="deliveries"
        pageParameter="page"
        actions={
          <Filters of={{ state: { kind: 'select', options: [['', texts.common.all], ...statuses] } }} />
        }
        load={(page) => list({ ...page, ...(state && { state }) })}
        columns={[
          ['event', ({ eventType }) => words(eventType)],
          ['object', (event) => <ObjectLink {...event} />],
          ['created', 'createdDate'],
          ['state', (delivery) => <DeliveryState {...delivery} />],
          ['response', ({ lastStatus, lastError }) => lastError ?? lastStatus, 'text'],
          ['failedAttempts', 'attempts'],
          ['nextAttempt', 'nextAttemptDate'],
          ['', ({ id }) => <Action name="sendAgain" needs="tenant_kvs:add" run={() => sendAgain(id)} />],
        ]}
      />
    </>
  );
}

const CALLBACK = 'PUSH_NOTIFICATION_CB';

/** The URL that receives the events of the tenant. */
function Callback() {
  const { get, add, delete: remove } = api().keyValues;
  return (
    <Load from={() => get(CALLBACK)}>
      {({ values: [url] }) => {
        const actions = (
          <>
            <Action
              name="setCallback"
              needs="tenant_kvs:add"
              fields={{ url: { isRequired: true, placeholder: 'https://example.com/billing' } }}
              initial={{ url }}
              run={(given) => add(CALLBACK, given.url)}
            />
            <Action
              name="removeCallback"
              needs="tenant_kvs:delete"
              isHidden={url === undefined}
              run={() => remove(CALLBACK)}
              isDangerous
            />
          </>
        );
        return (
          <Section name="callback" actions={actions}>
            {url === undefined ? t.noCallback : <Copyable text={url} />}
          </Section>
        );
      }}
    </Load>
  );
}
