import { useEffect, useState } from 'preact/hooks';
import { BillingError, ErrorCode } from '../../client/index.ts';
import { api, asError, callTenant, type ResultOf, revision, withNames } from '../core/data.ts';
import { instant, testTime as time, words } from '../core/format.ts';
import { pagePath } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Badge, Dialog, Problem } from './layout.tsx';
import { eventColumns, type FeedEvent, List } from './table.tsx';

const t = texts.clock;

/** True if the server has a test clock. The server writes it into the page. */
const isTestMode = document.querySelector('meta[name=billwright-test]') !== null;

interface Clock {
  readonly currentUtcTime: string;
}

async function readClock(): Promise<void> {
  time.value = (await callTenant<Clock>('GET /test/clock')).currentUtcTime;
}

/** The outcome of a move of the clock. */
interface Outcome {
  readonly from: string;
  readonly events: readonly FeedEvent[];
  /** True if there are more events than shown. */
  readonly hasMore: boolean;
}

/** In test mode: the time of the test clock, and buttons that move it and show what happened in between. */
export function ClockBar() {
  const [seconds, setSeconds] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    if (isTestMode) readClock().catch((failure: unknown) => setError(asError(failure)));
  }, []);
  useEffect(() => setOutcome(null), [pagePath.value]);
  if (!time.value) return null;

  const move = async (route: string, query: Readonly<Record<string, string>>) => {
    const from = time.value ?? '';
    setSeconds(0);
    setError(null);
    try {
      setOutcome({ from, ...(await moved(route, query, setSeconds)) });
    } finally {
      setSeconds(null);
    }
  };
  const step = (unit: string) =>
    move('PUT /test/clock', { [unit]: '1' }).catch((failure: unknown) => setError(asError(failure)));
  const isMoving = seconds !== null;
  return (
    <section class="clock-bar" aria-label={t.title}>
      <strong>{t.title}</strong>
      <time dateTime={time.value}>{instant(time.value, 'UTC').replace(/( UTC)?$/, ' UTC')}</time>
      {t.steps.map(([label, unit]) => (
        <button key={unit} type="button" disabled={isMoving} onClick={() => void step(unit)}>
          {label}
        </button>
      ))}
      <Action
        name="setDate"
        fields={{ date: { kind: 'date', isRequired: true } }}
        initial={{ date: time.value.slice(0, 10) }}
        run={({ date: requestedDate }) => move('POST /test/clock', { requestedDate })}
      />
      <span role="status">{isMoving && t.working(seconds)}</span>
      {error !== null && <Problem error={error} />}
      {outcome !== null && <OutcomeDialog outcome={outcome} close={() => setOutcome(null)} />}
    </section>
  );
}

/** Moves the clock, waits until all due work is done, and returns the events in between. */
async function moved(
  route: string,
  query: Readonly<Record<string, string>>,
  progress: (seconds: number) => void,
): Promise<Omit<Outcome, 'from'>> {
  const started = performance.now();
  const timer = setInterval(() => progress(Math.round((performance.now() - started) / 1_000)), 500);
  try {
    const { next } = await api().events.list({ after: 'latest' });
    time.value = (
      await callTenant<Clock>(route, { query: { ...query, timeoutSec: WAIT_SECONDS } })
    ).currentUtcTime;
    while (!(await isQuiet()));
    revision.value += 1;
    const { events, hasMore } = await eventsAfter(next);
    return { events: await withNames(events), hasMore };
  } finally {
    clearInterval(timer);
  }
}

const WAIT_SECONDS = 5;

async function isQuiet(): Promise<boolean> {
  try {
    await callTenant('GET /test/queues', { query: { timeoutSec: WAIT_SECONDS } });
    return true;
  } catch (error) {
    if (error instanceof BillingError && error.code === ErrorCode.PRECONDITION_FAILED) return false;
    throw error;
  }
}

const MAX_PAGES = 5;
const EVENTS_PER_PAGE = 1_000;

async function eventsAfter(cursor: string) {
  const events: ResultOf<'events', 'list'>['events'][number][] = [];
  let after = cursor;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await api().events.list({ after, limit: EVENTS_PER_PAGE });
    events.push(...found.events);
    if (found.events.length < EVENTS_PER_PAGE) return { events, hasMore: false };
    after = found.next;
  }
  return { events, hasMore: true };
}

/** Counts of the events by type, and the list. */
function OutcomeDialog(props: { readonly outcome: Outcome; readonly close: () => void }) {
  const { from, events, hasMore } = props.outcome;
  const counts = new Map<string, number>();
  for (const { eventType } of events) counts.set(eventType, (counts.get(eventType) ?? 0) + 1);
  return (
    <Dialog title={t.happened} close={props.close} isWide>
      <div class="fields">
        <p>{t.between(instant(from, 'UTC'), instant(time.value, 'UTC'), events.length)}</p>
        {hasMore && <p>{t.more}</p>}
        <div class="actions">
          {[...counts].map(([type, count]) => (
            <Badge key={type} tone={type.endsWith('FAILED') ? 'bad' : undefined}>
              {words(type)}: {count}
            </Badge>
          ))}
        </div>
        <List name="events" pageParameter="happened" rows={events} columns={eventColumns} />
      </div>
    </Dialog>
  );
}
