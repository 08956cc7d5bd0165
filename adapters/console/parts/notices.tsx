import { signal } from '@preact/signals';
import { texts } from '../texts.ts';
import { isCallLogOpen } from './call-log.tsx';

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
