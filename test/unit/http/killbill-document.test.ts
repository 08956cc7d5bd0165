import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { swaggerDocument } from '../../../adapters/koa/openapi/killbill/swagger-document.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly enum?: readonly string[];
}
interface Parameter extends Schema {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly description?: string;
  readonly schema?: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Definition {
  readonly required?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema & { readonly description?: string }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly definitions: Readonly<Record<string, Definition>>;
}

/** The document from which the package `killbill` was generated. */
const path = fileURLToPath(new URL('../../../node_modules/killbill/codegen/kbswagger.yaml', import.meta.url));
const theirs = load(readFileSync(path, 'utf8')) as Document;
const ours = JSON.parse(JSON.stringify(swaggerDocument(routeTable({ testMode: true })))) as Document;

/** Returns the type of a value in a generated client. Enumerations have the type of text. */
function typeOf({ $ref, type, format, items }: Schema = {}): string {
  if ($ref !== undefined) return $ref.slice('#/definitions/'.length);
  if (items !== undefined) return `${typeOf(items)}[]`;
  return format === undefined ? String(type) : `${type} ${format}`;
}

/** Returns a method of a client: its class and name, its parameters and its result. */
function methodOf(place: string, { operationId, tags, parameters = [], responses }: Operation) {
  const given = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const taken = parameters.map((each) => {
    const type = typeOf(each.schema ?? each).replace('int64', 'int32');
    const values = (each.enum ?? each.items?.enum ?? []).toSorted().join('|');
    return `${each.in} ${each.name}${each.required ? '!' : ''} ${type} ${each.default ?? ''} ${values}`;
  });
  const gives = [...new Set(given.map(([, { schema }]) => schema && typeOf(schema)))].filter(Boolean);
  return { place, name: `${tags.join()}.${operationId}`, taken, gives };
}

function methodsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([place, operations]) =>
    Object.entries(operations).map(([verb, each]) => methodOf(`${verb} ${place}`, each)),
  );
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
  one.name < other.name ? -1 : 1;

describe('Swagger document for Kill Bill clients', () => {
  it('defines the 264 methods of the published clients with the same parameters', () => {
    const published = methodsOf(theirs).sort(byName);
    expect(published).to.have.length(264);
    expect(methodsOf(ours).sort(byName)).to.eql(published);
  });

  it('defines every status of the published document', () => {
    const unchecked = Object.entries(theirs.paths).flatMap(([place, operations]) =>
      Object.entries(operations).flatMap(([verb, { operationId, responses }]) =>
        Object.keys(responses)
          .filter((status) => !(status in (ours.paths[place]?.[verb]?.responses ?? {})))
          .map((status) => `${operationId} ${status}`),
      ),
    );
    expect(unchecked).to.eql([]);
  });

  it('defines the models of the published clients with the same properties', () => {
    const propertiesOf = ({ properties = {}, required = [] }: Definition) =>
      Object.entries(properties).map(
        ([name, schema]) => `${name}${required.includes(name) ? '!' : ''} ${typeOf(schema)}`,
      );
    const modelsOf = ({ definitions }: Document) =>
      Object.entries(definitions).flatMap(([model, each]) => [
        model,
        ...propertiesOf(each).map((property) => `${model}.${property}`),
      ]);
    const [own, published] = [new Set(modelsOf(ours)), new Set(modelsOf(theirs))];
    expect([...own.symmetricDifference(published)]).to.eql([]);
  });

  it('describes every operation, parameter, model and property', () => {
    const operations = Object.values(ours.paths).flatMap((each) => Object.values(each));
    expect(operations.filter(({ summary = '' }) => summary === '')).to.eql([]);
    const parameters = operations.flatMap(({ parameters = [] }) => parameters);
    const models = Object.values(ours.definitions);
    // Keywords next to a reference are ignored.
    const properties = models
      .flatMap((each) => Object.entries(each.properties ?? {}))
      .filter(([, { $ref }]) => $ref === undefined);
    const silent = [...parameters, ...models, ...properties.map(([name, each]) => ({ name, ...each }))];
    expect(silent.filter(({ description = '' }) => description === '')).to.eql([]);
  });
});
