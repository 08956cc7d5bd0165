import { setWrittenOff } from '../invoicing/index.ts';
import { TagDefinitionService, TagService } from '../tags/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Tags on objects, and what tags there are. */
export function tagArea({ ports, settingsOf }: Foundation) {
  return {
    operations: {
      tagDefinitions: methodsOf(new TagDefinitionService(ports), 'list', 'get', 'create', 'delete'),
      tags: methodsOf(
        new TagService(ports, settingsOf, {
          setWrittenOff: (session, change) => setWrittenOff(session, change, ports.ids),
        }),
        'add',
        'remove',
        'ofObject',
        'ofAccount',
        'page',
        'search',
      ),
    },
  };
}
