import { type BlockingState as BlockingStateRecord, BlockingStateType } from '../../../lib/records/index.ts';
import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../../lib/values/limits.ts';
import { alike, field, model, shown } from '../wire/model.ts';
import { bool, enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

const name = text(MAX_BLOCKING_STATE_NAME_CHARACTERS);

/** A missing name or service has a code of its own (1107), so the library checks for it. */
export const BlockingState = model('BlockingState', {
  blockedId: uuid,
  stateName: field(name, 'C'),
  service: field(name, 'C'),
  ...alike(field(bool, 'C'), 'isBlockChange', 'isBlockEntitlement', 'isBlockBilling'),
  effectiveDate: shown(timestamp, ({ effective }: BlockingStateRecord) => effective.at),
  type: enumeration(BlockingStateType),
  auditLogs,
});
