import { signal } from '@preact/signals';
import { type Call, calls, curlOf } from '../core/data.ts';
import { texts } from '../texts.ts';
import { Copy, Dialog } from './layout.tsx';

interface Notice {
  readonly id: number;
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);
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
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isCallLogOpen.value = true;
            }}
          >
            {texts.calls.show}
          </button>
        </p>
      ))}
    </div>
  );
}

export const isCallLogOpen = signal(false);

/** The HTTP calls of the console, newest first, each as a curl command. */
export function CallLog() {
  if (!isCallLogOpen.value) return null;
  const close = () => {
    isCallLogOpen.value = false;
  };
  return (
    <Dialog title={texts.calls.title} close={close} isWide>
      <p>{texts.calls.explanation}</p>
      <div class="call-log">
        {calls.value.map((call) => (
          <OneCall key={call.id} call={call} />
        ))}
      </div>
    </Dialog>
  );
}

function OneCall({ call }: { readonly call: Call }) {
  const path = new URL(call.url, location.href).pathname;
  const curl = curlOf(call);
  return (
    <details>
      <summary>
        <span class={call.changes ? 'badge warning' : 'badge quiet'}>{call.method}</span> <code>{path}</code>{' '}
        <span>{call.status ?? texts.calls.noAnswer}</span> <span>{Math.round(call.milliseconds)} ms</span>
      </summary>
      <pre>{curl}</pre>
      <Copy text={curl} name={texts.calls.copy} />
    </details>
  );
}
