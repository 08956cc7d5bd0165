import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasEffect, SystemTag, systemDefinitions, tagEffects } from '../../../lib/control-tags/index.ts';

const LIB = join(import.meta.dirname, '../../../lib');

function codeOf(module: string): string {
  const files = readdirSync(join(LIB, module), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(LIB, module, file), 'utf8'))
    .join('\n');
}

describe('effects of system tags', () => {
  it('cover every system tag on each object type that it supports', () => {
    for (const { id, name, applicableObjectTypes } of systemDefinitions) {
      const types = tagEffects.filter(({ tag }) => tag === id).map(({ on }) => on);
      expect(types, name).to.include.members([...applicableObjectTypes]);
    }
  });

  it('are used in the modules that the table lists', () => {
    for (const { effects, readBy } of tagEffects) {
      for (const module of readBy) {
        const isRead = effects.some((effect) => codeOf(module).includes(`TagEffect.${effect}`));
        expect(isRead, `${module} reads ${effects.join(' or ')}`).to.equal(true);
      }
    }
  });

  it('block automatic payments only for AUTO_PAY_OFF and MANUAL_PAY', () => {
    const holding = systemDefinitions.filter(({ id }) => hasEffect(id, 'HOLDS_PAYMENTS'));
    expect(holding.map(({ id }) => id)).to.have.members([SystemTag.AUTO_PAY_OFF, SystemTag.MANUAL_PAY]);
  });
});
