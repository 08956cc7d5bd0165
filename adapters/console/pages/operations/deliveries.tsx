import type { JSX } from 'preact';
import { type Api, api } from '../../core/api.ts';
import { instant, words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { hrefWith, navigate, parameters } from '../../core/location.ts';
import { may } from '../../core/session.ts';
import { Action } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { eventTypeOf, eventTypes, ObjectLink } from '../../parts/event-table.tsx';
import { textOf } from '../../parts/form.tsx';
import { Badge, Copyable, Facts, IdLink, Section, type Tone } from '../../parts/layout.tsx';
import { Show } from '../../parts/loading.tsx';
import { Filter, PagedTable } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const states = ['FAILED', 'AVAILABLE', 'PROCESSED', 'REMOVED'] as const;
const tones: Readonly<Record<(typeof states)[number], Tone>> = {
  FAILED: 'bad',
  AVAILABLE: 'warning',
  PROCESSED: 'good',
  REMOVED: 'quiet',
};

/** The callback of the tenant, and the deliveries of events to it. */
export function Deliveries(): JSX.Element {
  const status = states.find((each) => each === parameters.value.get('state'));
  const eventType = eventTypeOf(parameters.value.get('type'));
  const open = parameters.value.get('delivery');
  return (
    <>
      <Callback />
      <Section title={texts.operations.deliveries}>
        <div class="filters">
          <Filter
            label={texts.operations.state}
            name="state"
            options={[
              ['', texts.operations.all],
              ...states.map((each) => [each, texts.operations.deliveryStates[each]] as const),
            ]}
          />
          <Filter
            label={texts.operations.event}
            name="type"
            options={[['', texts.operations.all], ...eventTypes.map((each) => [each, words(each)] as const)]}
          />
        </div>
        <PagedTable
          caption={texts.operations.deliveries}
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
          empty={texts.operations.noDeliveries}
          columns={[
            {
              title: texts.operations.event,
              cell: ({ id, eventType: type }) => <a href={hrefWith({ delivery: id })}>{words(type)}</a>,
            },
            {
              title: texts.operations.object,
              cell: ({ objectType, objectId }) => <ObjectLink type={objectType} id={objectId} />,
            },
            { title: texts.operations.created, cell: ({ createdDate }) => instant(createdDate) },
            {
              title: texts.operations.state,
              cell: (row) => (
                <Badge tone={tones[row.status]}>{texts.operations.deliveryStates[row.status]}</Badge>
              ),
            },
            {
              title: texts.operations.response,
              cell: ({ lastStatus, lastError }) => lastError ?? lastStatus,
              isText: true,
            },
            { title: texts.operations.attempts, cell: ({ attempts }) => attempts, isNumber: true },
          ]}
        />
      </Section>
      {open !== null && <DeliveryDialog key={open} id={open as DeliveryId} />}
    </>
  );
}

type DeliveryId = Parameters<Api['deliveries']['get']>[0];

/** A delivery with what was sent, what the receiver answered, and what happens next. */
function DeliveryDialog({ id }: { readonly id: DeliveryId }): JSX.Element {
  const loaded = useLoad(() => api().deliveries.get(id), [id]);
  const close = () => navigate(hrefWith({ delivery: null }), { replace: true });
  return (
    <Dialog title={texts.operations.delivery} close={close} isWide>
      <Show of={loaded}>
        {(found) => (
          <div class="fields">
            <Facts
              of={[
                [texts.operations.event, words(found.eventType)],
                [
                  texts.operations.state,
                  <Badge tone={tones[found.status]}>{texts.operations.deliveryStates[found.status]}</Badge>,
                ],
                [texts.operations.url, found.url],
                [texts.operations.webhookId, <Copyable text={found.id} />],
                [
                  texts.operations.account,
                  found.accountId === null ? undefined : <IdLink page="/accounts" id={found.accountId} />,
                ],
                [texts.operations.created, instant(found.createdDate)],
                [texts.operations.attempts, found.attempts],
                [texts.operations.lastAttempt, instant(found.lastAttemptDate)],
                [
                  texts.operations.response,
                  found.lastError ?? found.lastStatus ?? texts.operations.noResponse,
                ],
                [texts.operations.nextAttempt, instant(found.nextAttemptDate)],
              ]}
            />
            <h3>{texts.operations.body}</h3>
            <pre>{JSON.stringify(bodyOf(found), null, 2)}</pre>
            {may('tenant_kvs:add') && (
              <div class="actions">
                <Action {...texts.operations.sendAgain} run={() => api().deliveries.sendAgain(id)} />
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
function Callback(): JSX.Element {
  const loaded = useLoad(() => api().keyValues.get(CALLBACK));
  const url = loaded.data?.values[0];
  return (
    <Section
      title={texts.operations.callback}
      actions={
        <>
          {may('tenant_kvs:add') && (
            <Action
              label={url === undefined ? texts.operations.setCallback : texts.operations.changeCallback}
              explanation={texts.operations.callbackExplanation}
              fields={[
                {
                  name: 'url',
                  label: texts.operations.url,
                  isRequired: true,
                  placeholder: 'https://example.com/billing',
                },
              ]}
              run={(values) => api().keyValues.add(CALLBACK, textOf(values, 'url') ?? '')}
              done={texts.operations.callbackSet}
            />
          )}
          {url !== undefined && may('tenant_kvs:delete') && (
            <Action
              {...texts.operations.removeCallback}
              run={() => api().keyValues.delete(CALLBACK)}
              isDangerous
            />
          )}
        </>
      }
    >
      <Show of={loaded}>
        {({ values }) =>
          values[0] === undefined ? texts.operations.noCallback : <Copyable text={values[0]} />
        }
      </Show>
    </Section>
  );
}
