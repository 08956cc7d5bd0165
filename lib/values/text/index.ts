export { closestTo } from './closest-to.ts';
export { plural } from './plural.ts';
export { checkText } from './required-text.ts';
export { shortened } from './shortened.ts';
export { checkStorable, isStorable, madeStorable, NOT_STORABLE } from './storable-text.ts';
