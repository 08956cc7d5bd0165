import { type Api, api, useLoad } from '../../core/data.ts';
import { instant, label, words } from '../../core/format.ts';
import { hrefWith, navigate, parameters } from '../../core/location.ts';
import { Action, requiredText } from '../../parts/action.tsx';
import {
  Badge,
  Copyable,
  Dialog,
  Facts,
  IdLink,
  ObjectLink,
  Section,
  Show,
  type Tone,
} from '../../parts/layout.tsx';
import { Filter, ListSection } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const t = texts.operations;

const tones = { FAILED: 'bad', AVAILABLE: 'warning', PROCESSED: 'good', REMOVED: 'quiet' } as const;

type Status = keyof typeof tones;

const statuses = Object.keys(tones) as readonly Status[];

function DeliveryState({ status }: { readonly status: Status }) {
  return <Badge tone={tones[status] satisfies Tone}>{t.deliveryStates[status]}</Badge>;
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
        actions={<Filter name="state" options={[['', texts.common.all], ...options]} />}
        load={({ offset, limit }) => api().deliveries.list({ ...(state && { state }), offset, limit })}
        inputs={[state]}
        columns={[
          ['event', ({ id, eventType }) => <a href={hrefWith({ delivery: id })}>{words(eventType)}</a>],
          ['object', (event) => <ObjectLink {...event} />],
          ['created', ({ createdDate }) => instant(createdDate)],
          ['state', DeliveryState],
          ['response', ({ lastStatus, lastError }) => lastError ?? lastStatus, 'text'],
          ['failedAttempts', ({ attempts }) => attempts, 'number'],
        ]}
      />
      {open !== null && <DeliveryDialog key={open} id={open as DeliveryId} />}
    </>
  );
}

type DeliveryId = Parameters<Api['deliveries']['get']>[0];

/** A delivery with what was sent, what the receiver answered, and what happens next. */
function DeliveryDialog({ id }: { readonly id: DeliveryId }) {
  const loaded = useLoad(() => api().deliveries.get(id));
  const close = () => navigate(hrefWith({ delivery: null }), { replace: true });
  return (
    <Dialog title={label('delivery')} close={close} isWide>
      <Show of={loaded}>
        {(found) => {
          const { eventType, accountId, objectType, objectId, metaData } = found;
          return (
            <div class="fields">
              <Facts
                of={{
                  event: words(eventType),
                  state: <DeliveryState status={found.status} />,
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
      </Show>
    </Dialog>
  );
}

const CALLBACK = 'PUSH_NOTIFICATION_CB';

/** The URL that receives the events of the tenant. */
function Callback() {
  const loaded = useLoad(() => api().keyValues.get(CALLBACK));
  const url = loaded.data?.values[0];
  const actions = (
    <>
      <Action
        name={url === undefined ? 'setCallback' : 'changeCallback'}
        explanation={t.callback}
        needs="tenant_kvs:add"
        fields={[{ name: 'url', isRequired: true, placeholder: 'https://example.com/billing' }]}
        run={(values) => api().keyValues.add(CALLBACK, requiredText(values, 'url'))}
      />
      {url !== undefined && (
        <Action
          name="removeCallback"
          needs="tenant_kvs:delete"
          run={() => api().keyValues.delete(CALLBACK)}
          isDangerous
        />
      )}
    </>
  );
  return (
    <Section name="callback" actions={actions}>
      <Show of={loaded}>{() => (url === undefined ? t.noCallback : <Copyable text={url} />)}</Show>
    </Section>
  );
}
