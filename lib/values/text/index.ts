export { closestTo } from './closest-to.ts';
export {
  isSecretName,
  maskNamedValue,
  maskQuery,
  maskSecretShapes,
  maskUrl,
  maskWords,
  SECRET_MASK,
  secretNameEnd,
} from './mask-secrets.ts';
export { plural } from './plural.ts';
export { checkText } from './required-text.ts';
export { shortened } from './shortened.ts';
export { checkStorable, isStorable, madeStorable, NOT_STORABLE } from './storable-text.ts';
