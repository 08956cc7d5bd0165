import { expect } from 'chai';
import { formatOf } from '../../adapters/cli/short-resolution.ts';

const modules = 'file:///srv/app/node_modules/';

describe('import resolution during startup', () => {
  for (const [specifier, parent, format] of [
    ['./schema/schema.js', `${modules}kysely/dist/index.js`, 'module'],
    ['../core/index.js', `${modules}zod/v4/classic/external.js`, 'module'],
    [
      './MikroORM.js',
      `${modules}.pnpm/@mikro-orm+core@7.2.1/node_modules/@mikro-orm/core/index.js`,
      'module',
    ],
    ['kysely', `${modules}@mikro-orm/sql/index.js`, undefined],
    ['./index.cjs', `${modules}zod/v4/index.cjs`, undefined],
    ['./package.json', `${modules}kysely/dist/index.js`, undefined],
    ['./lib/tools.js', `${modules}pino/pino.js`, undefined],
    ['./lib/tools.js', `${modules}@mikro-orm/sql/node_modules/pino/pino.js`, undefined],
    ['./serve.ts', 'file:///srv/billwright/adapters/cli/billwright.ts', 'module-typescript'],
    ['./serve.ts', `${modules}other/index.ts`, undefined],
    ['./chunk.js', 'file:///srv/billwright/dist/adapters/cli/billwright.js', undefined],
    ['./app.js', undefined, undefined],
  ] as const)
    it(`treats ${specifier} of ${parent ?? 'an unknown parent'} as ${format ?? "Node's default"}`, () =>
      expect(formatOf(specifier, parent)).to.equal(format));
});
