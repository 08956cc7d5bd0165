import { Utils } from '@mikro-orm/core';
import { expect } from 'chai';
import { checkMikroOrmVersion } from '../../../adapters/mikro-orm/session/migrator.ts';
import manifest from '../../../package.json' with { type: 'json' };

describe('the version of MikroORM', () => {
  it('may be any of the range that the package declares, and the one that is installed', () => {
    const ranges = Object.entries(manifest.peerDependencies).filter(([name]) =>
      name.startsWith('@mikro-orm/'),
    );
    expect(new Set(ranges.map(([, range]) => range))).to.deep.equal(new Set(['^7.2.0']));
    for (const version of ['7.2.0', '7.2.1', '7.3.0', '7.10.4', Utils.getORMVersion()])
      expect(() => checkMikroOrmVersion(version), version).to.not.throw();
  });

  it('a version of MikroORM outside the range is refused with the way out', () => {
    for (const version of ['6.6.17', '7.0.17', '7.1.15', '8.0.0'])
      expect(() => checkMikroOrmVersion(version)).to.throw(
        `Billwright works with MikroORM 7 from 7.2 on, and MikroORM ${version} is installed; install @mikro-orm/core`,
      );
  });
});
