import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Returns the script that a process runs for a source file; by default the source file itself. */
let scriptOf = (source: URL): URL => source;

/** Runs later processes from the files that `built` returns for their sources. */
export function runBuilt(built: (source: URL) => URL): void {
  scriptOf = built;
}

/** Work for a separate process: the module at `script` answers one message with one message. */
export interface ChildWork<Input> {
  readonly script: URL;
  readonly input: Input;
}

export interface ChildUsage {
  /** Highest resident memory of the process until its response, in MiB. */
  readonly peakMib: number;
}

/** A process that keeps running after its response, such as a server. */
export interface RunningChild<Output> {
  readonly output: Output;
  stop(): Promise<void>;
}

/** Runs the work in a new process, as cold as a user's, and returns its response. */
export async function inChild<Input, Output>(work: ChildWork<Input>): Promise<Output & ChildUsage> {
  const { output, stop } = await startChild<Input, Output & ChildUsage>(work);
  await stop();
  return output;
}

export async function startChild<Input, Output>({
  script,
  input,
}: ChildWork<Input>): Promise<RunningChild<Output>> {
  const child = fork(scriptOf(script), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  try {
    return { output: await answerOf<Output>(child, input, script), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answerOf<Output>(child: ChildProcess, input: unknown, script: URL): Promise<Output> {
  const answer = once(child, 'message').then(([message]) => message as Output);
  const death = once(child, 'exit').then(([code]): never => {
    throw new Error(`${script.pathname} ended with ${String(code)} before it answered`);
  });
  child.send(input as object);
  return Promise.race([answer, death]);
}

/** Answers the parent's message with the result of `work`, then lets the process end. */
export function answerParent<Input, Output extends object>(work: (input: Input) => Promise<Output>): void {
  process.once('message', (input) => {
    // The dispatcher's timers do not keep a process alive, but the connection to the parent does.
    process.channel?.ref();
    work(input as Input).then(
      (output) => process.send?.({ ...output, peakMib: peakMib() }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

/**
 * Returns the peak memory of this program. Linux reports it in `VmHWM`; `resourceUsage` would include the memory of the
 * parent at the fork.
 */
export function peakMib(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(status);
  return Number(peak?.[1] ?? process.resourceUsage().maxRSS) / 1_024;
}
