import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, zoneRuns } from '../support/property.ts';
import { allHostZones, hostZones, zones } from './time-zone-list.ts';

const oracle = fileURLToPath(new URL('./time-zone-oracle.ts', import.meta.url));

describe('zone conversion', function () {
  this.timeout(0); // the time depends on the configured number of cases
  const comparisons = new Map<string, Promise<Comparison>>();

  before(() => {
    for (const host of hostZones) comparisons.set(host, compareOnHost(host));
  });

  it('matches Temporal in 48 zones on hosts in 8 zones', () => {
    expect(new Set(zones).size).to.equal(48);
    expect(new Set(allHostZones).size).to.equal(8);
    expect(allHostZones).to.include.members([...hostZones]);
  });

  for (const host of hostZones)
    it(`matches Temporal on a host with TZ=${host}`, async () => {
      const comparison = await comparisons.get(host);
      expect(comparison?.failure).to.equal(null);
      const answer: unknown = JSON.parse(comparison?.output ?? 'null');

      expect(answer).to.include({ host, zones: 48 });
      expect(answer)
        .to.have.property('cases')
        .that.is.at.least(49 * zoneRuns);
    });
});

interface Comparison {
  readonly output: string;
  readonly failure: string | null;
}

function compareOnHost(host: string): Promise<Comparison> {
  return new Promise((resolve) => {
    execFile(process.execPath, [oracle], { env: { ...process.env, TZ: host } }, (error, stdout, stderr) => {
      resolve({ output: stdout, failure: error === null ? null : stderr || error.message });
    });
  });
}
