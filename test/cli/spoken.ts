import { runCommandLine } from '../../adapters/cli/commands/command-line.ts';

export interface Spoken {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

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
