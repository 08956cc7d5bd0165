import { expect } from 'chai';
import { SystemTag, systemDefinitions } from '../../../lib/control-tags/system-definitions.ts';
import { runTrigger } from '../../../lib/invoicing/evaluation/run-entries.ts';

describe('what the end of a tag asks of invoicing (accounts §13.2)', () => {
  for (const { id, name } of systemDefinitions) {
    const asked = id === SystemTag.AUTO_INVOICING_OFF;
    it(`removing ${name} asks for ${asked ? 'a run up to today' : 'nothing'}`, () => {
      const entry = { topic: 'TAG_DELETION', payload: { tagDefinitionId: id } };
      expect(runTrigger(entry)).to.deep.equal(asked ? { kind: 'run', targetDate: null } : { kind: 'none' });
    });
  }
});
