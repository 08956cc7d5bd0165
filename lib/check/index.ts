export type { Breach } from './model.ts';
export { CheckService } from './service.ts';
