import { type Api, api } from '../../core/data.ts';
import { label, words } from '../../core/format.ts';
import { hrefWith, navigate, parameters } from '../../core/location.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Copyable, Dialog, Facts, IdLink, Load, ObjectLink, Section } from '../../parts/layout.tsx';
import { Filters, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.operations;

const tones = { FAILED: 'bad', AVAILABLE: 'warning', PROCESSED: 'good', REMOVED: 'quiet' } as const;

type Status = keyof typeof tones;

const statuses = Object.keys(tones) as readonly Status[];

function DeliveryState({ status }: { readonly status: Status }) {
  return <Badge tone={tones[status]}>{t.deliveryStates[status]}</Badge>;
}

/** The callback of the tenant, and the deliveries of events to it. */
export function Deliveries() {
  const state = statuses.find((each) => each === parameters.value.get('state'));
  const open = parameters.value.get('delivery');
  const options = statuses.map((each) => [each, t.deliveryStates[each]] as const);
  return (
    <>
      <Callback />
      <ListSection
        name="deliveries"
        pageParameter="page"
        actions={
          <Filters of={{ state: { kind: 'select', options: [['', texts.common.all], ...options] } }} />
        }
        load={(page) => api().deliveries.list({ ...page, ...(state && { state }) })}
        columns={[
          ['event', ({ id, eventType }) => <a href={hrefWith({ delivery: id })}>{words(eventType)}</a>],
          ['object', (event) => <ObjectLink {...event} />],
          ['created', 'createdDate'],
          ['state', (delivery) => <DeliveryState {...delivery} />],
          ['response', ({ lastStatus, lastError }) => lastError ?? lastStatus, 'text'],
          ['failedAttempts', 'attempts'],
        ]}
      />
      {open !== null && <DeliveryDialog key={open} id={open as DeliveryId} />}
    </>
  );
}

type DeliveryId = Parameters<Api['deliveries']['get']>[0];

/** A delivery with what was sent, what the receiver answered, and what happens next. */
function DeliveryDialog({ id }: { readonly id: DeliveryId }) {
  const close = () => navigate(hrefWith({ delivery: null }), { replace: true });
  return (
    <Dialog title={label('delivery')} close={close} isWide>
      <Load from={() => api().deliveries.get(id)}>
        {(found) => {
          const { eventType, accountId, objectType, objectId, metaData } = found;
          return (
            <div class="fields">
              <Facts
                of={{
                  event: words(eventType),
                  state: <DeliveryState {...found} />,
                  url: found.url,
                  webhookId: <Copyable text={id} />,
                  account: accountId && <IdLink page="/accounts" id={accountId} />,
                  created: found.createdDate,
                  failedAttempts: found.attempts,
                  lastAttempt: found.lastAttemptDate,
                  response: found.lastError ?? found.lastStatus,
                  nextAttempt: found.nextAttemptDate,
                }}
              />
              <h3>{t.body}</h3>
              <pre>{JSON.stringify({ eventType, accountId, objectType, objectId, metaData }, null, 2)}</pre>
              <div class="actions">
                <Action name="sendAgain" needs="tenant_kvs:add" run={() => api().deliveries.sendAgain(id)} />
              </div>
            </div>
          );
        }}
      </Load>
    </Dialog>
  );
}

const CALLBACK = 'PUSH_NOTIFICATION_CB';

/** The URL that receives the events of the tenant. */
function Callback() {
  const { keyValues } = api();
  return (
    <Load from={() => keyValues.get(CALLBACK)}>
      {({ values: [url] }) => (
        <Section
          name="callback"
          actions={
            <>
              <Action
                name={url === undefined ? 'setCallback' : 'changeCallback'}
                explanation={t.callback}
                needs="tenant_kvs:add"
                fields={{ url: { isRequired: true, placeholder: 'https://example.com/billing' } }}
                run={(given) => keyValues.add(CALLBACK, given.url)}
              />
              {url !== undefined && (
                <Action
                  name="removeCallback"
                  needs="tenant_kvs:delete"
                  run={() => keyValues.delete(CALLBACK)}
                  isDangerous
                />
              )}
            </>
          }
        >
          {url === undefined ? t.noCallback : <Copyable text={url} />}
        </Section>
      )}
    </Load>
  );
}
