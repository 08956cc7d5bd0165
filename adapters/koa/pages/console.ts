import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
// This module imports only types, so that it is one file in the package and startup loads no additional files.
import type { Rendered } from '../response/rendered.ts';

export interface ConsoleRequest {
  /** Path after `/console`, as the client sent it. */
  readonly path: string;
  /** Path prefix of the server as the client sees it. It has no trailing slash. */
  readonly basePath: string;
  /** True if the client accepts HTML. Browsers accept HTML when they open a page. */
  readonly acceptsHtml: boolean;
  /** True if the server has a test clock. */
  readonly isTestMode: boolean;
}

/** The reason why a file is missing. */
export interface MissingFile {
  readonly missing: string;
}

/** The files of the operator's console. */
export interface ConsolePages {
  /** Headers of every response, including error responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns a file. If the path belongs to a view of the console, returns the page. */
  file(request: ConsoleRequest): Promise<Rendered | MissingFile>;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const headers = {
  'Content-Security-Policy': policy.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const text = (type: string) => ({ type: `${type}; charset=utf-8`, isText: true });
const binary = (type: string) => ({ type, isText: false });

/** Media types by file extension. Files with other extensions are not served. */
const types = new Map([
  ['html', text('text/html')],
  ['js', text('text/javascript')],
  ['css', text('text/css')],
  ['svg', text('image/svg+xml')],
  ['json', text('application/json')],
  ['webmanifest', text('application/manifest+json')],
  ['txt', text('text/plain')],
  ['png', binary('image/png')],
  ['ico', binary('image/x-icon')],
  ['woff2', binary('font/woff2')],
]);

/** Matches paths of files. No segment may start with a dot, so a path cannot leave the folder. */
const fileForm = /^(?:[\w-]+\/)*[\w-][\w.-]*\.(\w+)$/;

/** Names with the content hash of esbuild. */
const hashedForm = /-[A-Z0-9]{8}\.(?:js|css)$/;

interface ConsoleFile {
  readonly version: string;
  readonly bytes: Buffer;
}

/** @param folder URL of the built console with a trailing slash, or null if the package does not contain it. */
export function consolePages(folder: URL | null = builtConsole()): ConsolePages {
  const known = new Map<string, ConsoleFile>();

  /** Returns the bytes of a file, or null if it is missing. Reads the file again if it has changed. */
  async function bytesOf(path: string): Promise<Buffer | null> {
    if (folder === null) return null;
    const url = new URL(path, folder);
    try {
      const { mtimeMs, size } = await stat(url);
      const version = `${mtimeMs}/${size}`;
      const found = known.get(path);
      if (found?.version === version) return found.bytes;
      const bytes = await readFile(url);
      known.set(path, { version, bytes });
      return bytes;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function page(place: PagePlace): Promise<Rendered | MissingFile> {
    const bytes = await bytesOf('index.html');
    if (bytes === null) return { missing: 'The console is not built: run npm run build:console' };
    return renderFile(pageAt(bytes.toString('utf8'), place), text('text/html').type, 'no-cache');
  }

  return {
    headers,
    async file({ path, acceptsHtml, ...place }) {
      const name = path.slice(1);
      const extension = fileForm.exec(name)?.[1];
      const type = extension === undefined ? undefined : types.get(extension);
      if (type === undefined || name === 'index.html') return page(place);
      const bytes = await bytesOf(name);
      if (bytes !== null) {
        const cached = hashedForm.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
        return renderFile(type.isText ? bytes.toString('utf8') : bytes, type.type, cached);
      }
      // An API key in the path of a view may look like a file name.
      if (acceptsHtml) return page(place);
      return { missing: 'The console has no such file' };
    },
  };
}

/** Returns the folder of the built console. Works in the published package and in the repository. */
function builtConsole(): URL | null {
  try {
    return new URL('dist/console/', import.meta.resolve('billwright/package.json'));
  } catch {
    // A bundler has copied this module out of the package.
    return null;
  }
}

const missingCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && missingCodes.has(code);
}

function renderFile(body: string | Buffer, type: string, cached: string): Rendered {
  const tag = hash('sha256', body, 'base64url').slice(0, 27);
  // The tag is weak, because a compressed response has the same tag.
  return {
    status: 200,
    headers: { 'Content-Type': type, 'Cache-Control': cached, ETag: `W/"${tag}"` },
    body,
  };
}

type PagePlace = Pick<ConsoleRequest, 'basePath' | 'isTestMode'>;

/** Replaces the base path in the page with the base path of this request. */
function pageAt(html: string, { basePath, isTestMode }: PagePlace): string {
  const base = escapeHtml(basePath);
  const mode = isTestMode ? '\n<meta name="billwright-test">' : '';
  const inserted = `<head>\n<base href="${base}/console/">\n<meta name="billwright-base" content="${base}">${mode}`;
  return html
    .replace(/<base [^>]*>\s*/, '')
    .replace(/<meta name="billwright-base"[^>]*>\s*/, '')
    .replace('<head>', () => inserted);
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
