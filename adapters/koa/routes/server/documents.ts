import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { packageUrl, pageHeaders, pageHtml, rendererFile, startScript } from '../../openapi/page.ts';
import { type Answer, jsonType, plain } from '../../routing/answer.ts';
import { CORE } from '../../routing/path.ts';
import { openRoute, type Route } from '../../routing/route.ts';

const yamlType = 'application/yaml';
const scriptType = 'text/javascript';
/** The files change only with the server's version. */
const cached = { 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' };

interface ApiDocuments {
  readonly json: () => Promise<string>;
  readonly yaml: () => Promise<string>;
  /** Swagger 2.0. */
  readonly killbill: () => Promise<string>;
}

type Made = (basePath: string) => Promise<Answer> | Answer;

interface Document {
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly type: string;
  readonly summary: string;
  readonly make: Made;
}

/** Routes answer 404 unless `isOffered` (`server.docs`). */
export function documentRoutes(texts: ApiDocuments, isOffered: boolean): readonly Route[] {
  return [...documents(texts), ...pageParts].map(({ path, operationId, type, summary, make }) =>
    openRoute(operationId, `GET ${path}`, {
      area: 'docs',
      summary,
      success: { status: 200, mediaTypes: [type] },
      handle({ tokens }) {
        if (isOffered) return make(tokens.basePath());
        throw billingError(
          ErrorCode.ROUTE_NOT_FOUND,
          'This server does not describe its interface (server.docs)',
        );
      },
    }),
  );
}

function documents({ json, yaml, killbill }: ApiDocuments): readonly Document[] {
  const summary = 'Get the OpenAPI document of this interface';
  const inJson = { type: jsonType, summary, make: async () => plain(await json()) };
  const inYaml = { type: yamlType, summary, make: async () => plain(await yaml()) };
  return [
    { path: '/openapi.json', operationId: 'openApiJson', ...inJson },
    { path: '/openapi.yaml', operationId: 'openApiYaml', ...inYaml },
    { path: '/swagger.json', operationId: 'openApiJsonAlias', ...inJson },
    { path: '/swagger.yaml', operationId: 'openApiYamlAlias', ...inYaml },
    {
      path: `${CORE}/swagger.json`,
      operationId: 'killbillSwaggerJson',
      type: jsonType,
      summary: 'Get the Swagger 2.0 document of what clients of Kill Bill call, in their terms',
      make: async () => plain(await killbill()),
    },
  ];
}

const pageParts: readonly Document[] = [
  {
    path: '/docs',
    operationId: 'apiDocs',
    type: 'text/html',
    summary: 'Show the OpenAPI document as a page, with nothing of another host',
    make(basePath) {
      // Fails without the package, since the page would be empty.
      packageUrl();
      return { ...plain(pageHtml(basePath)), headers: pageHeaders };
    },
  },
  {
    path: '/docs/swagger-ui.css',
    operationId: 'apiDocsStyle',
    type: 'text/css',
    summary: 'Get the style of the page',
    make: async () => ({ ...plain(await rendererFile('swagger-ui.css')), headers: cached }),
  },
  {
    path: '/docs/swagger-ui-bundle.js',
    operationId: 'apiDocsRenderer',
    type: scriptType,
    summary: 'Get the program that renders the page',
    make: async () => ({ ...plain(await rendererFile('swagger-ui-bundle.js')), headers: cached }),
  },
  {
    path: '/docs/start.js',
    operationId: 'apiDocsStart',
    type: scriptType,
    summary: 'Get the program that starts the page',
    make: () => ({ ...plain(startScript), headers: cached }),
  },
];
