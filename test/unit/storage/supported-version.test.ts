import { Utils } from '@mikro-orm/core';
import { expect } from 'chai';
import { checkMikroOrmVersion } from '../../../adapters/mikro-orm/session/migrator.ts';
import manifest from '../../../package.json' with { type: 'json' };

describe('MikroORM version', () => {
  it('may be any version in the declared range, including the installed version', () => {
    const ranges = Object.entries(manifest.peerDependencies).filter(([name]) =>
      name.startsWith('@mikro-orm/'),
    );
    expect(new Set(ranges.map(([, range]) => range))).to.eql(new Set(['^7.2.0']));
    for (const version of ['7.2.0', '7.2.1', '7.3.0', '7.10.4', Utils.getORMVersion()])
      expect(() => checkMikroOrmVersion(version), version).to.not.throw();
  });

  it('is rejected outside the range with a message that explains the fix', () => {
    for (const version of ['6.6.17', '7.0.17', '7.1.15', '8.0.0'])
      expect(() => checkMikroOrmVersion(version)).to.throw(
        `Billwright needs MikroORM 7.2 or a later 7.x version, but MikroORM ${version} is installed; install @mikro-orm/core`,
      );
  });
});
