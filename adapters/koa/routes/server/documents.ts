import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import { packageUrl, pageHeaders, pageHtml, rendererFile, startScript } from '../../openapi/page.ts';
import {
  allPages,
  type DocumentationPage,
  documentationPages,
  pageIndex,
  rulesContents,
} from '../../pages/documentation.ts';
import { type Answer, jsonType } from '../../routing/answer.ts';
import { CORE } from '../../routing/path.ts';
import { openRoute, type Route } from '../../routing/route.ts';
import { onDemand } from '../../wire/lazy-values.ts';

const yamlType = 'application/yaml';
const scriptType = 'text/javascript';
const textType = 'text/plain';
/** Cache headers for files that change only with the version of the server. */
const cached = { 'Cache-Control': 'public, max-age=86400', 'X-Content-Type-Options': 'nosniff' };

interface Texts extends Readonly<Record<'json' | 'yaml' | 'killbill', () => Promise<string>>> {
  /** The pages that are generated from the routes. */
  readonly generated: () => Promise<readonly DocumentationPage[]>;
}

type Row = readonly [
  path: `/${string}`,
  operationId: string,
  type: string,
  summary: string,
  make: (basePath: string) => Promise<Answer> | Answer,
];

/**
 * Returns the routes for the API documents and the pages of the package. `killbill` is the Swagger 2.0 document. If
 * `isOffered` is false (`server.docs`), the routes return 404.
 */
export function documentRoutes(texts: Texts, isOffered: boolean): readonly Route[] {
  const checkOffered = (): void => {
    if (isOffered) return;
    const message = 'The API description is disabled on this server (server.docs)';
    throw billingError(ErrorCode.ROUTE_NOT_FOUND, message);
  };
  const pages = onDemand(async () => {
    const written = await documentationPages();
    return [...written, rulesContents(written), ...(await texts.generated())];
  });
  return [
    ...rowsOf(texts, pages).map(([path, operationId, type, summary, make]) =>
      openRoute(operationId, `GET ${path}`, {
        area: 'docs',
        summary,
        success: { status: 200, mediaTypes: [type] },
        handle({ tokens }) {
          checkOffered();
          return make(tokens.basePath());
        },
      }),
    ),
    openRoute('getGuidePage', 'GET /guide/{page}', {
      area: 'docs',
      summary: 'Get a page of the documentation as Markdown',
      success: { status: 200, mediaTypes: [textType] },
      fails: ['OBJECT_NOT_FOUND'],
      async handle({ params }) {
        checkOffered();
        const page = (await pages()).find(({ name }) => name === params.page);
        if (page !== undefined) return { text: page.text };
        throw billingError(
          ErrorCode.OBJECT_NOT_FOUND,
          `There is no page "${params.page}"; /llms.txt lists all`,
        );
      },
    }),
  ];
}

function rowsOf(
  { json, yaml, killbill }: Texts,
  pages: () => Promise<readonly DocumentationPage[]>,
): readonly Row[] {
  const inJson = async () => ({ text: await json() });
  const inYaml = async () => ({ text: await yaml() });
  const ofKillBill = async () => ({ text: await killbill() });
  const style = async () => ({ text: await rendererFile('swagger-ui.css'), headers: cached });
  const renderer = async () => ({ text: await rendererFile('swagger-ui-bundle.js'), headers: cached });
  const start = () => ({ text: startScript, headers: cached });
  const page = (basePath: string) => {
    // If the package is missing, the request fails, because the page would be empty.
    packageUrl();
    return { text: pageHtml(basePath), headers: pageHeaders };
  };
  const index = async (basePath: string) => ({
    text: pageIndex(await pages(), ({ name }) => `${basePath}/guide/${name}`),
  });
  const full = async () => ({ text: allPages(await pages()) });
  const openApi = 'Get the OpenAPI document of this API';
  const swagger = 'Get the Swagger 2.0 document for Kill Bill clients';
  const shown = 'Show the OpenAPI document as a web page that loads nothing from other hosts';
  return [
    ['/openapi.json', 'openApiJson', jsonType, openApi, inJson],
    ['/openapi.yaml', 'openApiYaml', yamlType, openApi, inYaml],
    ['/swagger.json', 'openApiJsonAlias', jsonType, openApi, inJson],
    ['/swagger.yaml', 'openApiYamlAlias', yamlType, openApi, inYaml],
    [`${CORE}/swagger.json`, 'killbillSwaggerJson', jsonType, swagger, ofKillBill],
    ['/docs', 'apiDocs', 'text/html', shown, page],
    [
      '/docs/swagger-ui.css',
      'apiDocsStyle',
      'text/css',
      'Get the stylesheet of the documentation page',
      style,
    ],
    [
      '/docs/swagger-ui-bundle.js',
      'apiDocsRenderer',
      scriptType,
      'Get the script that renders the documentation page',
      renderer,
    ],
    ['/llms.txt', 'llmsIndex', textType, 'List the pages of the documentation', index],
    ['/llms-full.txt', 'llmsFull', textType, 'Get all pages of the documentation as one text', full],
    [
      '/docs/start.js',
      'apiDocsStart',
      scriptType,
      'Get the script that starts the documentation page',
      start,
    ],
  ];
}
