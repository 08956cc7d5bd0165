import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Work for a process of its own: the module at `script` answers one message with one message. */
export interface ChildWork<Input> {
  readonly script: URL;
  readonly input: Input;
  readonly execArgv?: readonly string[];
}

/** What was measured outside the work itself. */
export interface ChildUsage {
  /** Highest resident memory of the process, in MiB. */
  readonly peakMib: number;
}

/** Runs the work in a fresh process, as cold as a user's, and returns its answer. */
export async function inChild<Input, Output>({
  script,
  input,
  execArgv = [],
}: ChildWork<Input>): Promise<Output & ChildUsage> {
  const child = fork(script, { execArgv: [...execArgv], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  try {
    child.send(input as object);
    const answer = await Promise.race([
      once(child, 'message').then(([message]) => message as Output & ChildUsage),
      ended.then(([code]): never => {
        throw new Error(`${script.pathname} ended with ${String(code)} before it answered`);
      }),
    ]);
    return answer;
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}

/** The other side: answers the parent's message with what `work` makes of it, then lets the process end. */
export function answerParent<Input, Output extends object>(work: (input: Input) => Promise<Output>): void {
  process.once('message', (input) => {
    // The dispatcher's timers keep no process alive; the parent's connection does.
    process.channel?.ref();
    work(input as Input).then(
      (output) => process.send?.({ ...output, peakMib: process.resourceUsage().maxRSS / 1_024 }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
