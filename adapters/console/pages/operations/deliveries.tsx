import {
  type Api,
  api,
  hrefWith,
  instant,
  may,
  navigate,
  parameters,
  useLoad,
  words,
} from '../../core/index.ts';
import { eventTypeOf, eventTypes, ObjectLink } from '../../parts/event-table.tsx';
import {
  Action,
  Badge,
  Copyable,
  Dialog,
  Facts,
  Filter,
  IdLink,
  PagedTable,
  Section,
  Show,
  type Tone,
  textOf,
} from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.operations;

const states = ['FAILED', 'AVAILABLE', 'PROCESSED', 'REMOVED'] as const;
const tones: Readonly<Record<(typeof states)[number], Tone>> = {
  FAILED: 'bad',
  AVAILABLE: 'warning',
  PROCESSED: 'good',
  REMOVED: 'quiet',
};

/** The callback of the tenant, and the deliveries of events to it. */
export function Deliveries() {
  const status = states.find((each) => each === parameters.value.get('state'));
  const eventType = eventTypeOf(parameters.value.get('type'));
  const open = parameters.value.get('delivery');
  return (
    <>
      <Callback />
      <Section title={t.deliveries}>
        <div class="filters">
          <Filter
            label={t.state}
            name="state"
            options={[['', t.all], ...states.map((each) => [each, t.deliveryStates[each]] as const)]}
          />
          <Filter
            label={t.event}
            name="type"
            options={[['', t.all], ...eventTypes.map((each) => [each, words(each)] as const)]}
          />
        </div>
        <PagedTable
          caption={t.deliveries}
          load={({ offset, limit }) =>
            api().deliveries.list({
              ...(status && { state: status }),
              ...(eventType && { eventType }),
              offset,
              limit,
            })
          }
          inputs={[status, eventType]}
          keyOf={({ id }) => id}
          empty={t.noDeliveries}
          columns={[
            {
              title: t.event,
              cell: ({ id, eventType: type }) => <a href={hrefWith({ delivery: id })}>{words(type)}</a>,
            },
            {
              title: t.object,
              cell: ({ objectType, objectId }) => <ObjectLink type={objectType} id={objectId} />,
            },
            { title: t.created, cell: ({ createdDate }) => instant(createdDate) },
            {
              title: t.state,
              cell: (row) => <Badge tone={tones[row.status]}>{t.deliveryStates[row.status]}</Badge>,
            },
            { title: t.response, cell: ({ lastStatus, lastError }) => lastError ?? lastStatus, isText: true },
            { title: t.attempts, cell: ({ attempts }) => attempts, isNumber: true },
          ]}
        />
      </Section>
      {open !== null && <DeliveryDialog key={open} id={open as DeliveryId} />}
    </>
  );
}

type DeliveryId = Parameters<Api['deliveries']['get']>[0];

/** A delivery with what was sent, what the receiver answered, and what happens next. */
function DeliveryDialog({ id }: { readonly id: DeliveryId }) {
  const loaded = useLoad(() => api().deliveries.get(id), [id]);
  const close = () => navigate(hrefWith({ delivery: null }), { replace: true });
  return (
    <Dialog title={t.delivery} close={close} isWide>
      <Show of={loaded}>
        {(found) => (
          <div class="fields">
            <Facts
              of={[
                [t.event, words(found.eventType)],
                [t.state, <Badge tone={tones[found.status]}>{t.deliveryStates[found.status]}</Badge>],
                [t.url, found.url],
                [t.webhookId, <Copyable text={found.id} />],
                [
                  t.account,
                  found.accountId === null ? undefined : <IdLink page="/accounts" id={found.accountId} />,
                ],
                [t.created, instant(found.createdDate)],
                [t.attempts, found.attempts],
                [t.lastAttempt, instant(found.lastAttemptDate)],
                [t.response, found.lastError ?? found.lastStatus ?? t.noResponse],
                [t.nextAttempt, instant(found.nextAttemptDate)],
              ]}
            />
            <h3>{t.body}</h3>
            <pre>{JSON.stringify(bodyOf(found), null, 2)}</pre>
            {may('tenant_kvs:add') && (
              <div class="actions">
                <Action {...t.sendAgain} run={() => api().deliveries.sendAgain(id)} />
              </div>
            )}
          </div>
        )}
      </Show>
    </Dialog>
  );
}

interface Body {
  readonly eventType: string;
  readonly accountId: string | null;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly metaData: string | null;
}

function bodyOf({ eventType, accountId, objectType, objectId, metaData }: Body): Body {
  return { eventType, accountId, objectType, objectId, metaData };
}

const CALLBACK = 'PUSH_NOTIFICATION_CB';

/** The URL that receives the events of the tenant. */
function Callback() {
  const loaded = useLoad(() => api().keyValues.get(CALLBACK));
  const url = loaded.data?.values[0];
  return (
    <Section
      title={t.callback}
      actions={
        <>
          {may('tenant_kvs:add') && (
            <Action
              label={url === undefined ? t.setCallback : t.changeCallback}
              explanation={t.callbackExplanation}
              fields={[
                { name: 'url', label: t.url, isRequired: true, placeholder: 'https://example.com/billing' },
              ]}
              run={(values) => api().keyValues.add(CALLBACK, textOf(values, 'url') ?? '')}
              done={t.callbackSet}
            />
          )}
          {url !== undefined && may('tenant_kvs:delete') && (
            <Action {...t.removeCallback} run={() => api().keyValues.delete(CALLBACK)} isDangerous />
          )}
        </>
      }
    >
      <Show of={loaded}>
        {({ values }) => (values[0] === undefined ? t.noCallback : <Copyable text={values[0]} />)}
      </Show>
    </Section>
  );
}
