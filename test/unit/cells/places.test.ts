import { expect } from 'chai';
import { Places } from '../../../lib/cells/index.ts';
import type { PlaceState, TenantPlace } from '../../../lib/records/index.ts';
import { parseUuid } from '../../../lib/values/ids/index.ts';
import { PLACE_LEASE_MS } from '../../../lib/values/limits.ts';
import { pushableSystemClock, recordingLogger } from '../../support/system-time.ts';

const tenant = { id: parseUuid('6f1c3b52-7f0e-4a54-9a3c-2f6a0d3f8f10'), recordId: 1 };

const placeIn = (cell: string, state: PlaceState, revision: number): TenantPlace => ({
  tenant,
  cell,
  otherCell: null,
  state,
  revision,
  isInterrupted: false,
});

describe('tenant place lookup', () => {
  let current: TenantPlace;
  let looks: number;
  let isSilent: boolean;
  let beforeAnswer: () => Promise<void>;
  const systemClock = pushableSystemClock();
  const directory = {
    cells: {
      revision: async () => {
        looks += 1;
        if (isSilent) throw new Error('The directory does not answer');
        return current.revision;
      },
      places: async () => {
        const read = current;
        await beforeAnswer();
        return [read];
      },
    },
  };
  const opened = () => new Places({ directory, systemClock, logger: recordingLogger() });

  beforeEach(() => {
    current = placeIn('west', 'SETTLED', 1);
    looks = 0;
    isSilent = false;
    beforeAnswer = async () => undefined;
  });

  it('reads the place again if it changed during the first read (cells §2 rule 2)', async () => {
    const places = opened();
    await places.look();
    beforeAnswer = async () => {
      beforeAnswer = async () => undefined;
      current = placeIn('east', 'CLEANING', 2);
      await places.look();
    };
    expect((await places.find(tenant.recordId))?.cell).to.equal('east');
    expect(places.known(tenant.recordId)?.cell).to.equal('east');
  });

  it('allows only one call to wait for a directory that does not respond (cells §2 rule 3)', async () => {
    const places = opened();
    await places.find(tenant.recordId);
    systemClock.push(PLACE_LEASE_MS + 1);
    isSilent = true;
    looks = 0;
    for (let call = 1; call <= 3; call += 1)
      expect((await places.find(tenant.recordId))?.cell).to.equal('west');
    expect(looks).to.equal(1);
    isSilent = false;
    await places.look();
    systemClock.push(PLACE_LEASE_MS + 1);
    current = placeIn('east', 'CLEANING', 2);
    expect((await places.find(tenant.recordId))?.cell).to.equal('east');
  });
});
