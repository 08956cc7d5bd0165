import type { JSX } from 'preact';
import { api } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { hrefWith, parameters } from '../../core/location.ts';
import { eventColumns, eventTypeOf, eventTypes } from '../../parts/event-table.tsx';
import { Section } from '../../parts/layout.tsx';
import { Show } from '../../parts/loading.tsx';
import { Filter, Table } from '../../parts/table.tsx';
import { texts } from '../../texts.ts';

const PAGE_SIZE = 25;

/** The event feed, from the oldest stored event or after a cursor of the URL. */
export function Events(): JSX.Element {
  const type = eventTypeOf(parameters.value.get('type'));
  const after = parameters.value.get('after') ?? 'oldest';
  const loaded = useLoad(
    () => api().events.list({ after, limit: PAGE_SIZE, ...(type && { types: [type] }) }),
    [type, after],
  );
  return (
    <Section title={texts.operations.events}>
      <p class="quiet-text">{texts.operations.eventsExplanation}</p>
      <div class="filters">
        <Filter
          label={texts.operations.event}
          name="type"
          options={[['', texts.operations.all], ...eventTypes.map((each) => [each, words(each)] as const)]}
        />
      </div>
      <Show of={loaded}>
        {({ events, next }) => (
          <>
            <Table
              caption={texts.operations.events}
              rows={events}
              keyOf={({ id }) => id}
              columns={eventColumns}
              empty={texts.operations.noEvents}
            />
            <nav class="pages" aria-label={texts.common.pages}>
              {after !== 'oldest' && <a href={hrefWith({ after: null })}>{texts.operations.oldest}</a>}
              <a href={hrefWith({ after: next })}>{texts.operations.later}</a>
            </nav>
          </>
        )}
      </Show>
    </Section>
  );
}
