import { runCommandLine } from '../../adapters/cli/commands/command-line.ts';

/** What the command line has said itself, run in this process. */
export interface Spoken {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command that does not serve, within this process. */
export async function speak(args: readonly string[]): Promise<Spoken> {
  let output = '';
  let errors = '';
  const status = await runCommandLine(args, {
    out: (text) => {
      output += text;
    },
    error: (text) => {
      errors += text;
    },
  });
  return { status, output, errors };
}
