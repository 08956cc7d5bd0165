import { signal } from '@preact/signals';
import { type Call, calls, curlOf } from '../core/data.ts';
import { texts } from '../texts.ts';
import { Copy, Dialog } from './layout.tsx';

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
