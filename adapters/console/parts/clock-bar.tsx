import { useEffect, useState } from 'preact/hooks';
import { BillingError, ErrorCode } from '../../client/index.ts';
import { api, asError, callTenant, revision, withNames } from '../core/data.ts';
import { instant, testTime as time, words } from '../core/format.ts';
import { pagePath } from '../core/location.ts';
import { texts } from '../texts.ts';
import { Action } from './action.tsx';
import { Dialog, Problem } from './layout.tsx';
import { accountColumn, List } from './table.tsx';
import { Badge, ObjectLink } from './values.tsx';

const t = texts.clock;

/** True if the server has a test clock. The server writes it into the page. */
const isTestMode = document.querySelector('meta[name=billwright-test]') !== null;

/** Calls the test clock, and shows the time that it returns. */
async function callClock(route: string, query: Readonly<Record<string, string | number>> = {}) {
  const clock = await callTenant<{ readonly currentUtcTime: string }>(route, { query });
  time.value = clock.currentUtcTime;
}

type Outcome = Awaited<ReturnType<typeof moveClock>>;

/**
 * The time of the test clock (in test mode), with buttons that move the clock and show the events of the skipped
 * period.
 */
export function ClockBar() {
  const [seconds, setSeconds] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const fail = (failure: unknown) => setError(asError(failure));
  useEffect(() => {
    if (isTestMode) callClock('GET /test/clock').catch(fail);
  }, []);
  useEffect(() => setOutcome(null), [pagePath.value]);
  if (!time.value) return null;

  const move = async (route: string, query: Readonly<Record<string, string>>) => {
    const started = performance.now();
    const show = () => setSeconds(Math.round((performance.now() - started) / 1_000));
    const timer = setInterval(show, 500);
    show();
    setError(null);
    try {
      setOutcome(await moveClock(route, query));
    } finally {
      clearInterval(timer);
      setSeconds(null);
    }
  };
  return (
    <section class="clock-bar" aria-label={t.title}>
      <strong>{t.title}</strong>
      <time dateTime={time.value}>{instant(time.value, 'UTC').replace(/( UTC)?$/, ' UTC')}</time>
      {t.steps.map(([label, unit]) => (
        <button
          key={unit}
          type="button"
          disabled={seconds !== null}
          onClick={() => void move('PUT /test/clock', { [unit]: '1' }).catch(fail)}
        >
          {label}
        </button>
      ))}
      <Action
        name="setDate"
        fields={{ date: { kind: 'date', isRequired: true } }}
        initial={{ date: time.value.slice(0, 10) }}
        run={({ date: requestedDate }) => move('POST /test/clock', { requestedDate })}
      />
      <span role="status">{seconds !== null && t.working(seconds)}</span>
      {error !== null && <Problem error={error} />}
      {outcome !== null && <OutcomeDialog outcome={outcome} close={() => setOutcome(null)} />}
    </section>
  );
}

const WAIT_SECONDS = 5;
const MAX_EVENTS = 1_000;

/** Moves the clock, waits until all due work is done, and returns the events in between. */
async function moveClock(route: string, query: Readonly<Record<string, string>>) {
  const from = time.value ?? '';
  const { next } = await api().events.list({ after: 'latest' });
  await callClock(route, { ...query, timeoutSec: WAIT_SECONDS });
  while (!(await isQuiet()));
  revision.value += 1;
  const { events } = await api().events.list({ after: next, limit: MAX_EVENTS });
  return { from, events: await withNames(events) };
}

async function isQuiet(): Promise<boolean> {
  try {
    await callTenant('GET /test/queues', { query: { timeoutSec: WAIT_SECONDS } });
    return true;
  } catch (error) {
    if (error instanceof BillingError && error.code === ErrorCode.PRECONDITION_FAILED) return false;
    throw error;
  }
}

/** Counts of the events by type, and the list. */
function OutcomeDialog({ outcome, close }: { readonly outcome: Outcome; readonly close: () => void }) {
  const { from, events } = outcome;
  const byType = Map.groupBy(events, ({ eventType }) => eventType);
  return (
    <Dialog title={t.happened} close={close} isWide>
      <div class="fields">
        <p>{t.between(instant(from, 'UTC'), instant(time.value, 'UTC'), events.length)}</p>
        {events.length === MAX_EVENTS && <p>{t.more}</p>}
        <div class="actions">
          {[...byType].map(([type, { length }]) => (
            <Badge key={type} tone={type.endsWith('FAILED') ? 'bad' : undefined}>
              {words(type)}: {length}
            </Badge>
          ))}
        </div>
        <List
          name="events"
          pageParameter="happened"
          rows={events}
          columns={[
            ['time', 'createdDate'],
            ['event', ({ eventType }) => words(eventType)],
            ['object', (event) => <ObjectLink {...event} />],
            accountColumn,
          ]}
        />
      </div>
    </Dialog>
  );
}
