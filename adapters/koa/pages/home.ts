import { existsSync } from 'node:fs';
import { hasRenderer } from '../openapi/page.ts';

/** Links to the documentation, relative to the base path. */
const links = [
  ['/docs', 'API reference'],
  ['/openapi.json', 'OpenAPI document'],
  ['/guide/examples-saas-README.md', 'Guide: bill your application in an afternoon'],
  ['/guide/README.md', 'Overview'],
  ['/llms.txt', 'List of all pages, also for language models'],
] as const;

export interface HomeLinks {
  readonly docs: boolean;
  readonly console: boolean;
}

/** Returns the page at the root of the server. It links to the other pages that the server offers. */
export function homePage(basePath: string, offers: HomeLinks): string {
  const documents = offers.docs ? links.filter(([path]) => path !== '/docs' || hasRenderer()) : [];
  const offered = [...(offers.console ? [['/console', 'Console'] as const] : []), ...documents];
  const items = offered.map(([path, label]) => `<li><a href="${basePath}${path}">${label}</a></li>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Billwright</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>Billwright</h1>
<p>The billing server is running. Its API is below <code>${basePath}/1.0/kb</code>.</p>
${items.length === 0 ? '' : `<ul>\n${items.join('')}</ul>\n`}</body>
</html>
`;
}

/** Returns true if the package contains the built console. */
export function hasConsole(): boolean {
  try {
    return existsSync(new URL('dist/console/index.html', import.meta.resolve('billwright/package.json')));
  } catch {
    // A bundler has copied this module out of the package.
    return false;
  }
}

/** Headers of the page. They allow the page to load only its empty icon. */
export const homeHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};
