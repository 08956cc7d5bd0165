import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };
import lockFile from '../../package-lock.json' with { type: 'json' };

interface LockedPackage {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
}

describe('installed development dependencies', () => {
  const locked = Object.entries<LockedPackage>(lockFile.packages).map(
    ([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry] as const,
  );

  it('run only the install scripts that the manifest allows by name', () => {
    const decidedOn = Object.keys(manifest.allowScripts);
    const runs = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(decidedOn).to.include.members(runs.map(([name]) => name));
  });

  it('include no installation telemetry', () => {
    expect(locked.map(([name]) => name).filter((name) => name.startsWith('@scarf/'))).to.eql([]);
    expect(Object.keys(manifest.allowScripts).filter((name) => name.startsWith('@scarf/'))).to.eql([]);
  });
});
