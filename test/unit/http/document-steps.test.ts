import { expect } from 'chai';
import { load } from 'js-yaml';
import { documentSteps } from '../../../adapters/koa/openapi/document.ts';
import { yamlSteps } from '../../../adapters/koa/openapi/yaml.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import { atOnce, type Steps } from '../../../lib/runtime/index.ts';

function taken<T>(steps: Steps<T>): { readonly value: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return { value: step.value, count };
  }
}

describe('interface document generation', () => {
  it('builds the OpenAPI document in one step per operation and model, and yields to other work between steps', () => {
    const routes = routeTable({ testMode: true });
    const { value, count } = taken(documentSteps(routes));
    const { schemas } = value.components as { readonly schemas: object };
    const models = Object.keys(schemas).length;
    expect(models).to.be.greaterThan(100);
    expect(count).to.be.at.least(routes.length + models);
  });

  it('writes the YAML document in one step per operation', () => {
    const methods = { get: { summary: 'one' }, put: { summary: 'two' } };
    expect(taken(yamlSteps({ paths: { '/a': methods, '/b': methods } })).count).to.equal(4 + 2 + 1);
  });

  it('preserves every name and text in the YAML document', () => {
    const text = ' a: b\n\n  # c\n...\n- d\n\n';
    const members = { text, none: null, '200': 1, 'a: b': '200', '': 'yes', '# c': [], '/{id}': {} };
    const value = { ...members, deep: { ...members, deep: { ...members, deep: { list: [members, text] } } } };
    const yaml = atOnce(yamlSteps(value));
    expect(load(yaml)).to.eql(value);
    expect(yaml).to.match(/^deep:\n(?: {2}.*\n|\n)+$/m);
  });
});
