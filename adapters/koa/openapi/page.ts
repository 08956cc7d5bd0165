import { readFile } from 'node:fs/promises';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/**
 * Returns the HTML of the documentation page. It loads everything from this server. Its empty icon avoids a request for
 * an icon.
 */
export function pageHtml(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Billwright API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`;
}

/** Script that starts the documentation page without the validator, which is on another host. */
export const startScript = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

/** Headers that block other hosts and inline scripts. Inline styles are allowed, because Swagger UI sets them. */
export const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

const files = new Map<string, Promise<string>>();

/**
 * Returns a file of swagger-ui-dist and caches it.
 * @throws BillingError ROUTE_NOT_FOUND if the package is not installed.
 */
export function rendererFile(name: 'swagger-ui.css' | 'swagger-ui-bundle.js'): Promise<string> {
  let file = files.get(name);
  if (file === undefined) {
    file = readFile(new URL(name, packageUrl()), 'utf8');
    files.set(name, file);
  }
  return file;
}

export function hasRenderer(): boolean {
  try {
    return packageUrl() !== '';
  } catch {
    return false;
  }
}

/**
 * Returns the URL of the package swagger-ui-dist.
 * @throws BillingError ROUTE_NOT_FOUND if this package is not installed.
 */
export function packageUrl(): string {
  try {
    return import.meta.resolve('swagger-ui-dist/package.json');
  } catch (error) {
    throw new BillingError({
      code: ErrorCode.ROUTE_NOT_FOUND,
      message:
        'The page needs the package swagger-ui-dist, which is not installed. The OpenAPI document is at /openapi.json',
      cause: error,
    });
  }
}
