import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import type { Route } from '../../../adapters/koa/routing/route.ts';

const path = fileURLToPath(new URL('../../../adapters/koa/HTTP-API.md', import.meta.url));
const routes = new Map(routeTable({ testMode: true }).map((route) => [route.operationId, route]));

/** The short forms of http-api §13. */
const shortForms: Readonly<Record<string, readonly string[]>> = {
  PAGE: ['offset=0', 'limit=100'],
  audit: ['audit=NONE'],
  PP: ['pluginProperty*'],
  CP: ['controlPluginName*'],
  PI: ['withPluginInfo=false'],
  AT: ['withAttempts=false'],
  BAL: ['accountWithBalance=false', 'accountWithBalanceAndCBA=false'],
  CC: ['callCompletion=false', 'callTimeoutSec'],
};

interface Row {
  readonly route: Route;
  readonly query: string;
  readonly fails: string;
}

const page = readFileSync(path, 'utf8');

/** The objects with custom fields, tags or audit logs, by their name `<X>` in operation ids. */
const objects = [...page.matchAll(/^\| \/\S+ \| ([A-Z][A-Za-z]+) \| /gm)].map(([, name = '']) => name);

const rows = page.split('\n').flatMap(rowsOf);

/**
 * The routes of a row of the tables with all columns. An operation id with `<X>` stands for the operations of all objects
 * that have it.
 */
function rowsOf(line: string): readonly Row[] {
  const [, operationId = '', query = '', , , fails, permission] = line.split(' | ');
  if (fails === undefined || permission === undefined) return [];
  return objects
    .map((name) => operationId.replace('<X>', name))
    .filter((id, index, ids) => ids.indexOf(id) === index)
    .flatMap((id) => routes.get(id) ?? [])
    .map((route) => ({ route, query, fails }));
}

/** What a row says of its parameters: `name`, `!` and `*` and a default, where it says nothing else of them. */
function toldParameters({ query }: Row): readonly string[] {
  return query
    .split(', ')
    .flatMap((each) => shortForms[each] ?? [each])
    .filter((each) => /^[a-z_]\w*[!*]?(=[\w.-]+)?$/i.test(each) && !/^[A-Z]+$/.test(each));
}

describe('endpoint rows in HTTP-API.md', () => {
  it('list the parameters of the routes', () => {
    expect(rows.length).to.be.greaterThan(310);
    const others = rows.flatMap((row) =>
      toldParameters(row)
        .filter((told) => {
          const [, name = ''] = /^(\w+)/.exec(told) ?? [];
          const parameter = row.route.query[name];
          if (parameter === undefined) return true;
          const { required, many, json } = parameter;
          const fallback = json.default === undefined ? '' : `=${json.default}`;
          return told !== `${name}${required ? '!' : ''}${many ? '*' : ''}${fallback}`;
        })
        .map((told) => `${row.route.operationId} ${told}`),
    );
    expect(others).to.eql([]);
  });

  it('list only error codes that the route can return', () => {
    const others = rows.flatMap(({ route, fails }) => {
      // What stands in brackets is a remark, and a range has codes of other operations in it.
      const alone = fails.replace(/\(.*?\)/g, '').replace(/\d+–\d+/g, '');
      const codes = [...alone.matchAll(/\b\d{4,5}\b/g)].map(([code]) => Number(code));
      return codes
        .filter((code) => code < 60_000 && !route.fails.some((each) => each === code))
        .map((code) => `${route.operationId} ${code}`);
    });
    expect(others).to.eql([]);
  });
});
