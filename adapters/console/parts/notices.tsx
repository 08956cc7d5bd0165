import { signal } from '@preact/signals';
import { type Call, calls, curlOf } from '../core/data.ts';
import { texts } from '../texts.ts';
import { Dialog } from './layout.tsx';
import { Badge, Copy } from './values.tsx';

const notices = signal<readonly { readonly id: number; readonly text: string }[]>([]);
const isCallLogOpen = signal(false);
const SHOWN_MS = 8_000;
let lastId = 0;

/** Shows a notice for some seconds, with a link to the HTTP call that was made. */
export function notify(text: string): void {
  lastId += 1;
  const id = lastId;
  notices.value = [...notices.value, { id, text }];
  setTimeout(() => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }, SHOWN_MS);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text }) => (
        <p key={id}>
          {text}
          <button type="button" class="quiet" onClick={openCallLog}>
            {texts.calls.show}
          </button>
        </p>
      ))}
    </div>
  );
}

export function openCallLog(): void {
  isCallLogOpen.value = true;
}

function closeCallLog(): void {
  isCallLogOpen.value = false;
}

/** The HTTP calls of the console, newest first, each as a curl command. */
export function CallLog() {
  if (!isCallLogOpen.value) return null;
  return (
    <Dialog title={texts.calls.title} close={closeCallLog} isWide>
      <p>{texts.calls.explanation}</p>
      <div>
        {calls.value.map((call) => (
          <OneCall key={call.id} {...call} />
        ))}
      </div>
    </Dialog>
  );
}

function OneCall(call: Call) {
  const curl = curlOf(call);
  return (
    <details>
      <summary>
        <Badge tone={call.changes ? 'warning' : 'quiet'}>{call.method}</Badge>{' '}
        <code>{new URL(call.url, location.href).pathname}</code>{' '}
        <span>{call.status ?? texts.calls.noAnswer}</span> <span>{Math.round(call.milliseconds)} ms</span>
      </summary>
      <pre>{curl}</pre>
      <Copy text={curl} name={texts.calls.copy} />
    </details>
  );
}
