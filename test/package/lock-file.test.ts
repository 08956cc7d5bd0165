import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };
import lockFile from '../../package-lock.json' with { type: 'json' };

interface LockedPackage {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
}

describe('what is installed with the development dependencies', () => {
  const locked = Object.entries<LockedPackage>(lockFile.packages).map(
    ([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry] as const,
  );

  it('runs no program at its installation but those that the manifest decides on by name', () => {
    const decidedOn = Object.keys(manifest.allowScripts);
    const runs = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(decidedOn).to.include.members(runs.map(([name]) => name));
  });

  it('holds nothing that reports installations to somebody', () => {
    expect(locked.map(([name]) => name).filter((name) => name.startsWith('@scarf/'))).to.eql([]);
    expect(Object.keys(manifest.allowScripts).filter((name) => name.startsWith('@scarf/'))).to.eql([]);
  });
});
