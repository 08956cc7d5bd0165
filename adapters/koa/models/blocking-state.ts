import { type BlockingState as BlockingStateRecord, BlockingStateType } from '../../../lib/records/index.ts';
import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../../lib/values/limits.ts';
import { alike, derivedField, field, model } from '../wire/model.ts';
import { bool, enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

const name = text(MAX_BLOCKING_STATE_NAME_CHARACTERS);

/**
 * A blocking state. The library validates the name and the service, because a missing value has its own error code
 * (1107).
 */
export const BlockingState = model('BlockingState', {
  blockedId: uuid,
  stateName: field(name, 'C'),
  service: field(name, 'C'),
  ...alike(field(bool, 'C'), 'isBlockChange', 'isBlockEntitlement', 'isBlockBilling'),
  effectiveDate: derivedField(timestamp, ({ effective }: BlockingStateRecord) => effective.at),
  type: enumeration(BlockingStateType),
  auditLogs,
});
