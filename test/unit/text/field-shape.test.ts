import { expect } from 'chai';
import { f, inputShapeOf, shapeOf } from '../../../lib/values/fields/index.ts';

describe('record schema', () => {
  const fields = {
    recordId: f.recordId,
    id: f.id(),
    parentId: f.orNull(f.id({ set: 'update' })),
    name: f.text({ set: 'update' }),
    limit: f.amount({ set: 'creation' }),
    contractDate: f.orNull(f.date({ set: 'update' })),
    start: f.dated(),
    createdDate: f.instant(),
  };

  it('contains every date and instant of a response', () =>
    expect(shapeOf(fields)).to.eql({
      contractDate: 'date',
      start: { at: 'instant', date: 'date' },
      createdDate: 'instant',
    }));

  it('contains the ids, amounts, dates and instants that callers can set', () =>
    expect(inputShapeOf(fields)).to.eql({ parentId: 'uuid', limit: 'amount', contractDate: 'date' }));
});
