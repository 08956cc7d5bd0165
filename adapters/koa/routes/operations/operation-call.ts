import { field, model } from '../../wire/model.ts';
import { int } from '../../wire/scalars.ts';
import { anyValue, listOf } from '../../wire/wire-type.ts';

/** Arguments of a call to a library operation (http-api §16). */
export const OperationCall = model('OperationCall', {
  arguments: field(listOf(anyValue), 'I', { required: true }),
  bytes: field(listOf(int({ minimum: 0 })), 'I'),
});

export const OperationResult = model('OperationResult', {
  value: field(anyValue, 'R', { nullable: true }),
  types: anyValue,
});
