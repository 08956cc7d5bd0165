import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { consolePages } from '../../../adapters/koa/pages/console.ts';
import { memoryDirectory } from '../memory-directory.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../../adapters/console/build.mjs', import.meta.url));

let built: Promise<string> | undefined;

/** Builds the console from the sources, once per process, and returns its folder. The folder is removed on exit. */
export function builtConsole(): Promise<string> {
  built ??= build();
  return built;
}

/** Returns the pages of the built console for `createKoaApp`. */
export async function builtPages(): Promise<ReturnType<typeof consolePages>> {
  return consolePages(pathToFileURL(`${await builtConsole()}/`));
}

async function build(): Promise<string> {
  const folder = await memoryDirectory('billwright-console-');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await run(process.execPath, [script, folder]);
  return folder;
}
