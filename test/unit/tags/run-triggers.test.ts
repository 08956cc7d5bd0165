import { expect } from 'chai';
import { SystemTag, systemDefinitions } from '../../../lib/control-tags/system-definitions.ts';
import { runTrigger } from '../../../lib/invoicing/evaluation/run-entries.ts';

describe('invoicing trigger of a removed tag (accounts §13.2)', () => {
  for (const { id, name } of systemDefinitions) {
    const isRun = id === SystemTag.AUTO_INVOICING_OFF;
    it(`is ${isRun ? 'a run up to today' : 'empty'} for ${name}`, () => {
      const entry = { topic: 'TAG_DELETION', payload: { tagDefinitionId: id } };
      expect(runTrigger(entry)).to.eql(isRun ? { kind: 'run', targetDate: null } : { kind: 'none' });
    });
  }
});
