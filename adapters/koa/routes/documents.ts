import { plain } from '../routing/answer.ts';
import { openRoute, type Route } from '../routing/route.ts';

const jsonType = 'application/json';
const yamlType = 'application/yaml';

/** The documents of the interface, made from the route table on first use. */
export interface ApiDocuments {
  readonly json: () => string;
  readonly yaml: () => string;
}

const documents = [
  { path: '/openapi.json', operationId: 'openApiJson', type: jsonType },
  { path: '/openapi.yaml', operationId: 'openApiYaml', type: yamlType },
  { path: '/swagger.json', operationId: 'openApiJsonAlias', type: jsonType },
  { path: '/swagger.yaml', operationId: 'openApiYamlAlias', type: yamlType },
] as const;

export function documentRoutes(texts: ApiDocuments): readonly Route[] {
  return documents.map(({ path, operationId, type }) =>
    openRoute({
      method: 'GET',
      path,
      operationId,
      area: 'docs',
      summary: 'Get the OpenAPI document of this interface',
      permission: 'NONE',
      success: { status: 200, mediaTypes: [type] },
      handle: () => plain(type === jsonType ? texts.json() : texts.yaml()),
    }),
  );
}
