export { cellStorage, type Directory } from './cell-storage.ts';
export { type CellView, cellViews } from './cell-views.ts';
export { MoveWatch } from './move/interrupted-moves.ts';
export { type MoveOptions, type MoveParts, placeOf } from './move/move-parts.ts';
export { type MoveProgress, MoveStep } from './move/move-progress.ts';
export { type MoveResult, moveTenant, undoMove } from './move/move-tenant.ts';
export { Places } from './places.ts';
export { registerCell } from './register-cell.ts';
