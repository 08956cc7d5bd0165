import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, launch } from 'puppeteer-core';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url));
const packed = new URL('../bin/chromium.br', import.meta.resolve('@sparticuz/chromium'));

/** Enough for a start on a busy machine. */
const START_MS = 60_000;

/** The browser of a `describe`. It starts before the tests and closes after them. */
export interface TestBrowser {
  readonly browser: Browser;
}

/**
 * Starts the Chromium of the npm package for the surrounding `describe`, or the browser that `BILLWRIGHT_TEST_BROWSER`
 * names. If it does not start, the tests are skipped and the run reports why.
 */
export function browserBefore(): TestBrowser {
  const opened = {} as { browser: Browser };
  before(async function () {
    try {
      opened.browser = await startBrowser();
    } catch (error) {
      process.stderr.write(`    SKIPPED: no browser starts here, so the console is not tested: ${error}\n`);
      this.skip();
    }
  });
  after(() => opened.browser?.close());
  return opened;
}

async function startBrowser(): Promise<Browser> {
  return launch({
    executablePath: process.env.BILLWRIGHT_TEST_BROWSER ?? (await unpackedChromium()),
    headless: 'shell',
    pipe: true,
    timeout: START_MS,
    protocolTimeout: START_MS,
    // Chromium has no sandbox for root, which runs continuous integration; the pages are our own.
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--lang=en-US'],
    env: { ...process.env, TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en_US' },
  });
}

/**
 * Returns the path of the unpacked Chromium. The package itself unpacks it to a fixed path while other processes may
 * already start it from there.
 */
async function unpackedChromium(): Promise<string> {
  const path = join(cache, 'chromium');
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  const draft = join(cache, randomUUID());
  await pipeline(
    createReadStream(packed),
    createBrotliDecompress({ chunkSize: 2 ** 21 }),
    createWriteStream(draft, { mode: 0o700 }),
  );
  await rename(draft, path);
  return path;
}
