import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  /** Sizes in bytes of the packed and the unpacked package. */
  readonly sizes: readonly [packed: number, unpacked: number];
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let made: Promise<Packed> | undefined;

/** Builds and packs the package, once per run of the checks. The file exists until they end. */
export function packed(): Promise<Packed> {
  made ??= pack();
  return made;
}

async function pack(): Promise<Packed> {
  const directory = await mkdtemp(join(tmpdir(), 'billwright-packed-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  // Parallel check files share the build of their script.
  if (process.env.BILLWRIGHT_TEST_BUILT !== 'true') await runReporting('npm', ['run', 'build'], root);
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', directory];
  const [report] = JSON.parse((await runReporting('npm', packing, root)).stdout) as readonly PackReport[];
  if (!report) throw new Error('npm pack packed nothing');
  return {
    tarball: join(directory, report.filename),
    files: report.files.map((file) => file.path),
    sizes: [report.size, report.unpackedSize],
  };
}

/** Runs a command. The error of a failure includes its output. */
export async function runReporting(command: string, parameters: readonly string[], cwd: string) {
  try {
    return await run(command, parameters, { cwd, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${parameters.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
