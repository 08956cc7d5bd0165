import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const BROWSER_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** Returns the Chromium that is installed or that `BILLWRIGHT_TEST_BROWSER` names, or null. */
export function installedBrowser(): string | null {
  const named = process.env.BILLWRIGHT_TEST_BROWSER;
  if (named !== undefined) return named;
  return names.find((name) => isThere(name)) ?? null;
}

function isThere(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the page after its scripts have run. */
export async function domOf(browser: string, html: string): Promise<string> {
  return withPage(html, async (url, folder) => {
    const { stdout } = await runBrowser(browser, folder, ['--virtual-time-budget=10000', '--dump-dom', url]);
    return stdout;
  });
}

export async function printed(browser: string, html: string): Promise<Buffer> {
  return withPage(html, async (url, folder) => {
    const file = join(folder, 'page.pdf');
    await runBrowser(browser, folder, ['--no-pdf-header-footer', `--print-to-pdf=${file}`, url]);
    return readFile(file);
  });
}

function runBrowser(browser: string, folder: string, args: readonly string[]) {
  // Chromium has no sandbox for root, which runs continuous integration; the pages are our own.
  const common = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--window-size=1000,1000',
  ];
  const options = { timeout: BROWSER_MS, maxBuffer: MAX_OUTPUT_BYTES };
  return run(browser, [...common, `--user-data-dir=${join(folder, 'profile')}`, ...args], options);
}

async function withPage<T>(html: string, work: (url: string, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'billwright-page-'));
  try {
    const file = join(folder, 'page.html');
    await writeFile(file, html);
    return await work(pathToFileURL(file).href, folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
