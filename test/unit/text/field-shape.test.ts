import { expect } from 'chai';
import {
  amount,
  date,
  dated,
  id,
  inputShapeOf,
  instant,
  orNull,
  recordId,
  shapeOf,
  text,
} from '../../../lib/values/fields/index.ts';

describe('the shape of a described record', () => {
  const fields = {
    recordId,
    id: id(),
    parentId: orNull(id({ set: 'update' })),
    name: text({ set: 'update' }),
    limit: amount({ set: 'creation' }),
    contractDate: orNull(date({ set: 'update' })),
    start: dated(),
    createdDate: instant(),
  };

  it('contains every date and instant of an answer', () => {
    expect(shapeOf(fields)).to.deep.equal({
      contractDate: 'date',
      start: { at: 'instant', date: 'date' },
      createdDate: 'instant',
    });
  });

  it('contains the ids, amounts, dates and instants that callers may set', () => {
    expect(inputShapeOf(fields)).to.deep.equal({ parentId: 'uuid', limit: 'amount', contractDate: 'date' });
  });
});
