export { cellStorage, type Directory } from './cell-storage.ts';
export { Places } from './places.ts';
export { registerCell } from './register-cell.ts';
